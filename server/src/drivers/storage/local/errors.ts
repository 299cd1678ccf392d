import { type StorageCode, StorageError } from '../storage.ts';

const words: Record<string, [StorageCode, string]> = {
  ENOSPC: ['no_space', 'the disk is full'],
  EDQUOT: ['no_space', 'the quota of the disk is used up'],
  EFBIG: ['no_space', 'the file system takes no file of this size'],
  EACCES: ['permission_denied', 'the service may not write or read there'],
  EPERM: ['permission_denied', 'the service may not do that there'],
  EROFS: ['permission_denied', 'the file system is read-only'],
  ENOENT: ['not_found', 'it is not there'],
  ENOTDIR: ['misconfigured', 'a part of the path is no folder, or was exchanged for a link'],
  ELOOP: ['misconfigured', 'a part of the path is a link'],
  EISDIR: ['misconfigured', 'a folder has that name'],
  EEXIST: ['misconfigured', 'something else has that name'],
  ENAMETOOLONG: ['misconfigured', 'the name is too long for the file system'],
  EIO: ['corrupted', 'the disk fails'],
};

/** An error of the file system in words; everything else as it is. */
export function inFolderWords(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const found = code === undefined ? undefined : words[code];
  return found ? new StorageError(found[0], `${what}: ${found[1]}`, { cause: error }) : error;
}
