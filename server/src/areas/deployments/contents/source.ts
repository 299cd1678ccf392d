import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { StepError } from '../model/model.ts';

/** A file or a folder of a source that is held open: it stays what it is, whatever becomes of its name. */
export type OpenedSource = { kind: 'file'; file: FileHandle } | { kind: 'folder'; folder: HeldFolder };

const notThere = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'ERR_INVALID_ARG_VALUE'];

/** Where a path of the source really is; undefined when the source has no such thing, also when a link leads out of it. */
export async function insideSource(source: string, path: string): Promise<string | undefined> {
  const real = await realpath(join(source, path)).catch((error: NodeJS.ErrnoException) => {
    if (!notThere.includes(error.code!)) throw error;
    return undefined;
  });
  if (real === undefined) return undefined;
  return /^\.\.(\/|$)/.test(relative(await realpath(source), real)) ? undefined : real;
}

/** Opens it without following any link that could have come in between. Undefined for what is neither file nor folder, too. */
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

/** Uses what the source has at the path, and closes it. */
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

/** The file of that name; undefined for everything else. */
export async function openFile(folder: HeldFolder, name: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Should a pipe have taken its place, nobody waits for a writer.
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
