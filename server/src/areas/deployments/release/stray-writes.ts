import { lstat } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Db, inTransaction } from '../../../db/database.ts';
import type { WrittenFile } from '../../../drivers/runtime/runtime.ts';
import { appendEvents } from '../../../events/event-log.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { isInOrAt } from '../model/single-replica.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { isSiteState, type ServiceState } from '../model/stack.ts';
import { readLogLine } from '../model/stored.ts';
import type { DeploymentRow } from '../model/store.ts';

/** Files that a release wrote outside its volumes, by folder. */
export interface WrittenFolder {
  path: string;
  files: number;
  /** Name of one of the files. */
  example: string;
}

const mostShown = 3;
const mostEntries = 50_000;

/** Disposable files: caches, sockets and the like. */
const disposable = [
  'tmp',
  '.tmp',
  'cache',
  '.cache',
  '.config',
  '.local',
  '.npm',
  '.next',
  '.nuxt',
  '__pycache__',
  'node_modules',
  '.git',
];
const disposableEnding = /\.(pid|sock|pyc|lock)$/;
/** Paths that the engine or the image itself writes at each start of a container. */
const ofTheSystem = /^\/((etc|dev|proc|sys|run|var\/(run|lock|log))\/|(usr\/)?sbin\/docker-init$)/;

const isDisposable = (path: string): boolean =>
  ofTheSystem.test(path) ||
  disposableEnding.test(path) ||
  path.split('/').some((name) => disposable.includes(name) || name.startsWith('.mooring-'));

/** Returns the files of one service that will be lost with the release, by folder, most files first. */
export async function strayWrites(
  { containers, folders }: Parts,
  { row, config }: { row: DeploymentRow; config: DeploymentConfig },
  state: ServiceState,
): Promise<WrittenFolder[]> {
  if (state.runsOf === null || isSiteState(state)) return [];
  const files = state.folder
    ? await writtenSince(
        posix.join(folders.release(row.artifactId), config.rootDirectory),
        row.buildFinishedAt ?? row.createdAt,
      )
    : ((await containers?.services.writtenFiles(state.runsOf, state.name)) ?? []);
  return lastingFiles(files);
}

/** Returns the files that are not disposable, by folder, most files first. */
export const lastingFiles = (files: readonly WrittenFile[]): WrittenFolder[] =>
  byFolder(files.filter(({ path }) => !isDisposable(path)));

export function byFolder(files: readonly WrittenFile[]): WrittenFolder[] {
  const groups = Map.groupBy(files, ({ path, newFolder }) => newFolder ?? posix.dirname(path));
  return [...groups]
    .map(([path, inside]) => ({ path, files: inside.length, example: posix.basename(inside[0]!.path) }))
    .toSorted((a, b) => b.files - a.files);
}

/** Finds files that changed since then. The app may swap folders for links meanwhile, so links are not followed. */
async function writtenSince(root: string, since: number): Promise<WrittenFile[]> {
  const found: WrittenFile[] = [];
  let left = mostEntries;
  const walk = async (folder: HeldFolder, at: string, newFolder: string | null): Promise<void> => {
    for (const entry of await folder.entries()) {
      if (--left < 0) return;
      const path = posix.join(at, entry.name);
      if (isDisposable(path)) continue;
      const stat = await lstat(folder.at(entry.name)).catch(ifUnreadable);
      if (stat?.isFile() && stat.mtimeMs > since) found.push({ path, newFolder });
      const inner = stat?.isDirectory() ? await folder.enter(entry.name).catch(ifUnreadable) : undefined;
      if (!stat || !inner) continue;
      try {
        await walk(inner, path, newFolder ?? (stat.birthtimeMs > since ? path : null));
      } finally {
        await inner.close();
      }
    }
  };
  const top = await HeldFolder.open(root).catch(ifUnreadable);
  if (!top) return [];
  try {
    await walk(top, '', null);
  } finally {
    await top.close();
  }
  return found;
}

/** The file was deleted meanwhile, or the app has restricted it. */
function ifUnreadable(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'EACCES'].includes(error.code ?? '')) throw error;
}

/** Formats as `12 files under uploads and 1 file (app.db) in the app's folder`. */
function named(folders: readonly WrittenFolder[]): string {
  const parts = folders.slice(0, mostShown).map(({ path, files, example }) => {
    const place = path === '.' ? "in the app's folder" : `under ${path}`;
    return files === 1 ? `1 file (${example}) ${place}` : `${files} files ${place}`;
  });
  const others = folders.slice(mostShown).reduce((sum, { files }) => sum + files, 0);
  if (others) parts.push(`${others} elsewhere`);
  const last = parts.pop()!;
  return parts.length ? `${parts.join(', ')} and ${last}` : last;
}

/** The app chose the name and people paste the command, so only harmless characters are allowed. */
const canBeVolume = ({ path }: WrittenFolder): boolean => path !== '.' && /^[\w./@-]+$/.test(path) && path !== '/';

/** Suggests the command for the first folder that a volume can be mounted at. */
function advice(folders: readonly WrittenFolder[], slug: string, service: string | null): string {
  const folder = folders.find(canBeVolume);
  if (!folder) return 'Let the app write to a folder of its own, and add a volume there: docs/guides/volumes.md.';
  const name =
    posix
      .basename(folder.path)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'data';
  const command = `mooring volume add ${slug} ${name} ${folder.path}${service ? ` --service ${service}` : ''}`;
  // A process restarted from the same build still has the files; a new container does not.
  return posix.isAbsolute(folder.path)
    ? `Add a volume for the files to come: ${command}`
    : `Add a volume, and keep them: ${command} --apply`;
}

type Stray = { folders: WrittenFolder[]; slug: string; service: string | null };

const lost = 'will be lost with the next deployment';

export const willBeLost = ({ folders, slug, service }: Stray): string =>
  `${named(folders)} ${lost}. ${advice(folders, slug, service)}`;

/** Whether the warning is about the release's own files. */
export const isOfRelease = (line: string): boolean => line.includes(lost);

export const wereLost = ({ folders }: Stray): string =>
  `${named(folders)} stayed behind when the next deployment replaced this release.`;

/** About files of a container that existed before Mooring. */
export const wroteOutside = (folders: readonly WrittenFolder[]): string =>
  `wrote ${named(folders)}, outside its volumes`;

export const staysInOriginal =
  'Such files stay in the original container, and the new one starts without them: copy them with docker cp before you confirm the cut-over, and add a volume';

/** `mounted`: paths of the volumes that this release has. */
export function notTakenOver({ folders, slug, service }: Stray, mounted: readonly string[]): string {
  const unkept = folders.filter(({ path }) => !isKept(path, mounted));
  const how = unkept.length ? ` ${advice(unkept, slug, service)}` : '';
  return `The previous release wrote ${named(folders)}, which this release does not have.${how}`;
}

/** A relative path is inside the folder of the app: `uploads` is `/app/uploads` of a container. */
const isKept = (path: string, mounted: readonly string[]): boolean =>
  mounted.some((volume) => isInOrAt(path, volume) || `${path}/`.includes(`/${volume}/`) || volume.endsWith(`/${path}`));

type Mounted = { path: string; service: string | null };

/** Replaces the advice to add a volume if there is one by now. The files themselves are still lost. */
export function withVolumeAdvice(volumes: readonly Mounted[], { line, folders = [], service }: StoredWarning): string {
  const folder = isOfRelease(line) ? folders.find(canBeVolume) : undefined;
  const own = volumes.filter((each) => service === null || each.service === null || each.service === service);
  const paths = own.map(({ path }) => path);
  if (!folder || !isKept(folder.path, paths)) return line;
  const files = line.slice(0, line.indexOf(lost) + lost.length);
  const how = posix.isAbsolute(folder.path) ? '' : ' To keep the files, redeploy with --same-build.';
  return `${files}. The volume for ${folder.path} is mounted from then on.${how}`;
}

/** Appends a warning to a finished deployment, after its last event. */
export async function addWarning(db: Db, id: string, line: string, { folders, service }: Stray): Promise<void> {
  const data = { line, level: 'warn', step: null, stream: 'stdout', service, folders: folders.slice(0, 20) };
  await inTransaction(db, (trx) => appendEvents(trx, id, [{ type: 'warning', at: Date.now(), data }]));
}

export type StoredWarning = { at: number; line: string; service: string | null; folders?: WrittenFolder[] | undefined };

export async function selectWarnings(db: Db, deploymentId: string): Promise<StoredWarning[]> {
  const rows = await db
    .selectFrom('deployment_events')
    .select(['at', 'data'])
    .where('deploymentId', '=', deploymentId)
    .where('type', '=', 'warning')
    .orderBy('seq')
    .execute();
  return rows.map(({ at, data }) => ({ at, ...readLogLine(data) }));
}
