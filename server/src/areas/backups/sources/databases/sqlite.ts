import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { type ArchiveEntry, readTar } from '../../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../../lib/archive/writer.ts';
import { sqliteCompanions } from '../../../../lib/sqlite-format.ts';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import type { DataVolume, ProjectData, ServiceHolds } from '../../../deployments/port.ts';
import { shortHashOf } from '../object-key-parts.ts';
import { BackupError, type RestoreOutcome, type RestoreTarget, type SourceCall } from '../source.ts';
import { spoolEntry } from '../spool-file.ts';
import { splitVolumePath } from '../volumes/paths.ts';
import { readSqlite } from '../volumes/read.ts';
import { scratchFolder } from '../volumes/restore.ts';
import { proveSqlite } from '../volumes/sqlite-files.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export const sqliteFile = 'database.sqlite';

type Where = { data: ProjectData; holds: ServiceHolds };
type File = { volume: DataVolume; path: string };

/** Finds the volume of `uploads/data/app.db`. */
export function requireSqliteFile({ volumes }: ProjectData, database: string | undefined): File {
  const volume = volumes.find(({ name }) => database?.startsWith(`${name}/`));
  const path = volume ? splitVolumePath(database!.slice(volume.name.length + 1)).join('/') : '';
  if (volume && path) return { volume, path };
  throw new BackupError('source_missing', `There is no SQLite database ${database ?? ''}`, 'Name it as volume/path.');
}

export const readSqliteSource = ({ data, holds }: Where, { volume, path }: File, call: SourceCall): Promise<string> =>
  readSqlite({ data, holds, volume }, path, call);

export async function restoreSqlite(
  { data, holds }: Where,
  { volume, path }: File,
  entries: AsyncIterable<ArchiveEntry>,
  target: RestoreTarget,
  call: SourceCall,
): Promise<RestoreOutcome> {
  const { jobId, signal, folder } = call;
  const file = await spoolEntry(entries, folder);
  const query = target.to === 'scratch' ? target.query : null;
  // A damaged file never replaces anything.
  const result = await proveSqlite(file, query, { signal }).catch((error: Error) => {
    const why = /Error: (.*)/.exec(error.message)?.[1] ?? 'it cannot be opened';
    throw new BackupError(
      'damaged_database',
      `The database is damaged or the query failed: ${why}`,
      'Use another backup.',
    );
  });
  const proof = { query: query ?? 'PRAGMA integrity_check, SELECT count(*) of each table', result };
  if (target.to === 'scratch') {
    const place = join(scratchFolder(data, jobId), shortHashOf(volume.name, path), basename(path));
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await copyFile(file, place);
    return { place: `the file ${place}`, proof };
  }
  const name = target.to === 'new' ? newPath(path, target.name) : path;
  const { parts, resting } = data;
  const hold = await holds.begin({ resting, parts, services: volume.services, jobId, how: 'stop' });
  try {
    if ('folder' in volume.place)
      await intoFolder(data, volume.place.folder, { path, name, file }, target.to === 'new');
    else await intoEngine(data, volume, { path, name, file }, target.to === 'new');
  } finally {
    await hold.end();
  }
  return { place: `${name} in the volume ${volume.name}`, proof };
}

function newPath(path: string, name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,100}$/.test(name))
    throw new BackupError(
      'bad_name',
      `${JSON.stringify(name)} is not a name for a file`,
      'Use letters, digits, . _ and -.',
    );
  return posix.join(posix.dirname(path), name);
}

type Placing = { path: string; name: string; file: string };

async function intoFolder(
  { parts, resting }: ProjectData,
  folder: string,
  { path, name, file }: Placing,
  isNew: boolean,
): Promise<void> {
  let held = await HeldFolder.open(folder);
  try {
    for (const each of posix
      .dirname(name)
      .split('/')
      .filter((part) => part !== '.')) {
      const inner = await held.enter(each);
      await held.close();
      if (!inner)
        throw new BackupError('folder_missing', `There is no folder ${posix.dirname(name)}`, 'Restore the volume.');
      held = inner;
    }
    const at = (ending = '') => held.at(`${posix.basename(name)}${ending}`);
    const now = await lstat(at()).catch(() => undefined);
    if (isNew && now) throw taken(name);
    const like = now ?? (await lstat(held.at(posix.basename(path))).catch(() => undefined));
    const user = like ?? (await parts.userOf(resting.row.projectId));
    const draft = held.at(`.${posix.basename(name)}.restore`);
    await rm(draft, { force: true });
    // Never through a link: the folder belongs to the app.
    const copy = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for await (const chunk of createReadStream(file)) await copy.writeFile(chunk as Buffer);
      await copy.chmod((like?.mode ?? 0o600) & 0o777);
      if (user && process.getuid?.() === 0) await copy.chown(user.uid, user.gid);
    } finally {
      await copy.close();
    }
    // The log of the old database must not be applied to the new one.
    for (const ending of sqliteCompanions) await rm(at(ending), { force: true });
    await rename(draft, at());
  } finally {
    await held.close();
  }
}

/** An engine cannot delete files; an empty log or journal counts as none. */
async function intoEngine(
  { parts, services }: ProjectData,
  volume: DataVolume,
  { path, name, file }: Placing,
  isNew: boolean,
): Promise<void> {
  const containers = parts.containers!.services;
  const engineId = 'engineId' in volume.place ? volume.place.engineId : '';
  const user = services.find((each) => volume.services.includes(each.name));
  const container = user && { deploymentId: user.deploymentId, service: user.name };
  const mount = container && (await containers.data.inspect(container))?.volumes.find(({ id }) => id === engineId);
  if (!mount) throw new BackupError('not_mounted', `No service mounts the volume ${volume.name}`, 'Deploy it first.');
  const factsAt = async (at: string) => {
    const tar = await containers.readVolume(engineId, at);
    try {
      if (tar) for await (const { owner, mode } of readTar(tar, { withoutDevices: true })) return { owner, mode };
      return undefined;
    } finally {
      tar?.destroy();
    }
  };
  const now = await factsAt(name);
  if (isNew && now) throw taken(name);
  const { owner, mode } = now ?? (await factsAt(path)) ?? { owner: { uid: 0, gid: 0 }, mode: 0o600 };
  const { size } = await lstat(file);
  const entry = (ending: string): WrittenEntry => ({
    path: `${posix.basename(name)}${ending}`,
    type: 'file',
    mode: mode & 0o777,
    owner,
    modifiedMs: Date.now(),
    target: '',
    size: ending ? 0 : size,
    content: ending ? nothing : () => createReadStream(file),
  });
  const stale: string[] = [];
  for (const ending of sqliteCompanions) if (await factsAt(`${name}${ending}`)) stale.push(ending);
  await containers.data.writeFiles(
    container!,
    posix.join(mount.path, posix.dirname(name)),
    (async function* () {
      for (const ending of stale) yield entry(ending);
      yield entry('');
    })(),
  );
}

async function* nothing(): AsyncGenerator<never> {}

const taken = (name: string): BackupError =>
  new BackupError('name_taken', `The file ${name} already exists`, 'Choose another name.');
