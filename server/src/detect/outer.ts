import { posix } from 'node:path';
import type { Outer, SourceTree } from './detect.ts';
import { subTree } from './sub-tree.ts';

/** A folder above the app, with the text of the file that was looked for. */
export type Above = { tree: SourceTree; folder: string; text: string };

/** Returns the nearest folder above the app that has such a file. */
export async function nearestAbove(
  outer: Outer | undefined,
  file: string,
  isIt: (text: string) => boolean = () => true,
): Promise<Above | undefined> {
  if (!outer) return undefined;
  for (let folder = outer.folder; folder !== '';) {
    folder = posix.dirname(folder).replace(/^\.$/, '');
    const tree = subTree(outer.tree, folder);
    const text = await tree.read(file);
    if (text !== undefined && isIt(text)) return { tree, folder, text };
  }
  return undefined;
}
