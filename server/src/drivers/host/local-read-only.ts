import { constants } from 'node:fs';
import { lstat, open, opendir, realpath } from 'node:fs/promises';
import { type FileKind, mostNames, fileNotReadable, type ReadOnlyFiles, fileTooLarge } from './read-only-files.ts';

const absent = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'EISDIR']);

/** Read-only access to local files. */
export const localReadOnly: ReadOnlyFiles = {
  realPath: (path) => orAbsent(realpath(path)),
  look: (path) =>
    orAbsent(
      lstat(path).then((found): FileKind => {
        const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
        return { kind, size: found.size };
      }),
    ),
  read: (path, mostBytes) => orAbsent(readStart(path, mostBytes)),
  list: async (path) => (await orAbsent(namesIn(path))) ?? [],
};

/** O_NONBLOCK, so that a pipe does not block. */
async function readStart(path: string, mostBytes: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(mostBytes + 1);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
      if (!bytesRead) break;
      filled += bytesRead;
    }
    if (filled > mostBytes) throw fileTooLarge(mostBytes);
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

async function namesIn(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(path)) {
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
    if (names.length >= mostNames) break;
  }
  return names;
}

async function orAbsent<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code && absent.has(code)) return undefined;
    if (code === 'EACCES' || code === 'EPERM') throw fileNotReadable();
    throw error;
  }
}
