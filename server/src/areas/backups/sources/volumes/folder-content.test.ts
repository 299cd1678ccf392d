import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { changedSince } from '../../../../lib/archive/folder-tar.ts';
import type { ArchiveContent } from '../source.ts';
import { addFolder } from './folder-content.ts';
import { backUpSqlite } from './sqlite-files.ts';

const tmpfs = 0x01021994;

describe('a folder that is packed', () => {
  const filling = { isQuiet: true, copySqlite: async () => undefined, say: () => {} };
  const contentOf = (folder: () => void): ArchiveContent => ({
    folder: async () => {
      folder();
      return { databases: [], skipped: [] };
    },
    file: () => Promise.reject(new Error('no file was expected')),
    entries: () => Promise.reject(new Error('no entries were expected')),
    changedSince: async () => [],
  });

  it('is read again if a restore replaced it, also while services are paused', async () => {
    const above = newFolder('volumes');
    const [folder, fresh] = ['data', 'fresh'].map((name) => join(above, name)) as [string, string];
    mkdirSync(folder);
    expect(
      await addFolder(
        folder,
        contentOf(() => {}),
        filling,
      ),
    ).toEqual([]);
    mkdirSync(fresh);
    const replace = () => {
      renameSync(folder, join(above, 'aside'));
      renameSync(fresh, folder);
    };
    expect(await addFolder(folder, contentOf(replace), filling)).toEqual(['.']);
  });

  it('must exist, before and after', async () => {
    const folder = join(newFolder('volumes'), 'data');
    await expect(
      addFolder(
        folder,
        contentOf(() => {}),
        filling,
      ),
    ).rejects.toMatchObject({ code: 'volume_missing' });
    mkdirSync(folder);
    const remove = contentOf(() => rmSync(folder, { recursive: true }));
    await expect(addFolder(folder, remove, filling)).rejects.toMatchObject({ code: 'volume_missing' });
    writeFileSync(folder, '');
    await expect(
      addFolder(
        folder,
        contentOf(() => {}),
        filling,
      ),
    ).rejects.toMatchObject({ code: 'volume_missing' });
  });

  // A tmpfs does not record stores to mapped pages at all.
  it.skipIf(statfsSync(tmpdir()).type === tmpfs)('is read again if a mapped file changed', async () => {
    const folder = newFolder('volume');
    const database = new DatabaseSync(join(newFolder('database'), 'x.db'));
    onTestFinished(() => database.close());
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE item (id)');
    const store = () => database.exec('INSERT INTO item VALUES (1)');
    // SQLite maps the index of its log.
    linkSync(`${database.location()!}-shm`, join(folder, 'mapped'));
    await sleep(100);
    store();
    const changed = async (path: string, since: number) => changedSince(path, since, new Set());
    const add = (change: () => void) =>
      addFolder(folder, { ...contentOf(change), changedSince: changed }, { ...filling, isQuiet: false });
    expect(await add(() => {})).toEqual([]);
    store();
    await sleep(100);
    expect(await add(store)).toEqual(['mapped']);
  });

  it('gets no new SQLite database in place of one that has disappeared', async () => {
    const folder = newFolder('volume');
    const [from, to] = [join(folder, 'odd ?#%25.db'), join(newFolder('copy'), 'inner', 'copy')];
    await expect(backUpSqlite(from, to, { signal: AbortSignal.timeout(20_000) })).rejects.toThrow(/unable to open/);
    expect([readdirSync(folder), existsSync(to)]).toEqual([[], false]);
  });
});
