import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

/** Replaces the file atomically and durably. One writer at a time. */
export function replaceFileSingleWriter(path: string, content: string): void {
  const draft = `${path}.draft`;
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, path);
}
