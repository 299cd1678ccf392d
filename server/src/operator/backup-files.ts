import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const ending = '.tar.zst.age';

/** Names sort by time. */
export const backupName = (instanceId: string, at: Date): string =>
  `mooring-${instanceId}-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z${ending}`;

export const isBackupOf = (instanceId: string, name: string): boolean =>
  name.startsWith(`mooring-${instanceId}-`) && name.endsWith(ending);

/** Deletes the oldest backups of the instance in a folder. */
export async function keepNewest(folder: string, instanceId: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => isBackupOf(instanceId, name));
  for (const name of names.toSorted().slice(0, -keep)) await rm(join(folder, name));
}
