import { posix } from 'node:path';
import { insidePath } from '../../detect/sub-tree.ts';
import type { PathInSource } from '../service.ts';

/** Resolves a path relative to `folder`, without file access: symbolic links are checked when it is opened. */
export function pathFrom(folder: string, written: string): PathInSource {
  if (/^[/~]|^[A-Za-z]:[/\\]/.test(written)) return { path: written, isInside: false };
  const path = posix.join(folder || '.', written || '.');
  const inside = insidePath(path);
  return inside === undefined ? { path, isInside: false } : { path: inside, isInside: true };
}

/** Returns the folder of a file; `''` for the root. */
export const parentFolder = (path: string): string => {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
};
