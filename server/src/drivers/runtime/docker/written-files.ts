import type { WrittenFile } from '../runtime.ts';
import type { EngineClient } from './engine/client.ts';
import { goneOrGoing, undefinedIfGone } from './engine/errors.ts';

/** A changed path, as the engine reports it. */
export type ChangedPath = { Path: string; Kind: number };
type Container = { Id: string; Mounts?: readonly { Destination?: string | undefined }[] | null | undefined };
const added = 1;
const deleted = 2;
const mostQuestions = 20;
/** A Go file mode: the highest bit marks a folder. */
const folderBit = 2 ** 31;

/** Returns files that a container has added or changed in its own file system. Volumes are not included. */
export async function writtenFiles(
  engine: EngineClient,
  { Id, Mounts }: Container,
  listChanges = (path: string) => engine.json<ChangedPath[] | null>({ method: 'GET', path }),
): Promise<WrittenFile[]> {
  const changes =
    (await undefinedIfGone(listChanges(`/containers/${encodeURIComponent(Id)}/changes`), goneOrGoing)) ?? [];
  const kept = changes.filter(({ Kind }) => Kind !== deleted);
  const folders = new Set(kept.flatMap(({ Path }) => Path.slice(0, Path.lastIndexOf('/'))));
  const mounts = new Set((Mounts ?? []).map(({ Destination }) => Destination));
  const addedFolders = new Set(
    kept.filter(({ Path, Kind }) => Kind === added && folders.has(Path)).map((each) => each.Path),
  );
  const leaves = kept.filter(({ Path }) => !folders.has(Path) && !mounts.has(Path));
  // The engine does not mark folders. Check only when there are few files, where an empty folder would distort the
  // list.
  const isAsked = leaves.length <= mostQuestions;
  const files = await Promise.all(
    leaves.map(async ({ Path }) => (isAsked && (await isFolder(engine, Id, Path)) ? undefined : Path)),
  );
  return files
    .filter((each) => each !== undefined)
    .map((file) => ({ path: file, newFolder: parentsOf(file).find((each) => addedFolders.has(each)) ?? null }));
}

/** From the top down. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
}

async function isFolder(engine: EngineClient, id: string, path: string): Promise<boolean> {
  const call = { method: 'HEAD', path: `/containers/${id}/archive`, query: { path } } as const;
  const answer = await undefinedIfGone(engine.open(call), goneOrGoing);
  answer?.destroy();
  const stat = String(answer?.headers['x-docker-container-path-stat'] ?? '');
  if (!stat) return true;
  const { mode } = JSON.parse(Buffer.from(stat, 'base64').toString()) as { mode: number };
  return mode >= folderBit;
}
