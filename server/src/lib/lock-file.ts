import { chmodSync, closeSync, lchownSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const busy = 5;

/** Locks a file for this process. The kernel releases the lock when the process ends, in any case. */
export function lockFile(path: string, taken: () => Error): { release(): void } {
  closeToOthers(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw (error as { errcode?: number }).errcode === busy ? taken() : error;
  }
  // A command run by root must not leave a lock that the service's user cannot take.
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(dirname(path));
    lchownSync(path, uid, gid);
  }
  return { release: () => lock.close() };
}

/** Restricts the file to its owner: anyone who can open it could lock it and block our start. */
function closeToOthers(path: string): void {
  // An existing file is not opened: closing it would release all locks that this process has on it.
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return closeSync(openSync(path, 'wx', 0o600));
  // The owner of the folder could lead root to another file.
  if (!there.isFile()) throw new Error(`${path} is not a plain file; delete it`);
  if (there.mode & 0o077) chmodSync(path, 0o600);
}
