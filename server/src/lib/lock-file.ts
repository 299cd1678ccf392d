import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const busy = 5;

/** Holds a file for this process alone. The kernel lets go when the process ends, however it ends. */
export function lockFile(path: string, taken: () => Error): { release(): void } {
  closeToOthers(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw (error as { errcode?: number }).errcode === busy ? taken() : error;
  }
  // A command that root runs must not leave a lock behind that the service's own user cannot take.
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(dirname(path));
    chownSync(path, uid, gid);
  }
  return { release: () => lock.close() };
}

/** Whoever may open the file may lock it, and keep us from starting. */
function closeToOthers(path: string): void {
  // Not opened where it exists: to close a file gives up every lock that this process has on it.
  if (existsSync(path)) {
    if (statSync(path).mode & 0o077) chmodSync(path, 0o600);
  } else closeSync(openSync(path, 'wx', 0o600));
}
