import { randomBytes } from 'node:crypto';
import { copyFileSync, createReadStream, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { backupKeyFile, readBackupKey } from '../../src/operator/backup-key.ts';
import { readArchive } from '../../src/operator/read-archive.ts';
import { exited, newFolder } from '../rig/children.ts';
import { beginMaintenance, runMaintenance } from '../rig/maintenance.ts';
import { failToStart, startService } from '../rig/service.ts';
import { mountSmallDisk } from '../rig/small-disk.ts';

/** A stopped instance with some megabytes to back up. */
async function newInstance(): Promise<string> {
  const service = await startService();
  await service.stop();
  mkdirSync(join(service.dataDir, 'uploads'), { recursive: true });
  for (let i = 0; i < 40; i++) writeFileSync(join(service.dataDir, 'uploads', `ballast-${i}`), randomBytes(1_000_000));
  return service.dataDir;
}

/** Kills the command after the delay; returns whether it had ended by itself. */
async function killed(child: ReturnType<typeof beginMaintenance>, delayMs: number): Promise<boolean> {
  const code = exited(child);
  await sleep(delayMs);
  child.kill('SIGKILL');
  return (await code) !== 'SIGKILL';
}

const archivesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.age')) : [];

it('a backup that is killed leaves no archive that looks whole', { timeout: 900_000 }, async () => {
  const dataDir = await newInstance();
  const env = { MOORING_DATA_DIR: dataDir };
  const folder = join(dataDir, 'backups', 'instance');
  const began = Date.now();
  await runMaintenance(env, 'backup-instance');
  const wholeMs = Date.now() - began;
  for (let round = 1; round <= 8; round++)
    await killed(beginMaintenance(env, 'backup-instance'), (wholeMs * round) / 8);
  const identity = readBackupKey(backupKeyFile(dataDir));
  for (const name of archivesIn(folder)) await readArchive(createReadStream(join(folder, name)), identity);
  await runMaintenance(env, 'backup-instance');
  expect(
    readdirSync(folder).filter((name) => !name.endsWith('.age')),
    'the next one removes leftovers',
  ).toEqual([]);
  expect(readdirSync(join(dataDir, 'backups'))).toEqual(['instance']);
});

it('a restore that is killed never starts as an instance, and can be repeated', { timeout: 900_000 }, async () => {
  const dataDir = await newInstance();
  const safe = newFolder('safe');
  const file = join(safe, 'backup.age');
  await runMaintenance({ MOORING_DATA_DIR: dataDir }, 'backup-instance', '--to', file);
  const key = join(safe, 'backup.key');
  copyFileSync(backupKeyFile(dataDir), key);
  const args = ['restore-instance', '--key', key, '--', file];
  const began = Date.now();
  await runMaintenance({ MOORING_DATA_DIR: newFolder('measured') }, ...args);
  const wholeMs = Date.now() - began;
  const outcomes = new Set<string>();
  for (let round = 1; round <= 6; round++) {
    const fresh = newFolder('fresh');
    const env = { MOORING_DATA_DIR: fresh };
    await killed(beginMaintenance(env, ...args), (wholeMs * round) / 6);
    const isWhole = existsSync(join(fresh, 'mooring.db')) || existsSync(join(fresh, '.restored'));
    if (isWhole) outcomes.add('whole');
    else if (existsSync(join(fresh, '.restoring', 'data'))) {
      outcomes.add('refused');
      expect((await failToStart(env)).output).toContain('was interrupted');
      await runMaintenance(env, ...args);
    } else {
      outcomes.add('nothing');
      await runMaintenance(env, ...args);
    }
    const service = await startService({ dataDir: fresh });
    expect(readdirSync(join(fresh, 'uploads'))).toHaveLength(40);
    expect(existsSync(join(fresh, '.restored'))).toBe(false);
    await service.stop();
  }
  expect(outcomes).toContain('refused');
});

it.runIf(process.getuid?.() === 0)('a full disk leaves no half file', { timeout: 120_000 }, async () => {
  const dataDir = await newInstance();
  const disk = mountSmallDisk(20_000_000);
  const env = { MOORING_DATA_DIR: dataDir };
  const refused = runMaintenance(env, 'backup-instance', '--to', join(disk.folder, 'backup.age'));
  await expect(refused).rejects.toThrow('the disk is full; nothing was written');
  expect(readdirSync(disk.folder).filter((name) => name !== 'lost+found')).toEqual([]);
  expect(statSync(dataDir).isDirectory()).toBe(true);
});
