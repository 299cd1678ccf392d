import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** System folders: no place for backups. */
const systemTrees = [
  'bin',
  'boot',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'proc',
  'run',
  'sbin',
  'sys',
  'usr',
];
/** Shared folders: a folder in them may be a root, they themselves may not. */
const sharedFolders = ['', 'home', 'root', 'tmp', 'var', 'opt', 'srv', 'mnt', 'media', 'snap', 'lost+found'];
const sharedInVar = ['backups', 'cache', 'lib', 'local', 'lock', 'log', 'mail', 'opt', 'spool', 'tmp'];

/** Returns why a folder cannot be the root of local destinations; undefined if it can. */
export async function checkLocalRoot(root: string, dataDir: string): Promise<string | undefined> {
  if (!isAbsolute(root)) return `${root} is not an absolute path`;
  const real = await realpath(root).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory()) return `${root} is not an existing folder`;
  const [top = '', second = '', ...rest] = real.slice(1).split('/');
  const isShared = second ? top === 'var' && sharedInVar.includes(second) && !rest.length : sharedFolders.includes(top);
  if (systemTrees.includes(top) || isShared) return `${root} is a system folder; create a folder for backups only`;
  const data = await resolveSymlinks(dataDir);
  if (isInFolder(real, data) || isInFolder(data, real)) return `${root} and the data folder of the service overlap`;
  return undefined;
}

/** Resolves all symlinks of a path, also when its last parts do not exist yet. A dangling symlink resolves to its
 * target. */
export async function resolveSymlinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    // Circular symlinks have failed above, with another code.
    const link = await readlink(path).catch(() => undefined);
    const folder = await resolveSymlinks(above);
    return link === undefined ? join(folder, basename(path)) : resolveSymlinks(resolve(folder, link));
  }
}

/** Whether a path is the folder or below it; both must be resolved. */
export function isInFolder(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
