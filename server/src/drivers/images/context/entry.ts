import type { BigIntStats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { BuildRefusedError } from '../errors.ts';

/** A file, folder or link of a build context. Links are kept as they are, wherever they lead: nobody follows them here. */
export interface ContextEntry {
  /** Relative to the context, with slashes. */
  path: string;
  type: 'file' | 'folder' | 'link';
  /** Permissions, with the bits for set-user-id, set-group-id and sticky. */
  mode: number;
  size: number;
  /** In nanoseconds. What was sent once is taken for the same if its name, size and this are: so it is the time of the last
   * change of any kind, which nobody can set, and not the one that copying programs set back. */
  modifiedNs: bigint;
  target: string;
  /** What the file system knows it by. */
  identity: string;
}

/** Undefined for sockets, pipes and devices: a build has no use for them. */
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
