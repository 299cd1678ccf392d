import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { databaseKinds, openNewDatabase } from '../../test/rig/databases.ts';
import { until } from '../../test/rig/until.ts';
import { backupNotices } from '../areas/backups/instance/notices.ts';
import {
  claimInstanceBackup,
  recordInstanceBackup,
  releaseInstanceBackup,
  selectBackupState,
} from '../areas/backups/instance/state.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../lib/log.ts';
import { isNightlyBackupDue, NightlyBackup } from './nightly-backup.ts';

const day = 86_400_000;
const none = { attemptedAt: null, succeededAt: null, error: null };

describe('a nightly backup is due', () => {
  const at = (text: string) => new Date(`2026-03-10T${text}`);
  const on = (now: Date, createdAt = 0) => ({ createdAt, instanceId: 'ins_1', now });

  it('once a night, also when the service was away at that time', () => {
    expect(isNightlyBackupDue(none, on(at('03:45:00')))).toBe(true);
    const done = { attemptedAt: at('03:46:00').getTime(), succeededAt: at('03:46:00').getTime(), error: null };
    expect(isNightlyBackupDue(done, on(at('23:00:00')))).toBe(false);
    expect(isNightlyBackupDue(done, on(new Date(at('02:59:00').getTime() + day)))).toBe(false);
    expect(isNightlyBackupDue(done, on(new Date(at('15:00:00').getTime() + 3 * day)))).toBe(true);
  });

  it('again an hour after a failure', () => {
    const failed = { attemptedAt: at('03:45:00').getTime(), succeededAt: null, error: 'no space' };
    expect(isNightlyBackupDue(failed, on(at('04:30:00')))).toBe(false);
    expect(isNightlyBackupDue(failed, on(at('04:46:00')))).toBe(true);
  });

  it('for a new instance after its first night', () => {
    expect(isNightlyBackupDue(none, on(at('12:00:00'), at('11:00:00').getTime()))).toBe(false);
    expect(isNightlyBackupDue(none, on(new Date(at('04:00:00').getTime() + day), at('11:00:00').getTime()))).toBe(true);
  });
});

describe.each(databaseKinds)('nightly backups on %s', (kind) => {
  const log = createLog('silent', 'json');

  /** A replica whose backup command appends to a file, and then fails or succeeds. */
  const replica = async (database: Awaited<ReturnType<typeof openNewDatabase>>, owner: string, script: string) => {
    const program = join(newFolder('program'), 'backup.mjs');
    writeFileSync(program, script);
    return new NightlyBackup({
      database,
      config: readConfig({}),
      log,
      owner,
      instanceId: 'ins_1',
      program: [process.execPath, program],
      environment: {},
    });
  };
  const withInstance = async () => {
    const database = await openNewDatabase(kind);
    const row = { id: 'ins_1', singleton: 1, ownerUserId: null, keyCheck: '', createdAt: Date.now() - 2 * day };
    await database.db.insertInto('instance').values(row).execute();
    return database;
  };

  it('are made by one replica', async () => {
    const database = await withInstance();
    expect(await claimInstanceBackup(database, 'a')).toBe(true);
    expect(await claimInstanceBackup(database, 'a')).toBe(true);
    expect(await claimInstanceBackup(database, 'b')).toBe(false);
    await releaseInstanceBackup(database.db, 'a');
    expect(await claimInstanceBackup(database, 'b')).toBe(true);
    await database.db.updateTable('instance_backups').set({ until: 1 }).execute();
    expect(await claimInstanceBackup(database, 'a')).toBe(true);
    await database.db.destroy();
  });

  it('that lack files are reported in the log', async () => {
    const database = await withInstance();
    const made = JSON.stringify({ place: '/x', bytes: 1, skipped: ['/data/binds/a: its path is too long'] });
    const warn = vi.spyOn(log, 'warn');
    (await replica(database, 'a', `process.stdout.write(${JSON.stringify(made)})`)).look();
    await until('the warning', () => warn.mock.calls.length > 0);
    expect(warn.mock.calls).toEqual([['the nightly backup lacks files: /data/binds/a: its path is too long']]);
    await until('the lease is free', async () => (await selectBackupState(database.db)).owner === null);
    warn.mockRestore();
    await database.db.destroy();
  });

  it('end with the service, and are due again', async () => {
    const database = await withInstance();
    const file = join(newFolder('pid'), 'pid');
    const script = `(await import('node:fs')).writeFileSync('${file}', String(process.pid)); setInterval(() => {}, 1000)`;
    const service = await replica(database, 'a', script);
    service.look();
    const pid = await until('the backup runs', () => existsSync(file) && Number(readFileSync(file, 'utf8')));
    await service.stop();
    await until('its process has ended', () => !existsSync(`/proc/${pid}`));
    expect(await selectBackupState(database.db)).toMatchObject({ ...none, owner: null });
    await database.db.destroy();
  });

  it('that fail are recorded, and the instance owner is told', async () => {
    const database = await withInstance();
    const script = "process.stderr.write('mooring: the disk is full\\n'); process.exitCode = 1;";
    (await replica(database, 'a', script)).look();
    await until('the failure is recorded', async () => (await selectBackupState(database.db)).error !== null);
    await until('the lease is free', async () => (await selectBackupState(database.db)).owner === null);
    expect(await backupNotices(database.db)).toEqual([
      'The last backup of this instance failed: the disk is full. Run `mooring doctor` on the machine that runs Mooring.',
    ]);
    await recordInstanceBackup(database.db, { place: '/x', bytes: 1, lacks: '/data/binds/a: no' });
    expect(await backupNotices(database.db)).toEqual([expect.stringContaining('lacks files: /data/binds/a: no. Run')]);
    await recordInstanceBackup(database.db, { place: '/x', bytes: 1, lacks: null });
    expect(await backupNotices(database.db)).toEqual([]);
    await database.db
      .updateTable('instance_backups')
      .set({ succeededAt: Date.now() - 5.5 * day })
      .execute();
    expect(await backupNotices(database.db)).toEqual([expect.stringContaining('not been backed up for 5 days')]);
    await database.db.destroy();
  });
});
