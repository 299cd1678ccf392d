import { posix } from 'node:path';
import type { SourceTree } from './detect.ts';

const maxFiles = 600;
const maxFolders = 1500;
const maxCharacters = 24 * 1024 * 1024;
/** A folder with this many names may have more than were listed. */
const manyNames = 1000;

/** A tree whose every part is looked at once, however many ask, and of which no more than some is looked at: what lies
 * beyond reads as not there. Most questions are for files that are absent, and the list of a folder answers them all. */
export function boundedTree(tree: SourceTree): SourceTree {
  const lists = new Map<string, Promise<Set<string>>>();
  const texts = new Map<string, Promise<string | undefined>>();
  let left = maxCharacters;
  const namesIn = (folder: string) =>
    once(lists, folder, maxFolders, new Set<string>(), async () =>
      (await has(folder, '/')) ? new Set(await tree.list(folder)) : new Set(),
    );
  const has = async (path: string, ending = ''): Promise<boolean> => {
    if (path === '') return true;
    const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
    const names = await namesIn(folder);
    return names.size >= manyNames || names.has(posix.basename(path) + ending);
  };
  const readSome = async (path: string) => {
    const text = left > 0 && (await has(path)) ? await tree.read(path) : undefined;
    left -= text?.length ?? 0;
    return text;
  };
  return {
    list: async (folder) => [...(await namesIn(folder))],
    read: (path) => once(texts, path, maxFiles, undefined, () => readSome(path)),
  };
}

async function once<T>(known: Map<string, Promise<T>>, key: string, limit: number, beyond: T, look: () => Promise<T>) {
  const before = known.get(key);
  if (before) return await before;
  if (known.size >= limit) return beyond;
  const now = look();
  known.set(key, now);
  return await now;
}
