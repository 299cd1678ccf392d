import { posix } from 'node:path';
import type { SourceTree } from './detect.ts';

const maxFiles = 1000;
const maxFolders = 1500;
const maxCharacters = 24 * 1024 * 1024;
/** A list of this length may be incomplete. */
const manyNames = 1000;

/**
 * Caches a tree and limits what is read: anything beyond the limits reads as absent. Most lookups are for absent
 * files, which the list of the folder answers.
 */
export function boundedTree(tree: SourceTree): SourceTree {
  const lists = new Map<string, Promise<Set<string>>>();
  const texts = new Map<string, Promise<string | undefined>>();
  const left = { folders: maxFolders, files: maxFiles, characters: maxCharacters };
  const namesIn = (folder: string) =>
    once(lists, folder, async () => {
      if (!(await has(folder, '/')) || left.folders-- <= 0) return new Set<string>();
      return new Set(await tree.list(folder));
    });
  const has = async (path: string, ending = ''): Promise<boolean> => {
    if (path === '') return true;
    const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
    const names = await namesIn(folder);
    return names.size >= manyNames || names.has(posix.basename(path) + ending);
  };
  const readSome = async (path: string) => {
    if (!(await has(path)) || left.files-- <= 0 || left.characters <= 0) return undefined;
    const text = await tree.read(path);
    left.characters -= text?.length ?? 0;
    return text;
  };
  return {
    list: async (folder) => [...(await namesIn(folder))],
    read: (path) => once(texts, path, () => readSome(path)),
  };
}

async function once<T>(known: Map<string, Promise<T>>, key: string, look: () => Promise<T>): Promise<T> {
  const before = known.get(key);
  if (before) return await before;
  const now = look();
  known.set(key, now);
  return await now;
}
