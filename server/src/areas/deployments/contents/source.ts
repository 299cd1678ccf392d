import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { StepError } from '../model/model.ts';

/** A file or folder of a source, held open so that renames cannot swap it. */
export type OpenedSource = { kind: 'file'; file: FileHandle } | { kind: 'folder'; folder: HeldFolder };

const notThere = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'ERR_INVALID_ARG_VALUE'];

/** Resolves a path of the source; undefined if it does not exist or a link leads out of the source. */
export async function insideSource(source: string, path: string): Promise<string | undefined> {
  const real = await realpath(join(source, path)).catch((error: NodeJS.ErrnoException) => {
    if (!notThere.includes(error.code!)) throw error;
    return undefined;
  });
  if (real === undefined) return undefined;
  return /^\.\.(\/|$)/.test(relative(await realpath(source), real)) ? undefined : real;
}

/** Opens the path without following links planted in the meantime. Undefined for anything but files and folders. */
async function openInSource(source: string, path: string): Promise<OpenedSource | undefined> {
  const real = await insideSource(source, path);
  if (real === undefined) return undefined;
  const isFolder = (await stat(real)).isDirectory();
  const folder = await HeldFolder.open(isFolder ? real : dirname(real));
  try {
    if ((await folder.path()) !== (isFolder ? real : dirname(real))) throw changedWhileRead(path);
    if (isFolder) return { kind: 'folder', folder };
    const file = await openFile(folder, basename(real));
    await folder.close();
    return file && { kind: 'file', file };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Opens the path for the duration of `use`. */
export async function withSource<T>(
  source: string,
  path: string,
  use: (opened: OpenedSource | undefined) => Promise<T>,
): Promise<T> {
  const opened = await openInSource(source, path);
  try {
    return await use(opened);
  } finally {
    await (opened?.kind === 'file' ? opened.file : opened?.folder)?.close();
  }
}

/** Returns the regular file of that name; undefined for anything else. */
export async function openFile(folder: HeldFolder, name: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  const file = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'ELOOP', 'ENXIO', 'ENODEV', 'ENAMETOOLONG'].includes(error.code!)) throw error;
    return undefined;
  });
  if (!file || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

export const changedWhileRead = (path: string) =>
  new StepError('source_changed', `${path || 'the source'} changed while it was being read`, 'Deploy again.');
