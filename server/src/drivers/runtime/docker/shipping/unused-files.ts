import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import type { VolumeInfo } from '../engine/types.ts';
import { instanceLabel } from '../labels.ts';

export const filesPrefix = 'mooring-files-';
/** On a volume: the tree below our folder that it holds. */
export const filesLabel = 'mooring.files';

/** Records the last content of a volume. */
export const shippedNotePath = (root: string, volume: string): string => join(root, 'shipped', volume);

/** The name becomes part of a local path, and a remote engine is not trusted. */
const isNameOfOurs = (volume: string): boolean => /^mooring-files-[\w-]+$/.test(volume);
/** Rejects keys outside our folder. */
const isTree = (key: string): boolean => key.startsWith('contents/') && posix.normalize(key) === key;

/** Returns the volume that a path on the other server belongs to, by the engine's layout. */
export const volumeIn = (path: string): string | undefined => /\/(mooring-files-[\w-]+)\//.exec(path)?.[1];

type Listed = { Mounts: { Source?: string }[] | null };

/** Removes immutable trees that are no longer kept here, since no release can return to them. Writable folders are
 * data and stay until a user removes them. Containers mount by path, so the engine does not track the use of these
 * volumes: all containers are checked, also foreign ones. */
export async function removeUnusedFiles(engine: EngineClient, instanceId: string, root: string): Promise<string[]> {
  const filters = { label: [`${instanceLabel}=${instanceId}`, filesLabel] };
  const query = { filters };
  type Answer = { Volumes: VolumeInfo[] | null };
  const { Volumes } = await engine.json<Answer>({ method: 'GET', path: '/volumes', query });
  const isLeft = ({ Name, Labels }: VolumeInfo) => {
    const key = Labels?.[filesLabel] ?? '';
    return isNameOfOurs(Name) && isTree(key) && !existsSync(join(root, key));
  };
  const left = (Volumes ?? []).filter(isLeft);
  if (!left.length) return [];
  const all = await engine.json<Listed[]>({ method: 'GET', path: '/containers/json', query: { all: true } });
  const used = new Set(all.flatMap(({ Mounts }) => (Mounts ?? []).map(({ Source = '' }) => volumeIn(Source))));
  const removed: string[] = [];
  for (const { Name } of left.filter(({ Name: name }) => !used.has(name))) {
    await undefinedIfGone(engine.json({ method: 'DELETE', path: `/volumes/${Name}` }));
    await rm(shippedNotePath(root, Name), { force: true });
    removed.push(Name);
  }
  return removed;
}
