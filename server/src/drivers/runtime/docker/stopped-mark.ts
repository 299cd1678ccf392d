import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The engine does not distinguish a container that exited from one that was stopped. Without a restart policy that is
// the difference between done and stopped.

const file = (folder: string) => join(folder, 'stopped');

export const markStopped = (folder: string, containerId: string): void => {
  if (existsSync(folder)) writeFileSync(file(folder), containerId, { mode: 0o600 });
};

export const wasStopped = (folder: string, containerId: string): boolean =>
  existsSync(file(folder)) && readFileSync(file(folder), 'utf8') === containerId;

/** Called when it runs again. */
export const unmarkStopped = (folder: string): void => rmSync(file(folder), { force: true });
