import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Replaces the file atomically and durably, and keeps its owner when root writes it. */
export function replaceFile(path: string, content: string, mode = 0o600): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const before = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path));
  const file = openSync(draft, 'wx', mode);
  try {
    // Not writeSync, which may write only a part of it to a disk that is almost full.
    writeFileSync(file, content);
    // The umask may have removed bits that other readers need.
    fchmodSync(file, mode);
    if (process.getuid?.() === 0) fchownSync(file, before.uid, before.gid);
    fsyncSync(file);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

/** Makes renames and deletions in a folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
