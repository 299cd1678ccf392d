import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';
import { splitVolumePath } from '../../areas/backups/sources/volumes/paths.ts';
import { newIdentityFile, parseIdentity } from './age-keys.ts';
import { Packing } from './packing.ts';
import { unpackEntries } from './unpack.ts';
import type { WrittenEntry } from './writer.ts';

const identity = parseIdentity(newIdentityFile(), 'key');

async function packed(fill: (packing: Packing) => Promise<void>, options: { signal?: AbortSignal } = {}) {
  const file = join(newFolder('packed'), 'archive');
  const bytes = await Packing.write(file, { recipients: [identity.recipient], ...options }, fill);
  expect(lstatSync(file).size).toBe(bytes);
  const found = new Map<string, { type: string; mode: number; target: string; content: string }>();
  for await (const entry of unpackEntries(createReadStream(file), [identity])) {
    const { path, type, mode, target } = entry;
    const chunks: Buffer[] = [];
    for await (const chunk of entry.body()) chunks.push(Buffer.from(chunk));
    found.set(path, { type, mode, target, content: Buffer.concat(chunks).toString('latin1') });
  }
  return found;
}

describe('packing', () => {
  it('fails at what it may not read, or skips it', () => {
    const folder = newFolder('volume');
    const at = (path: string) => join(folder, path);
    for (const name of ['open', 'closed', 'listed']) mkdirSync(at(name));
    writeFileSync(at('open/file'), 'x');
    writeFileSync(at('secret'), 'x');
    symlinkSync('x', at('listed/link'));
    chmodSync(folder, 0o755);
    for (const [name, mode] of [
      ['secret', 0o000],
      ['closed', 0o000],
      ['listed', 0o444],
    ] as const)
      chmodSync(at(name), mode);
    // Root may read everything, so the program becomes another user.
    const program = `
      const { folderTar } = await import(process.argv[2]);
      if (process.getuid() === 0) process.setuid(65534);
      const [entries, skipped] = [[], []];
      const found = {
        onEntry: ({ path }) => entries.push(path), onContent() {}, onDatabase() {}, onSkipped: (...each) => skipped.push(each),
      };
      const options = { folder: process.argv[1], prefix: 'data' };
      for (const _ of folderTar({ ...options, skipsUnreadable: true }, found));
      let error;
      try {
        for (const _ of folderTar(options, found));
      } catch ({ code }) {
        error = code;
      }
      console.log(JSON.stringify({ error, entries: [...new Set(entries)], skipped }));`;
    const source = new URL('./folder-tar.ts', import.meta.url).href;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program, folder, source]);
    for (const name of ['closed', 'listed']) chmodSync(at(name), 0o755);
    const why = "the service's user may not read it";
    const { error, entries, skipped } = JSON.parse(String(printed)) as Record<string, unknown>;
    expect(error).toBe('EACCES');
    expect(entries).toEqual(['data', 'data/listed', 'data/open', 'data/open/file']);
    expect(skipped).toEqual([
      ['closed', why],
      ['listed/link', why],
      ['secret', why],
    ]);
  });

  it('keeps the content, mode and targets of a folder, whatever the names and sizes', async () => {
    const folder = newFolder('volume');
    const at = (path: string) => join(folder, path);
    const long = 'long-'.repeat(40);
    const sizes = [0, 1, 511, 512, 513, 262_143, 262_144, 262_145, 1_000_001];
    for (const size of sizes) writeFileSync(at(`file ${size}`), randomBytes(size));
    mkdirSync(at(`inner\n/${long}`), { recursive: true });
    writeFileSync(at(`inner\n/${long}/ü"$(x)`), 'odd');
    // At least one of them is cut in the middle of a character where a header ends.
    const longUnicode = ['', 'a', 'ab'].map((start) => start + '漢'.repeat(60));
    for (const name of longUnicode) writeFileSync(at(name), name);
    chmodSync(at('file 1'), 0o4755);
    symlinkSync(`/elsewhere/${long}`, at('link'));
    execFileSync('mkfifo', [at('pipe')]);
    execFileSync('sh', ['-c', `printf x > "$1/$(printf 'bad\\377')"`, 'sh', folder]);
    const skipped: string[] = [];
    const found = await packed(async (packing) => {
      skipped.push(...(await packing.folder({ folder, prefix: 'data' })).skipped.map(({ why }) => why));
    });
    expect(skipped).toEqual(['its name is not UTF-8']);
    for (const size of sizes)
      expect(found.get(`data/file ${size}`)!.content, `${size}`).toBe(readFileSync(at(`file ${size}`), 'latin1'));
    expect(found.get(`data/inner\n/${long}/ü"$(x)`)!.content).toBe('odd');
    for (const name of longUnicode) expect(found.get(`data/${name}`)!.content).toHaveLength(Buffer.byteLength(name));
    expect(found.get('data/file 1')!.mode).toBe(0o4755);
    expect(found.get('data/link')).toMatchObject({ type: 'symlink', target: `/elsewhere/${long}` });
    expect([...found.keys()].filter((path) => path.includes('pipe'))).toEqual([]);
  });

  it('leaves out paths that are too long to be restored', async () => {
    const folder = newFolder('volume');
    const name = 'deep-'.repeat(40);
    execFileSync('bash', ['-c', `cd -- "$1"; for i in {1..40}; do mkdir "$2"; cd "$2"; done`, 'bash', folder, name]);
    let skipped: string[] = [];
    const found = await packed(async (packing) => {
      skipped = (await packing.folder({ folder, prefix: 'data' })).skipped.map(({ why }) => why);
      expect(await packing.changedSince(folder, 0, [])).toHaveLength(20);
    });
    expect(skipped).toEqual(['its path is too long']);
    expect(found.size).toBe(20);
    for (const path of found.keys()) expect(splitVolumePath(path.slice('data/'.length)).length).toBeLessThan(20);
  });

  it('adds files, texts and entries in turn, and sums their parts', async () => {
    const folder = newFolder('volume');
    writeFileSync(join(folder, 'a'), 'first');
    const entry = (path: string, content: Buffer): WrittenEntry => ({
      path,
      type: 'file',
      mode: 0o600,
      size: content.length,
      modifiedMs: 0,
      target: '',
      async *content() {
        for (let i = 0; i < content.length; i += 100_000) yield content.subarray(i, i + 100_000);
      },
    });
    const large = randomBytes(700_000);
    const found = await packed(async (packing) => {
      await packing.text('about', 'hello');
      await packing.file({ file: join(folder, 'a'), entry: { path: 'copy', mode: 0o640 } }, 'one');
      await packing.entries([entry('large', large), entry('empty', Buffer.alloc(0))]);
      await packing.folder({ folder, prefix: 'folder', leftOut: /^b/ }, 'two');
      expect(await packing.sums()).toMatchObject([
        { name: 'one', entries: 1, bytes: 5 },
        { name: 'two', entries: 2, bytes: 5 },
      ]);
    });
    expect([...found.keys()]).toEqual(['about', 'copy', 'large', 'empty', 'folder/', 'folder/a']);
    expect(found.get('large')!.content).toBe(large.toString('latin1'));
    expect(found.get('copy')).toMatchObject({ mode: 0o640, content: 'first' });
  });

  it('reads nothing outside of the folder while folders are swapped for links', async () => {
    const [folder, outside] = [newFolder('volume'), newFolder('outside')];
    mkdirSync(join(folder, 'inner'));
    writeFileSync(join(folder, 'inner', 'file'), 'inside');
    writeFileSync(join(outside, 'file'), 'secret');
    const over = new AbortController();
    const swapping = (async () => {
      while (!over.signal.aborted) {
        renameSync(join(folder, 'inner'), join(folder, 'aside'));
        symlinkSync(outside, join(folder, 'inner'));
        await sleep(0);
        rmSync(join(folder, 'inner'));
        renameSync(join(folder, 'aside'), join(folder, 'inner'));
        await sleep(0);
      }
    })();
    const found = await packed(async (packing) => {
      for (let round = 0; round < 500; round++) await packing.folder({ folder, prefix: `${round}` });
    });
    over.abort();
    await swapping;
    expect([...found.values()].map(({ content }) => content)).not.toContain('secret');
    const seen = [...found].map(([path, { type }]) => `${type} ${path.replace(/^\d+/, '')}`);
    expect(seen).toContain('symlink /inner');
    expect(seen).toContain('file /inner/file');
  });

  it('leaves SQLite databases and their logs out, and names them', async () => {
    const folder = newFolder('volume');
    const database = new DatabaseSync(join(folder, 'app.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE item (id INTEGER)');
    writeFileSync(join(folder, 'other-wal'), 'not of a database');
    expect(readdirSync(folder)).toContain('app.db-wal');
    const names: string[] = [];
    const found = await packed(async (packing) => {
      const { databases } = await packing.folder({ folder, prefix: 'data', withoutDatabases: true });
      names.push(...databases.map(({ path, entry }) => `${path} ${entry.path}`));
    });
    database.close();
    expect(names).toEqual(['app.db data/app.db']);
    expect([...found.keys()]).toEqual(['data/', 'data/other-wal']);
  });

  it('finds what changed', async () => {
    const cases: [string, (at: (path: string) => string) => void, string[]][] = [
      ['nothing', () => {}, []],
      ['a write', (at) => writeFileSync(at('inner/a'), 'changed'), ['inner/a']],
      ['a time that was set back', (at) => utimesSync(at('inner/a'), 1, 1), ['inner/a']],
      ['a cut', (at) => truncateSync(at('inner/a'), 1), ['inner/a']],
      ['a removal', (at) => rmSync(at('inner/a')), ['inner']],
      ['a new file', (at) => writeFileSync(at('z'), ''), ['z', '.']],
      ['a rename', (at) => renameSync(at('inner/a'), at('a')), ['a', 'inner', '.']],
      ['new permissions', (at) => chmodSync(at('inner'), 0o700), ['inner']],
      ['a database and its journal', (at) => writeFileSync(at('db/app.db-journal'), ''), []],
    ];
    await packed(async (packing) => {
      for (const [name, change, expected] of cases) {
        const folder = newFolder('volume');
        const at = (path: string) => join(folder, path);
        for (const inner of ['inner', 'db']) mkdirSync(at(inner));
        writeFileSync(at('inner/a'), 'before');
        new DatabaseSync(at('db/app.db')).exec('CREATE TABLE item (id INTEGER)');
        await sleep(50);
        const began = Date.now();
        const { databases } = await packing.folder({ folder, prefix: name, withoutDatabases: true });
        change(at);
        expect(await packing.changedSince(folder, began, databases), name).toEqual(expected);
      }
    });
  });

  it('fails if a file is missing, the place cannot be written, or it is aborted', async () => {
    await expect(packed((packing) => packing.file({ file: '/missing', entry: { path: 'x' } }))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const nowhere = Packing.write('/missing/archive', { recipients: null }, (packing) => packing.text('x', 'x'));
    await expect(nowhere).rejects.toMatchObject({ code: 'ENOENT' });
    const full = Packing.write('/dev/full', { recipients: null }, async (packing) => {
      const content = randomBytes(5_000_000);
      const file = join(newFolder('large'), 'file');
      writeFileSync(file, content);
      await packing.file({ file, entry: { path: 'x' } });
    });
    await expect(full).rejects.toMatchObject({ code: 'ENOSPC' });
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = packed(
      async (packing) => {
        controller.abort(new Error('stopped'));
        await packing.text('x', 'x');
      },
      { signal },
    );
    await expect(aborted).rejects.toThrow('stopped');
  });
});
