import { posix } from 'node:path';
import type { SourceTree } from './detect.ts';

/** Normalizes a path inside the tree, `''` for the root; undefined if it leads out. */
export function insidePath(path: string): string | undefined {
  if (path.includes('\0') || path.includes('\\')) return undefined;
  const normal = posix.normalize(path.trim()).replace(/\/+$/, '');
  if (normal === '.' || normal === '') return '';
  return posix.isAbsolute(normal) || normal === '..' || normal.startsWith('../') ? undefined : normal;
}

/** Returns a folder of a tree as a tree. Paths that lead out read as absent. */
export function subTree(tree: SourceTree, folder: string): SourceTree {
  const at = (path: string) => {
    const inside = insidePath(path);
    return inside === undefined ? undefined : posix.join(folder, inside).replace(/^\.$/, '');
  };
  return {
    async list(path) {
      const full = at(path);
      return full === undefined ? [] : await tree.list(full);
    },
    async read(path) {
      const full = at(path);
      return full === undefined ? undefined : await tree.read(full);
    },
  };
}
