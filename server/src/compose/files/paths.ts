import { posix } from 'node:path';
import { insidePath } from '../../detect/sub-tree.ts';
import type { PathInSource } from '../service.ts';

/** A path that was written in a file whose paths start from `folder`. Nothing is looked up: links are for whoever opens it. */
export function pathFrom(folder: string, written: string): PathInSource {
  const outside = { path: written, isInside: false };
  if (/^[/~]|^[A-Za-z]:[/\\]/.test(written)) return outside;
  const inside = insidePath(posix.join(folder || '.', written || '.'));
  return inside === undefined ? outside : { path: inside, isInside: true };
}

/** The folder of a file, `''` for the root. */
export const parentFolder = (path: string): string => {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
};
