import { posix } from 'node:path';
import type { SourceTree } from '../detect.ts';
import { findFiles } from '../find-files.ts';
import { subTree } from '../sub-tree.ts';

/** Finds a manage.py at the root or in a subfolder. */
export const manageFile = async (tree: SourceTree): Promise<string | undefined> =>
  (await findFiles(tree, (name) => name === 'manage.py', { depth: 1, limit: 1 }))[0];

/** Returns the text of the settings below the folder of manage.py. */
export async function djangoSettings(tree: SourceTree, folder: string): Promise<string> {
  const files = (await settingsFiles(tree, folder)).filter((file) => !file.endsWith('wsgi.py'));
  return (await Promise.all(files.map((file) => tree.read(posix.join(folder, file))))).join('\n');
}

/** Returns the settings files and WSGI modules below the folder of manage.py, relative to it. */
export const settingsFiles = (tree: SourceTree, folder: string): Promise<string[]> =>
  findFiles(subTree(tree, folder), (name) => /^(settings|base|production|wsgi)\.py$/.test(name), {
    depth: 3,
    maxFolders: 40,
  });
