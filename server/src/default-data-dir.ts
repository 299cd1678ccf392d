import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Avoids root's home, which the system users of projects cannot traverse, unless a folder there is already in use. */
export function defaultDataDir(isRoot: boolean, home: string): string {
  const inHome = join(home, '.mooring');
  const isInUse = existsSync(inHome) && readdirSync(inHome).length > 0;
  return isRoot && !isInUse ? '/var/lib/mooring' : inHome;
}
