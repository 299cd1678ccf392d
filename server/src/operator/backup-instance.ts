import { chownSync, createReadStream, existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { type Database, isDiskFull } from '../db/database.ts';
import { appliedMigrations } from '../db/migrate.ts';
import { StartError } from '../errors.ts';
import type { AgeIdentity } from '../lib/archive/age-keys.ts';
import { lockFile } from '../lib/lock-file.ts';
import { syncFolder } from '../lib/replace-file.ts';
import { removeTree } from '../lib/remove-tree.ts';
import type { Sealer } from '../lib/seal.ts';
import { version } from '../version.ts';
import { backupName, keepNewest } from './backup-files.ts';
import { ensureBackupKey } from './backup-key.ts';
import { backupSources, sourceBytes } from './backup-parts.ts';
import { missingFilesText, recordInstanceBackup } from '../areas/backups/instance/state.ts';
import { copyDatabase, digestOfFile } from './database-copy.ts';
import { archiveFormat, type Manifest, backupPartOf, type Sums } from './manifest.ts';
import { readArchive } from './read-archive.ts';
import { type ArchiveSource, writeArchive } from './write-archive.ts';

export type InstanceBackupDeps = {
  config: Config;
  database: Database;
  sealer: Sealer;
  instanceId: string;
  warn: (message: string) => void;
};

export type BackupOptions = {
  /** File or folder; the folder of nightly backups by default. */
  to?: string | undefined;
  /** Backup destination of the instance owner. */
  destination?: string | undefined;
  /** Whether the backup stays here too when it goes to a destination. */
  keepsFile?: boolean;
  withVolumes: boolean;
  /** Number of backups to keep there; all by default. */
  keep?: number;
};

export type MadeBackup = {
  /** The file, or the destination with the object's key. */
  place: string;
  bytes: number;
  parts: Sums['parts'];
  /** Files that could not be archived. */
  skipped: string[];
  isNewKey: boolean;
};

export const nightlyFolder = ({ dataDir, instanceBackup }: Pick<Config, 'dataDir' | 'instanceBackup'>): string =>
  instanceBackup === 'off' || instanceBackup === undefined ? join(dataDir, 'backups', 'instance') : instanceBackup;

/** Backs up the instance while it runs, and records the outcome for the instance owner. */
export async function backupInstance(deps: InstanceBackupDeps, options: BackupOptions): Promise<MadeBackup> {
  const { config, database } = deps;
  const lock = lockFile(join(config.dataDir, 'backup.lock'), () => new StartError('another backup is running'));
  // An older service may use the database.
  const isRecorded = (await appliedMigrations(database.db)).includes('0036-incomplete-backups');
  try {
    const made = await makeBackup(deps, options);
    if (isRecorded)
      await recordInstanceBackup(database.db, {
        place: made.place,
        bytes: made.bytes,
        lacks: missingFilesText(made.skipped),
      });
    return made;
  } catch (error) {
    const reason = isDiskFull(error)
      ? new StartError('the disk is full; nothing was written', { cause: error })
      : error;
    if (isRecorded) await recordInstanceBackup(database.db, { error: (reason as Error).message });
    throw reason;
  } finally {
    lock.release();
  }
}

async function makeBackup(deps: InstanceBackupDeps, options: BackupOptions): Promise<MadeBackup> {
  const { config, instanceId } = deps;
  const { identity, isNew: isNewKey } = ensureBackupKey(config.dataDir);
  // Leftovers of a killed backup are removed with it.
  const work = join(config.dataDir, 'backups', '.instance-backup');
  await removeTree(work);
  await makeOwnFolder(config.dataDir, work);
  const name = backupName(instanceId, new Date());
  const { file, isOurs } = await fileFor(config, options, name, work);
  try {
    const made = await writeVerified(deps, options, { file, work, identity });
    if (isOurs) ownAs(config.dataDir, file);
    if (options.keep !== undefined && dirname(file) !== work) await keepNewest(dirname(file), instanceId, options.keep);
    const place = options.destination ? await send(deps, options, file) : file;
    return { place, bytes: (await stat(file)).size, ...made, isNewKey };
  } finally {
    await removeTree(work);
  }
}

async function send(
  deps: InstanceBackupDeps,
  { destination = '', keep }: BackupOptions,
  file: string,
): Promise<string> {
  const { db } = deps.database;
  const { sendToDestination } = await import('./instance-destination.ts');
  const key = await sendToDestination({ ...deps, db }, destination, file, { instanceId: deps.instanceId, keep });
  return `${destination}: ${key}`;
}

/** Returns the final name, which must be free. A backup for a destination is made here first, and sent whole. */
async function fileFor(config: Config, { to, destination, keepsFile }: BackupOptions, name: string, work: string) {
  if (destination && !keepsFile) return { file: join(work, name), isOurs: true };
  const folder = nightlyFolder(config);
  if (to === undefined) {
    await makeOwnFolder(config.dataDir, folder);
    await removeParts(folder);
    return { file: join(folder, name), isOurs: true };
  }
  const path = resolve(to);
  const file = (await isFolder(path)) ? join(path, name) : path;
  if (existsSync(file)) throw new StartError(`${file} exists already`);
  if (!(await isFolder(dirname(file)))) throw new StartError(`there is no folder ${dirname(file)}`);
  return { file, isOurs: false };
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

type Target = { file: string; work: string; identity: AgeIdentity };

/** The archive gets its name only after it was read back, decrypted and compared with what was written. */
async function writeVerified(
  deps: InstanceBackupDeps,
  { withVolumes }: BackupOptions,
  { file, work, identity }: Target,
) {
  const { config, database } = deps;
  const part = `${file}.${randomBytes(6).toString('hex')}.part`;
  const skipped: string[] = [];
  const onSkipped = (path: string, why: string) => void skipped.push(`${path}: ${why}`);
  try {
    // The database first: files that it names are there until a deployment after it removes them.
    const copied = await copyDatabase(config, database, work);
    const sources = [copied, ...(await backupSources(config, work, { withVolumes }))];
    const manifest = await manifestOf(deps, sources, { copied, withVolumes });
    const written = await writeArchive(part, { manifest, sources, recipient: identity.recipient, onSkipped });
    const { sums } = await readArchive(createReadStream(part, { highWaterMark: 1_048_576 }), identity);
    if (!isDeepStrictEqual(sums, written)) throw new StartError(`${file} came back with other bytes than were written`);
    await rename(part, file);
    syncFolder(dirname(file));
    return { parts: sums.parts, skipped };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function manifestOf(
  { config, database, instanceId }: InstanceBackupDeps,
  sources: ArchiveSource[],
  { copied, withVolumes }: { copied: ArchiveSource; withVolumes: boolean },
): Promise<Manifest> {
  const bytes = new Map<string, number>();
  for (const source of sources) {
    const name = backupPartOf(source.inArchive);
    bytes.set(name, (bytes.get(name) ?? 0) + (await sourceBytes(source)));
  }
  const { sha256 } = await digestOfFile(copied.path);
  const { uid, gid } = statSync(config.dataDir);
  const { keyCheck } = await database.db.selectFrom('instance').select('keyCheck').executeTakeFirstOrThrow();
  return {
    format: archiveFormat,
    mooring: version,
    instanceId,
    database: database.kind,
    schema: (await appliedMigrations(database.db)).at(-1)!,
    createdAt: new Date().toISOString(),
    dataDir: config.dataDir,
    owner: { uid, gid },
    withVolumes,
    keyCheck: keyCheck!,
    parts: [...bytes].map(([name, size]) => ({ name, bytes: size, ...(name === 'database' && { sha256 }) })),
  };
}

/** Removes what killed backups left in a folder of ours. Only one backup runs at a time. */
async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/\.tar\.zst\.age\.[0-9a-f]{12}\.part$/.test(name)) await rm(join(folder, name));
}

async function makeOwnFolder(dataDir: string, path: string): Promise<void> {
  if (existsSync(path)) return;
  if (basename(dirname(path)) && !existsSync(dirname(path))) await makeOwnFolder(dataDir, dirname(path));
  await mkdir(path, { mode: 0o700 });
  ownAs(dataDir, path);
}

/** A command run by root must not leave files that the service's user cannot use. */
function ownAs(dataDir: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  chownSync(path, uid, gid);
}
