import { existsSync } from 'node:fs';
import { readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../errors.ts';
import { syncFolder } from './replace-file.ts';

// A restore fills `.restoring`. Its rename to `.restored` is the moment from which the restore counts; from there the
// entries are moved up one by one, by the restore itself or by the next start.

export const restoringFolder = (dataDir: string): string => join(dataDir, '.restoring');
export const restoredFolder = (dataDir: string): string => join(dataDir, '.restored');

/** Half a restore must never start as an instance. */
export function requireNoHalfRestore(dataDir: string): void {
  if (existsSync(join(restoringFolder(dataDir), 'data')))
    throw new StartError(
      `a restore into ${dataDir} was interrupted; run mooring restore instance again, or delete ${restoringFolder(dataDir)}`,
    );
}

/** Finishes a restore that counts already. */
export async function finishRestore(dataDir: string): Promise<void> {
  const restored = restoredFolder(dataDir);
  if (!existsSync(restored)) return;
  for (const name of await readdir(restored)) await rename(join(restored, name), join(dataDir, name));
  await rmdir(restored);
  syncFolder(dataDir);
}
