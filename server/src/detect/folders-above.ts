import { posix } from 'node:path';
import type { EnclosingSource, SourceTree } from './detect.ts';
import { plainPath } from './plain-names.ts';
import { subTree } from './sub-tree.ts';

/** A folder above the app, with the text of the file that was looked for. */
export type FolderAbove = { tree: SourceTree; folder: string; text: string };

/** Returns the nearest folder above the app that has such a file. */
export async function nearestAbove(
  outer: EnclosingSource | undefined,
  file: string,
  isIt: (text: string) => boolean = () => true,
): Promise<FolderAbove | undefined> {
  if (!outer) return undefined;
  for (let folder = outer.folder; folder !== '';) {
    folder = posix.dirname(folder).replace(/^\.$/, '');
    const tree = subTree(outer.tree, folder);
    const text = await tree.read(file);
    if (text !== undefined && isIt(text)) return { tree, folder, text };
  }
  return undefined;
}

/** A folder above the app that builds it: the app's path in it, and the way to it. */
export type EnclosingFolder = FolderAbove & { path: string; up: string };

/**
 * Returns the outermost folder whose file includes the app, directly or through folders between them. Only plain
 * paths are returned, because they become part of commands.
 */
export async function outermostAbove(
  outer: EnclosingSource | undefined,
  files: readonly string[],
  includes: (text: string, path: string) => boolean,
): Promise<EnclosingFolder | undefined> {
  if (!outer) return undefined;
  let found: EnclosingFolder | undefined;
  const app = outer.folder;
  for (let folder = app; folder !== '';) {
    folder = posix.dirname(folder).replace(/^\.$/, '');
    const tree = subTree(outer.tree, folder);
    const texts = await Promise.all(files.map((file) => tree.read(file)));
    const text = texts.find((each) => each !== undefined);
    const path = plainPath(posix.relative(folder, app));
    const inner = posix.relative(folder, found?.folder ?? app);
    if (text !== undefined && path && (includes(text, inner) || includes(text, path)))
      found = { tree, folder, text, path, up: posix.relative(path, '.') };
  }
  return found;
}
