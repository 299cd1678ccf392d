import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../../db/database.ts';
import { EngineAwayError, VolumeInUseError } from '../../../../drivers/runtime/errors.ts';
import { type ArchiveEntry, readTar } from '../../../../lib/archive/reader.ts';
import { writeTar } from '../../../../lib/archive/writer.ts';
import { passableFolder } from '../../../../lib/passable-folder.ts';
import { removeTree } from '../../../../lib/remove-tree.ts';
import {
  type DataVolume,
  edgeKey,
  keepUnmountedVolume,
  type ProjectData,
  type ServiceHolds,
} from '../../../deployments/port.ts';
import { claimName } from '../restore-names.ts';
import { shortHashOf } from '../object-key-parts.ts';
import { BackupError, type DataOwner, type RestoreOutcome, type RestoreTarget, type SourceCall } from '../source.ts';
import { extractInto } from './extract.ts';
import { checkedEntries, counted } from './paths.ts';
import { proveSqlite, sqliteFilesIn } from './sqlite-files.ts';

const mostFills = 3;
const awayMs = 600_000;
const betweenTriesMs = 3_000;
const volumeName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;

type Restoring = { db: Db; holds: ServiceHolds; owner: DataOwner; data: ProjectData; volume: DataVolume };
type Sum = { files: number; bytes: number };

export async function restoreVolume(
  restoring: Restoring,
  entries: AsyncIterable<ArchiveEntry>,
  target: Exclude<RestoreTarget, { to: 'scratch' }>,
  call: SourceCall,
): Promise<RestoreOutcome> {
  const sum = { files: 0, bytes: 0 };
  const content = counted(checkedEntries(entries), sum);
  const { volume } = restoring;
  if (target.to === 'new') {
    await asNewVolume(restoring, content, target.name, call);
    return { place: `the volume ${target.name}`, proof: proofOf(sum) };
  }
  const { place } = volume;
  if ('folder' in place) await replaceFolder(restoring, place.folder, content, call);
  else await replaceInEngine(restoring, place.engineId, content, call);
  return { place: `the volume ${volume.name}`, proof: proofOf(sum) };
}

const proofOf = ({ files, bytes }: Sum) => ({
  query: 'files and bytes',
  result: `${files} ${files === 1 ? 'file' : 'files'}, ${bytes} bytes`,
});

type Content = ReturnType<typeof checkedEntries>;

/** Extracts beside the volume and renames: a crash leaves the old content or the new one. */
async function replaceFolder(
  { data, volume, holds }: Restoring,
  folder: string,
  content: Content,
  { jobId, say }: SourceCall,
): Promise<void> {
  const { parts, resting } = data;
  const [fresh, aside] = ['restore', 'replaced'].map((what) =>
    join(dirname(folder), `.${what}-${shortHashOf(jobId, volume.name)}`),
  ) as [string, string];
  const user = await parts.userOf(resting.row.projectId);
  await removeTree(fresh);
  try {
    await extractInto(fresh, content, { owner: user ?? undefined });
    const hold = await holds.begin({ resting, parts, services: volume.services, jobId, how: 'stop' });
    try {
      say(`Replacing the volume ${volume.name}`);
      await hold.note({ replacing: { folder, aside } });
      if (existsSync(folder)) {
        await removeTree(aside);
        await rename(folder, aside);
      }
      await rename(fresh, folder);
      await hold.note({ replacing: null });
    } finally {
      await hold.end();
    }
  } finally {
    await removeTree(fresh);
  }
  await removeTree(aside);
}

/** The archive is copied to this machine first, so that the volume is cleared only once the archive is known to be
 * whole. */
async function replaceInEngine(
  { data, volume, holds }: Restoring,
  engineId: string,
  content: Content,
  { jobId, folder, say, signal }: SourceCall,
): Promise<void> {
  const { parts, resting } = data;
  const engine = parts.containers!.services.data;
  const definition = volume.definition ?? (await engine.volumeDefinition(engineId));
  if (!definition) throw new BackupError('volume_missing', `The volume ${volume.name} does not exist`, 'Deploy first.');
  const tar = await spooled(content, folder);
  const hold = await holds.begin({ resting, parts, services: volume.services, jobId, how: 'stop' });
  try {
    say(`Replacing the volume ${volume.name}`);
    // From here on a crash leaves a volume that is not whole, and its services must not start with it.
    const { definition: _, ...known } = { ...volume, place: { engineId } };
    await hold.note({ incomplete: { volume: known, definition } });
    const giveUp = Date.now() + awayMs;
    for (let [fills, isUntouched] = [1, !volume.definition]; ; isUntouched = false)
      try {
        await engine.refillVolume(definition, entriesIn(tar));
        break;
      } catch (error) {
        // Nothing was changed, unless an earlier attempt has cleared the volume.
        if (error instanceof VolumeInUseError && isUntouched) {
          await hold.note({ incomplete: null });
          throw new BackupError('volume_in_use', error.message, 'Stop the container that uses it, then restore again.');
        }
        // The services need this volume: they wait for an engine that is away.
        const isAway = error instanceof EngineAwayError && Date.now() < giveUp && !signal.aborted;
        if (isAway) say(`${error.message}; trying again`);
        if (isAway) await sleep(betweenTriesMs);
        else if (fills++ === mostFills) throw incompleteVolume(volume.name, error);
      }
    await hold.note({ incomplete: null });
  } finally {
    await hold.end();
  }
}

export const incompleteVolume = (name: string, cause?: unknown): BackupError =>
  new BackupError(
    'restore_incomplete',
    `The volume ${name} was not restored completely${cause ? `: ${(cause as Error).message}` : ''}`,
    'The services that mount it stay stopped. Restore the backup again.',
    { cause },
  );

/** Yields the entries of a tar on this machine. */
export const entriesIn = (file: string): Content => checkedEntries(readTar(createReadStream(file)));

async function spooled(content: Content, folder: string): Promise<string> {
  const tar = join(folder, 'restore.tar');
  const stream = Readable.from(writeTar(content), { objectMode: false });
  await pipeline(stream, createWriteStream(tar, { mode: 0o600 }));
  return tar;
}

async function asNewVolume(
  { db, owner, data, volume }: Restoring,
  content: Content,
  name: string,
  { jobId, folder }: SourceCall,
): Promise<void> {
  if (!volumeName.test(name))
    throw new BackupError(
      'bad_name',
      `${JSON.stringify(name)} is not a name for a volume`,
      'Use letters, digits, . _ and -.',
    );
  const { parts, resting } = data;
  const { projectId, environment } = owner;
  const target = parts.folders.volume(projectId, environment, name);
  const above = dirname(target);
  await passableFolders(above);
  const stack = edgeKey(resting.row);
  const inEngine = (await parts.containers?.services.volumes({ stack }))?.find((each) => each.name === name);
  const isTaken = data.volumes.some((each) => each.name === name) || inEngine !== undefined || existsSync(target);
  await claimName(data, { jobId, what: 'volume', name, isTaken });
  if ('folder' in volume.place) {
    const user = await parts.userOf(projectId);
    const fresh = join(above, `.restore-${shortHashOf(jobId, volume.name)}`);
    await removeTree(fresh);
    try {
      await extractInto(fresh, content, { owner: user ?? undefined });
      await removeTree(target);
      await rename(fresh, target);
    } finally {
      await removeTree(fresh);
    }
  } else {
    const tar = await spooled(content, folder);
    const { services } = parts.containers!;
    if (inEngine) await services.removeVolume(inEngine.id);
    const { organizationId, id: deploymentId, fence } = resting.row;
    const by = { instanceId: parts.instanceId, organizationId, projectId, deploymentId, service: 'app', fence };
    await services.makeVolume(by, stack, name, entriesIn(tar));
  }
  const service = volume.services.length === 1 ? volume.services[0]! : volume.service;
  await keepUnmountedVolume({ db }, owner, { name, path: volume.path ?? name, service });
}

async function passableFolders(environment: string): Promise<void> {
  for (const each of [dirname(dirname(environment)), dirname(environment), environment]) await passableFolder(each);
}

/** Folder of everything that a job restores to look at. */
export const scratchFolder = ({ parts }: Pick<ProjectData, 'parts'>, jobId: string): string =>
  join(parts.folders.dataDir, 'scratch', shortHashOf(jobId));

/** Restores a volume to look at. A query is for its only SQLite database. */
export async function volumeInScratch(
  parts: ProjectData['parts'],
  name: string,
  entries: AsyncIterable<ArchiveEntry>,
  wanted: string | null,
  { jobId, signal }: SourceCall,
): Promise<RestoreOutcome> {
  const sum = { files: 0, bytes: 0 };
  const content = counted(checkedEntries(entries), sum);
  const target = join(scratchFolder({ parts }, jobId), shortHashOf(name));
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await removeTree(target);
  await extractInto(target, content);
  const lines: string[] = [];
  const paths: string[] = [];
  for await (const path of sqliteFilesIn(target)) paths.push(path);
  const asked = paths.length === 1 ? wanted : null;
  for (const path of paths) {
    const rows = await proveSqlite(join(target, path), asked, { signal }).catch((error: Error) => {
      const why =
        error.message
          .trim()
          .split('\n')
          .find((line) => line.startsWith('Error:')) ?? 'it cannot be opened';
      const what = asked === null ? 'is damaged' : 'is damaged, or the query failed';
      throw new BackupError('damaged_database', `${path} ${what}: ${why}`, 'Use an older backup.', { cause: error });
    });
    lines.push(`${basename(path)}: integrity_check ok, ${rows.split('\n').join(', ') || 'no tables'}`);
  }
  const { query, result } = proofOf(sum);
  return {
    place: `the folder ${target}`,
    proof: {
      query: [query, ...(lines.length ? ['PRAGMA integrity_check'] : []), ...(asked ? [asked] : [])].join(', '),
      result: [result, ...lines].join('\n'),
    },
  };
}
