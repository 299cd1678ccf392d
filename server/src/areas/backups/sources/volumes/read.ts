import { constants, createWriteStream, existsSync } from 'node:fs';
import { copyFile, lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readTar } from '../../../../lib/archive/reader.ts';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import { removeTree } from '../../../../lib/remove-tree.ts';
import type { DataVolume, ProjectData, ServiceHolds } from '../../../deployments/port.ts';
import { sqliteCompanions } from '../../../../lib/sqlite-format.ts';
import { BackupError, type Consistency, type ArchiveContent, type PackContent, type SourceCall } from '../source.ts';
import { shortHashOf } from '../object-key-parts.ts';
import { addVolume } from './engine-content.ts';
import { addFolder } from './folder-content.ts';
import { backUpSqlite, checkpointSqlite } from './sqlite-files.ts';

type Reading = { data: ProjectData; volume: DataVolume; holds: ServiceHolds };

/** What is common to all ways to add a volume to an archive. */
export type VolumePacking = {
  /** Nothing can change meanwhile. */
  isQuiet: boolean;
  /** Returns a consistent copy of a SQLite database; undefined if it has disappeared. */
  copySqlite: (path: string) => Promise<string | undefined>;
  say: (line: string) => void;
};

const mostReads = 3;

/** Packs a volume. */
export async function readVolume(
  { data, volume, holds }: Reading,
  { consistency, ...call }: SourceCall & { consistency: Consistency },
  pack: PackContent,
): Promise<void> {
  const { name, place, services } = volume;
  const pausing = { data, holds, services, jobId: call.jobId };
  const isQuiet = consistency === 'pause';
  const pause = isQuiet ? <T>(task: () => Promise<T>) => task() : <T>(task: () => Promise<T>) => paused(pausing, task);
  const copySqlite = (path: string) => copyOfSqlite({ data, volume, pause }, path, call);
  const filling = { isQuiet, copySqlite, say: call.say };
  const open = (engineId: string) => data.parts.containers!.services.readVolume(engineId, '');
  const read = () =>
    packUnchanged(`the volume ${name}`, filling, pack, (content) =>
      'folder' in place
        ? addFolder(place.folder, content, filling)
        : addVolume(() => open(place.engineId), content, filling),
    );
  return isQuiet ? paused(pausing, read) : read();
}

/** Packs until nothing changed during a read. `add` returns what changed. */
export async function packUnchanged(
  what: string,
  { say }: Pick<VolumePacking, 'say'>,
  pack: PackContent,
  add: (content: ArchiveContent) => Promise<string[]>,
): Promise<void> {
  for (let reads = 1; ; reads++) {
    let changed: string[] = [];
    await pack(async (content) => void (changed = await add(content)));
    if (!changed.length) return;
    const names = changed.map((path) => JSON.stringify(path)).join(', ');
    if (reads === mostReads)
      throw new BackupError(
        'changed_while_read',
        `Files of ${what} changed during each of ${mostReads} reads: ${names}`,
        'Set the consistency of the policy to pause, or run the backup when the app is idle.',
      );
    say(`${names} changed while ${what} was read; reading it again`);
  }
}

async function paused<T>(
  { data, holds, services, jobId }: { data: ProjectData; holds: ServiceHolds; services: string[]; jobId: string },
  task: () => Promise<T>,
): Promise<T> {
  const { resting, parts } = data;
  const hold = await holds.begin({ resting, parts, services, jobId, how: 'pause' });
  try {
    return await task();
  } finally {
    await hold.end();
  }
}

type Copying = Omit<Reading, 'holds'> & { pause: <T>(task: () => Promise<T>) => Promise<T> };

/** Copies one SQLite database of a volume; returns the path of the copy. */
export async function readSqlite({ data, volume, holds }: Reading, path: string, call: SourceCall): Promise<string> {
  const pausing = { data, holds, services: volume.services, jobId: call.jobId };
  const copy = await copyOfSqlite({ data, volume, pause: (task) => paused(pausing, task) }, path, call);
  if (copy !== undefined) return copy;
  const message = `The SQLite database ${path} is no longer in the volume ${volume.name}`;
  throw new BackupError('source_missing', message, 'Remove it from the policy.');
}

/** Copies a SQLite database as of one moment, and applies its log. */
async function copyOfSqlite(
  { data, volume, pause }: Copying,
  path: string,
  call: SourceCall,
): Promise<string | undefined> {
  const { signal, folder, say } = call;
  const { parts, resting } = data;
  const { place } = volume;
  const copy = join(folder, `sqlite-${shortHashOf(volume.name, path)}`);
  if ('folder' in place) {
    const user = await parts.userOf(resting.row.projectId);
    // Beside the volume, where the user of the app can write.
    const draft = join(dirname(place.folder), `.sqlite-${shortHashOf(call.jobId, volume.name, path)}`);
    await removeTree(draft);
    try {
      await backUpSqlite(join(place.folder, path), join(draft, 'database'), { user, signal });
      await copyFromFolder(draft, 'database', copy);
      return copy;
    } catch (error) {
      signal.throwIfAborted();
      say(`SQLite cannot copy ${JSON.stringify(path)} while it is in use: ${(error as Error).message.slice(-200)}`);
    } finally {
      await removeTree(draft);
    }
  }
  for (const ending of ['', ...sqliteCompanions]) await rm(`${copy}${ending}`, { force: true });
  // Frozen in the middle of a write, the files are as after a power failure, which SQLite recovers from.
  await pause(async () => {
    for (const ending of ['', ...sqliteCompanions.filter((each) => each !== '-shm')])
      if ('folder' in place) await copyFromFolder(place.folder, `${path}${ending}`, `${copy}${ending}`);
      else await copyFromEngine(data, place.engineId, `${path}${ending}`, `${copy}${ending}`);
  });
  // SQLite would create it.
  if (!existsSync(copy)) return undefined;
  const verdict = await checkpointSqlite(copy, { signal }).catch((error: Error) => error.message.slice(-200));
  if (verdict !== 'ok')
    say(`${JSON.stringify(path)} is a damaged SQLite database and is backed up as it is: ${verdict}`);
  return copy;
}

async function copyFromFolder(folder: string, path: string, to: string): Promise<void> {
  const names = path.split('/');
  const name = names.pop()!;
  let held = await HeldFolder.open(folder);
  for (const each of names) {
    const inner = await held.enter(each);
    await held.close();
    if (!inner) return;
    held = inner;
  }
  try {
    const found = await lstat(held.at(name)).catch(() => undefined);
    if (!found?.isFile()) return;
    const file = await open(held.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if ((await file.stat()).isFile()) await copyFile(`/proc/self/fd/${file.fd}`, to, constants.COPYFILE_FICLONE);
    } finally {
      await file.close();
    }
  } finally {
    await held.close();
  }
}

async function copyFromEngine({ parts }: ProjectData, engineId: string, path: string, to: string): Promise<void> {
  const tar = await parts.containers!.services.readVolume(engineId, path);
  if (!tar) return;
  try {
    for await (const entry of readTar(tar, { withoutDevices: true })) {
      if (entry.type !== 'file')
        throw new BackupError('changed_while_read', `${path} is no longer a file`, 'Try again.');
      await pipeline(entry.body(), createWriteStream(to, { mode: 0o600 }));
    }
  } finally {
    tar.destroy();
  }
}
