import { execFile } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../config.ts';
import { isDiskFull } from '../db/database.ts';
import { checkInstanceKey } from '../db/instance.ts';
import { isKnownMigration } from '../db/migrate.ts';
import { edgeFilesOf } from '../drivers/edge/builtin/protocol.ts';
import { StartError } from '../errors.ts';
import { instanceKeys } from '../instance-keys.ts';
import { lockFile } from '../lib/lock-file.ts';
import { removeTree } from '../lib/remove-tree.ts';
import { syncFolder } from '../lib/replace-file.ts';
import { finishRestore, restoredFolder, restoringFolder } from '../lib/restore-marks.ts';
import { createSealer } from '../lib/seal.ts';
import { compareVersions, areComparable } from '../lib/version-order.ts';
import { version } from '../version.ts';
import { backupKeyFile, readBackupKey } from './backup-key.ts';
import { dumpName } from './database-copy.ts';
import { FolderSink } from './extract-archive.ts';
import { archiveFormat, type Manifest } from './manifest.ts';
import { mountPointsIn } from './mount-points.ts';
import { readArchive } from './read-archive.ts';
import { checkStagedDatabase, PostgresTarget } from './restore-database.ts';
import { environmentFile } from './environment-file.ts';

const run = promisify(execFile);

export type RestoreOptions = {
  file: string;
  /** Backup key; the one of the data folder by default. */
  key?: string | undefined;
  /** Whether an instance that is there is moved aside. */
  replace: boolean;
};

export type RestoredInstance = {
  manifest: Manifest;
  /** Where the previous data is, if there was any. */
  aside: string[];
  /** Where the settings of the backup are, if they differ from those of this machine. */
  settings: string | null;
};

/** What may be in an empty data folder. Nightly backups stay where they are. */
const kept = new Set([
  'service.lock',
  'service.json',
  'backup.lock',
  'backups',
  'compiled',
  'lost+found',
  '.restoring',
]);
const isKept = (name: string): boolean => kept.has(name) || name.startsWith('.replaced-');

/** Restores an instance. Everything is unpacked and verified in `.restoring` before anything changes. */
export async function restoreInstance(
  config: Config,
  { file, key, replace }: RestoreOptions,
): Promise<RestoredInstance> {
  const { dataDir } = config;
  if (!existsSync(file)) throw new StartError(`there is no file ${file}`);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const running = () => new StartError(`Mooring runs on ${dataDir}; stop it first: systemctl stop mooring`);
  const lock = lockFile(join(dataDir, 'service.lock'), running);
  const postgres = config.databaseUrl ? await PostgresTarget.open(config) : undefined;
  try {
    await finishRestore(dataDir);
    await requireFree(config, postgres, replace);
    const staged = restoringFolder(dataDir);
    await removeTree(staged);
    await mkdir(staged, { mode: 0o700 });
    const keyFile = key ?? backupKeyFile(dataDir);
    const suffix = new Date().toISOString().slice(0, 19).replaceAll(/[:T-]/g, '');
    const { manifest, tables } = await prepare({ config, file, keyFile, staged, postgres }, `replaced_${suffix}`).catch(
      async (error: unknown) => {
        await removeTree(staged);
        throw isDiskFull(error) ? new StartError('the disk is full; nothing was changed', { cause: error }) : error;
      },
    );
    // An error from here on leaves the staged folder, and with it a start is refused.
    const keepsVolumes = keepsVolumesOf(dataDir, manifest);
    if (keepsVolumes) await removeTree(join(staged, 'data', 'volumes'));
    const aside = await moveAside(dataDir, suffix, keepsVolumes);
    await rename(join(staged, 'data'), restoredFolder(dataDir));
    syncFolder(dataDir);
    await finishRestore(dataDir);
    const settings = await placeSettings(join(staged, 'settings', 'mooring.env'));
    await removeTree(staged);
    return { manifest, aside: [...(aside ? [aside] : []), ...(tables ? [`schema ${tables}`] : [])], settings };
  } finally {
    await postgres?.close();
    lock.release();
  }
}

async function requireFree(config: Config, postgres: PostgresTarget | undefined, replace: boolean): Promise<void> {
  const { dataDir } = config;
  const isEmpty = (await readdir(dataDir)).every((name) => isKept(name) || name === 'backup.key');
  if (!replace && !isEmpty)
    throw new StartError(`${dataDir} is not empty; use --replace to move what is there aside and restore`);
  if (!replace && postgres && !(await postgres.isEmpty()))
    throw new StartError('the database is not empty; use --replace to move its tables aside and restore');
  if (await answers(edgeFilesOf(dataDir).socket))
    throw new StartError(`the edge and apps of ${dataDir} are running; stop them first: mooring stop`);
}

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
    connection.once('connect', () => connection.destroy());
  });

type Wanted = {
  config: Config;
  file: string;
  keyFile: string;
  staged: string;
  postgres: PostgresTarget | undefined;
};

/** Unpacks and verifies the archive, then restores the tables of PostgreSQL. A failure leaves everything as it was. */
async function prepare({ config, file, keyFile, staged, postgres }: Wanted, asideSchema: string) {
  const { dataDir } = config;
  const owner = statSync(dataDir);
  const identity = readBackupKey(keyFile);
  const sink = new FolderSink(staged, owner, (manifest) => requireRestorable(config, manifest));
  const { manifest } = await readArchive(createReadStream(file, { highWaterMark: 1_048_576 }), identity, sink);
  await sink.finish();
  await checkStagedDatabase(staged, manifest);
  const data = join(staged, 'data');
  const sealer = createSealer(instanceKeys({ ...config, dataDir: data }));
  checkInstanceKey(sealer, manifest.instanceId, manifest.keyCheck);
  // Backups of the restored instance go on with the same key.
  await writeFile(backupKeyFile(data), readFileSync(keyFile), { mode: 0o600 });
  if (process.getuid?.() === 0) await chown(backupKeyFile(data), owner.uid, owner.gid);
  await run('sync', ['-f', staged]);
  return { manifest, tables: await postgres?.restore(join(staged, dumpName), asideSchema) };
}

const isNewer = (mooring: string): boolean => areComparable(mooring, version) && compareVersions(mooring, version) > 0;

async function requireRestorable(config: Config, manifest: Manifest): Promise<void> {
  const { format, mooring, database, schema, parts } = manifest;
  if (format > archiveFormat || isNewer(mooring) || !isKnownMigration(schema))
    throw new StartError(`the backup is of Mooring ${mooring}, and this is ${version}; install that version first`);
  const here = config.databaseUrl ? 'postgres' : 'sqlite';
  if (database !== here)
    throw new StartError(
      database === 'postgres'
        ? 'the backup is of a PostgreSQL database; set DATABASE_URL to an empty one'
        : 'the backup is of the embedded SQLite database; unset DATABASE_URL',
    );
  const names = await namesToMove(config.dataDir, keepsVolumesOf(config.dataDir, manifest));
  const mounted = mountPointsIn(config.dataDir).find((name) => names.includes(name));
  if (mounted !== undefined)
    throw new StartError(
      `${join(config.dataDir, mounted)} is a mount point, which cannot be moved aside. Unmount it and restore; then ` +
        'move the restored files to that disk, and mount it again',
    );
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const { bavail, bsize } = await statfs(config.dataDir);
  if (bytes > bavail * bsize)
    throw new StartError(
      `the restore needs ${megabytes(bytes)} in ${config.dataDir}, and ${megabytes(bavail * bsize)} are free`,
    );
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

const keepsVolumesOf = (dataDir: string, { withVolumes }: Pick<Manifest, 'withVolumes'>): boolean =>
  !withVolumes && existsSync(join(dataDir, 'volumes'));

const namesToMove = async (dataDir: string, keepsVolumes: boolean): Promise<string[]> =>
  (await readdir(dataDir)).filter((name) => !isKept(name) && !(keepsVolumes && name === 'volumes'));

/** Moves the previous instance into a folder, from which it can be moved back. Volumes that the backup does not contain
 * stay: after a restore on the same machine, they are the only copy of the apps' data. */
async function moveAside(dataDir: string, suffix: string, keepsVolumes: boolean): Promise<string | undefined> {
  const names = await namesToMove(dataDir, keepsVolumes);
  if (!names.length) return undefined;
  const aside = join(dataDir, `.replaced-${suffix}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of names) await rename(join(dataDir, name), join(aside, name));
  syncFolder(dataDir);
  return aside;
}

/** Settings of this machine are not overwritten: those of the backup are put beside them. */
async function placeSettings(archived: string): Promise<string | null> {
  if (!existsSync(archived) || process.getuid?.() !== 0) return null;
  const isThere = existsSync(environmentFile);
  if (isThere && readFileSync(environmentFile).equals(readFileSync(archived))) return null;
  const target = isThere ? `${environmentFile}.restored` : environmentFile;
  await mkdir(dirname(target), { recursive: true });
  await rm(target, { force: true });
  await copyFile(archived, target);
  await chmod(target, 0o640);
  const { gid } = isThere ? await stat(environmentFile) : { gid: 0 };
  await chown(target, 0, gid);
  return target;
}
