import type { BigIntStats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { BuildRefusedError } from '../errors.ts';

/** A file, folder or symlink of a build context. Symlinks are kept as they are and never followed. */
export interface ContextEntry {
  /** Relative to the context, with slashes. */
  path: string;
  type: 'file' | 'folder' | 'link';
  /** Permissions, including setuid, setgid and sticky. */
  mode: number;
  size: number;
  /** In nanoseconds. The engine treats a file as unchanged if name, size and this are equal, so it is at least the
   * ctime, which users cannot set, and not just the mtime, which copying tools preserve. */
  modifiedNs: bigint;
  target: string;
  /** Device and inode. */
  identity: string;
}

/** Returns undefined for sockets, pipes and devices, which builds do not use. */
export async function contextEntryOf(place: string, path: string): Promise<ContextEntry | undefined> {
  const stats = await lstat(place, { bigint: true });
  const type = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : undefined;
  return (
    type && {
      path,
      type,
      mode: Number(stats.mode) & 0o7777,
      size: type === 'file' ? Number(stats.size) : 0,
      modifiedNs: stats.ctimeNs > stats.mtimeNs ? stats.ctimeNs : stats.mtimeNs,
      target: type === 'link' ? await readlink(place) : '',
      identity: inodeOf(stats),
    }
  );
}

export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

export const entryChanged = ({ path }: ContextEntry) =>
  new BuildRefusedError(`${path} changed while it was sent to the engine`);
