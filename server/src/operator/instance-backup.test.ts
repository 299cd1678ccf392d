import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { databaseKinds, migratedDatabase } from '../../test/rig/databases.ts';
import { has } from '../../test/rig/parts.ts';
import { newDatabase } from '../../test/rig/postgres.ts';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../db/database.ts';
import { openInstance } from '../db/instance.ts';
import { instanceKeys } from '../instance-keys.ts';
import { lockFile } from '../lib/lock-file.ts';
import { requireNoHalfRestore } from '../lib/restore-marks.ts';
import { createSealer } from '../lib/seal.ts';
import { backupInstance, type InstanceBackupDeps, type BackupOptions } from './backup-instance.ts';
import { backupKeyFile, readBackupKey } from './backup-key.ts';
import { selectBackupState } from '../areas/backups/instance/state.ts';
import { readArchive } from './read-archive.ts';
import { restoreInstance } from './restore-instance.ts';

const isRoot = process.getuid?.() === 0;
const close: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of close.splice(0)) await each();
});

/** A data folder with a database, keys and files, as a service leaves it. */
async function newInstance(kind: 'sqlite' | 'postgres'): Promise<InstanceBackupDeps> {
  const { dataDir, databaseUrl } = await migratedDatabase(kind);
  const config = readConfig({ MOORING_DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' });
  const keys = instanceKeys(config);
  keys.file!.create();
  const sealer = createSealer(keys);
  const database = await openDatabase(config);
  close.push(() => database.db.destroy());
  const { id: instanceId } = await openInstance(database.db, sealer);
  writeFileSync(join(dataDir, 'replica.id'), 'rep_1\n', { mode: 0o600 });
  for (const folder of ['releases/dep_1/bin', 'uploads', 'volumes/prj_1/production/data', 'homes/prj_1', 'tmp'])
    mkdirSync(join(dataDir, folder), { recursive: true });
  writeFileSync(join(dataDir, 'releases/dep_1/index.js'), 'serve()');
  writeFileSync(join(dataDir, 'releases/dep_1/bin/tool'), '#!/bin/sh\n', { mode: 0o755 });
  chmodSync(join(dataDir, 'releases/dep_1/bin/tool'), 0o4755);
  symlinkSync('/usr/bin/env', join(dataDir, 'releases/dep_1/env'));
  if (isRoot) chownSync(join(dataDir, 'releases/dep_1/index.js'), 1_879_048_200, 1_879_048_200);
  writeFileSync(join(dataDir, 'uploads/upl_1.tar.gz'), Buffer.alloc(300_000, 7));
  writeFileSync(join(dataDir, 'volumes/prj_1/production/data/rows'), 'data of the app');
  writeFileSync(join(dataDir, 'homes/prj_1/cache'), 'a cache');
  return { config, database, sealer, instanceId, warn: () => {} };
}

const backUp = (deps: InstanceBackupDeps, options: Partial<BackupOptions> = {}) =>
  backupInstance(deps, { withVolumes: false, ...options });

/** An empty machine of the same kind. */
async function newMachine({ config }: InstanceBackupDeps): Promise<Config> {
  const databaseUrl = config.databaseUrl && (await newDatabase(inject('postgresUrl')));
  return readConfig({ MOORING_DATA_DIR: newFolder('new-machine'), DATABASE_URL: databaseUrl ?? '' });
}

const keyOf = ({ config }: InstanceBackupDeps) => {
  const key = join(newFolder('key'), 'backup.key');
  copyFileSync(backupKeyFile(config.dataDir), key);
  return key;
};

describe.each(databaseKinds)('an instance backup on %s', (kind) => {
  let deps: InstanceBackupDeps;
  beforeEach(async () => {
    deps = await newInstance(kind);
  });

  it('is restored on a new machine: database, key, files, owners and modes', async () => {
    const to = join(newFolder('to'), 'backup.age');
    const made = await backUp(deps, { to });
    expect(made).toMatchObject({ place: to, isNewKey: true, skipped: [] });
    expect(statSync(to)).toMatchObject({ size: made.bytes, mode: 0o100600 });
    expect((await selectBackupState(deps.database.db)).place).toBe(to);
    const config = await newMachine(deps);
    const restored = await restoreInstance(config, { file: to, key: keyOf(deps), replace: false });
    expect(restored).toMatchObject({ manifest: { instanceId: deps.instanceId, database: kind }, aside: [] });
    const { dataDir } = config;
    const database = await openDatabase(config);
    close.push(() => database.db.destroy());
    expect(await openInstance(database.db, createSealer(instanceKeys(config)))).toEqual({ id: deps.instanceId });
    const release = join(dataDir, 'releases/dep_1');
    expect(readFileSync(join(release, 'index.js'), 'utf8')).toBe('serve()');
    expect(lstatSync(join(release, 'bin/tool')).mode & 0o7777).toBe(0o4755);
    expect(readlinkSync(join(release, 'env'))).toBe('/usr/bin/env');
    if (isRoot) expect(lstatSync(join(release, 'index.js')).uid).toBe(1_879_048_200);
    expect(statSync(join(dataDir, 'uploads/upl_1.tar.gz')).size).toBe(300_000);
    expect(readFileSync(join(dataDir, 'replica.id'), 'utf8')).toBe('rep_1\n');
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    for (const missing of ['homes', 'tmp', 'volumes/prj_1/production/data', '.restoring', '.restored'])
      expect(existsSync(join(dataDir, missing)), missing).toBe(false);
    // The next backup has the same key.
    expect((await backUp({ ...deps, config, database })).isNewKey).toBe(false);
  });

  it('moves an instance that is there aside, and never restores over it without --replace', async () => {
    const { place } = await backUp(deps);
    const other = await newInstance(kind);
    const { config } = other;
    const options = { file: place, key: keyOf(deps) };
    await expect(restoreInstance(config, { ...options, replace: false })).rejects.toThrow('use --replace');
    expect(existsSync(join(config.dataDir, '.restoring'))).toBe(false);
    const { aside } = await restoreInstance(config, { ...options, replace: true });
    expect(aside).toHaveLength(kind === 'sqlite' ? 1 : 2);
    expect(existsSync(join(aside[0]!, 'secret.key'))).toBe(true);
    expect(existsSync(join(config.dataDir, 'volumes/prj_1/production/data/rows')), 'volumes stay').toBe(true);
    const database = await openDatabase(config);
    close.push(() => database.db.destroy());
    expect(await openInstance(database.db, createSealer(instanceKeys(config)))).toEqual({ id: deps.instanceId });
  });

  it('of the other kind of database is refused', async () => {
    const { place } = await backUp(deps);
    const other = databaseKinds.find((each) => each !== kind);
    if (!other) return;
    const config = await newMachine(await newInstance(other));
    const refused = restoreInstance(config, { file: place, key: keyOf(deps), replace: false });
    await expect(refused).rejects.toThrow(kind === 'sqlite' ? 'unset DATABASE_URL' : 'set DATABASE_URL');
    expect(readdirSync(config.dataDir)).toEqual(['service.lock']);
  });
});

describe('an instance backup', () => {
  let deps: InstanceBackupDeps;
  beforeEach(async () => {
    deps = await newInstance('sqlite');
  });

  it.runIf(has('age'))("is read by Debian's own tools", async () => {
    const { place } = await backUp(deps, { withVolumes: true });
    const folder = newFolder('by-hand');
    const script = 'age -d -i "$1" "$2" | zstd -d | tar -x --numeric-owner -C "$3"';
    execFileSync('bash', ['-o', 'pipefail', '-c', script, 'sh', backupKeyFile(deps.config.dataDir), place, folder]);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { parts: { name: string }[] };
    expect(manifest).toMatchObject({ format: 1, instanceId: deps.instanceId, database: 'sqlite' });
    const sums = JSON.parse(readFileSync(join(folder, 'sums.json'), 'utf8')) as { parts: { name: string }[] };
    expect(sums.parts.map(({ name }) => name)).toEqual(['database', 'keys', 'uploads', 'releases', 'volumes']);
    expect(manifest.parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['database', 'releases']));
    expect(readFileSync(join(folder, 'data/volumes/prj_1/production/data/rows'), 'utf8')).toBe('data of the app');
    const database = new DatabaseSync(join(folder, 'data/mooring.db'));
    expect(database.prepare('select id from instance').get()).toEqual({ id: deps.instanceId });
    database.close();
  });

  it('is refused with another key, with one flipped byte, or cut off, and nothing changes', async () => {
    const { place } = await backUp(deps);
    const config = await newMachine(deps);
    const key = keyOf(deps);
    const attempt = (file: string, by = key) => restoreInstance(config, { file, key: by, replace: false });
    const other = await newInstance('sqlite');
    await backUp(other);
    await expect(attempt(place, keyOf(other))).rejects.toThrow('encrypted with another backup key');
    await expect(attempt(place, place)).rejects.toThrow('is not a backup key');
    await expect(attempt(join(newFolder('x'), 'none'))).rejects.toThrow('there is no file');
    const whole = readFileSync(place);
    const damaged = join(newFolder('damaged'), 'backup.age');
    for (const at of [20, 200, Math.floor(whole.length / 2), whole.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 4;
      writeFileSync(damaged, bytes);
      await expect(attempt(damaged), `byte ${at}`).rejects.toThrow(/archive/);
    }
    writeFileSync(damaged, whole.subarray(0, whole.length - 5000));
    await expect(attempt(damaged)).rejects.toThrow(/archive is (cut off|damaged)/);
    expect(readdirSync(config.dataDir)).toEqual(['service.lock']);
  });

  it.runIf(isRoot && has('docker'))('is refused before any change if a mount point is in the way', async () => {
    const { place } = await backUp(deps, { withVolumes: true });
    const config = await newMachine(deps);
    const volumes = join(config.dataDir, 'volumes');
    mkdirSync(volumes);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', volumes]);
    close.push(() => execFileSync('umount', ['--lazy', volumes]));
    writeFileSync(join(config.dataDir, 'replica.id'), 'rep_2');
    const options = { key: keyOf(deps), replace: true };
    const refused = restoreInstance(config, { file: place, ...options });
    await expect(refused).rejects.toThrow(`${volumes} is a mount point, which cannot be moved aside`);
    expect(readdirSync(config.dataDir).toSorted()).toEqual(['replica.id', 'service.lock', 'volumes']);
    // A backup without volumes leaves the folder where it is.
    await restoreInstance(config, { file: (await backUp(deps)).place, ...options });
    expect(readFileSync(join(config.dataDir, 'replica.id'), 'utf8')).toBe('rep_1\n');
  });

  it('of a newer version is refused', async () => {
    const migration = { name: '9999-later', applied_at: 1 };
    await deps.database.db
      .insertInto('migrations' as never)
      .values(migration as never)
      .execute();
    const { place } = await backUp(deps);
    const refused = restoreInstance(await newMachine(deps), { file: place, key: keyOf(deps), replace: false });
    await expect(refused).rejects.toThrow('install that version first');
  });

  it('is not restored while the service or the edge runs there', async () => {
    const { place } = await backUp(deps);
    const config = await newMachine(deps);
    const options = { file: place, key: keyOf(deps), replace: false };
    const lock = lockFile(join(config.dataDir, 'service.lock'), () => new Error('taken'));
    await expect(restoreInstance(config, options)).rejects.toThrow('stop it first');
    lock.release();
    const edge = await new Promise<Server>((resolve) => {
      const server = createServer().listen(join(config.dataDir, 'edge.sock'), () => resolve(server));
    });
    close.push(() => edge.close());
    await expect(restoreInstance(config, { ...options, replace: true })).rejects.toThrow('mooring stop');
  });

  it('gets its name only when it is whole, and leaves nothing when it fails', async () => {
    const folder = newFolder('to');
    mkdirSync(join(deps.config.dataDir, 'backups'));
    const { place } = await backUp(deps, { to: folder });
    await expect(backUp(deps, { to: place })).rejects.toThrow('exists already');
    await expect(backUp(deps, { to: join(folder, 'none', 'x') })).rejects.toThrow('there is no folder');
    chmodSync(join(deps.config.dataDir, 'secret.key'), 0o600);
    writeFileSync(join(deps.config.dataDir, 'mooring.db'), 'not a database');
    await expect(backUp(deps, { to: join(folder, 'second') })).rejects.toThrow();
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readdirSync(join(deps.config.dataDir, 'backups'))).toEqual([]);
  });

  it('is kept seven times, and leftovers of killed ones are removed', async () => {
    const folder = join(deps.config.dataDir, 'backups/instance');
    mkdirSync(folder, { recursive: true });
    for (let day = 1; day <= 8; day++)
      writeFileSync(join(folder, `mooring-${deps.instanceId}-2026-01-0${day}T03-00-00Z.tar.zst.age`), 'old');
    writeFileSync(join(folder, 'mooring-ins_other-2026-01-01T03-00-00Z.tar.zst.age'), 'of another instance');
    writeFileSync(
      join(folder, `mooring-${deps.instanceId}-2026-01-01T03-00-00Z.tar.zst.age.0123456789ab.part`),
      'half',
    );
    const { place } = await backUp(deps, { keep: 7 });
    const names = readdirSync(folder);
    expect(names.filter((name) => name.includes(deps.instanceId))).toHaveLength(7);
    expect(names).toContain('mooring-ins_other-2026-01-01T03-00-00Z.tar.zst.age');
    expect(names).toHaveLength(8);
    expect(existsSync(place)).toBe(true);
  });

  it('is consistent while rows are written and files change', async () => {
    const { db } = deps.database;
    let writes = 0;
    const over = new AbortController();
    const writing = (async () => {
      for (; !over.signal.aborted; writes++) {
        await db.updateTable('instance').set({ createdAt: writes }).execute();
        writeFileSync(join(deps.config.dataDir, 'releases/dep_1/log'), 'x'.repeat((writes * 7919) % 100_000));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const { place } = await backUp(deps).finally(() => over.abort());
    await writing;
    expect(writes).toBeGreaterThan(5);
    const identity = readBackupKey(backupKeyFile(deps.config.dataDir));
    const { manifest } = await readArchive(createReadStream(place), identity);
    expect(manifest.instanceId).toBe(deps.instanceId);
    const config = await newMachine(deps);
    await restoreInstance(config, { file: place, key: keyOf(deps), replace: false });
  });

  it('does not start half restored', async () => {
    const { dataDir } = await newMachine(deps);
    mkdirSync(join(dataDir, '.restoring/data'), { recursive: true });
    expect(() => requireNoHalfRestore(dataDir)).toThrow('was interrupted');
  });
});
