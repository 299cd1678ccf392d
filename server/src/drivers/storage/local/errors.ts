import { type StorageCode, StorageError } from '../storage.ts';

const words: Record<string, [StorageCode, string]> = {
  ENOSPC: ['no_space', 'the disk is full'],
  EDQUOT: ['no_space', 'the quota of the disk is used up'],
  EFBIG: ['no_space', 'the file is too large for the file system'],
  EACCES: ['permission_denied', 'Mooring has no permission to read or write there'],
  EPERM: ['permission_denied', 'Mooring has no permission to do that there'],
  EROFS: ['permission_denied', 'the file system is read-only'],
  ENOENT: ['not_found', 'it does not exist'],
  ENOTDIR: ['misconfigured', 'a part of the path is not a folder or was replaced by a link'],
  ELOOP: ['misconfigured', 'a part of the path is a link'],
  EISDIR: ['misconfigured', 'a folder has that name'],
  EEXIST: ['misconfigured', 'something else has that name'],
  ENAMETOOLONG: ['misconfigured', 'the name is too long for the file system'],
  EIO: ['corrupted', 'the disk reports an error'],
};

/** Converts a file system error; returns others unchanged. */
export function folderStorageError(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const found = code === undefined ? undefined : words[code];
  return found ? new StorageError(found[0], `${what}: ${found[1]}`, { cause: error }) : error;
}
