import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { EngineClient } from '../engine/client.ts';
import { ifThere } from '../engine/errors.ts';
import type { VolumeInfo } from '../engine/types.ts';
import { instanceLabel } from '../labels.ts';

export const filesPrefix = 'mooring-files-';
/** On a volume: which tree below our folder it holds. */
export const filesLabel = 'mooring.files';

/** Says what a volume was last given. */
export const noteOf = (root: string, volume: string): string => join(root, 'shipped', volume);

/** A name becomes part of a path here, and an engine of somebody else's may say whatever it likes. */
const isNameOfOurs = (volume: string): boolean => /^mooring-files-[\w-]+$/.test(volume);
/** Nothing outside of our folder is looked for. */
const isTree = (key: string): boolean => key.startsWith('contents/') && posix.normalize(key) === key;

/** The volume that a path of the other machine leads into, by the way in which engines lay them out. */
export const volumeIn = (path: string): string | undefined => /\/(mooring-files-[\w-]+)\//.exec(path)?.[1];

type Listed = { Mounts: { Source?: string }[] | null };

/** Trees that never change, and that are not kept here any more: no release can go back to them. Folders that containers write
 * to are data, and stay until somebody wants to be rid of them. Containers mount by path, so the engine does not know who
 * uses such a volume: all of them are asked, whosever they are. */
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
    await ifThere(engine.json({ method: 'DELETE', path: `/volumes/${Name}` }));
    await rm(noteOf(root, Name), { force: true });
    removed.push(Name);
  }
  return removed;
}
