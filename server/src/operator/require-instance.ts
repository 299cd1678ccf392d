import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { requireNoHalfRestore } from '../lib/restore-marks.ts';

/** Throws if there is no instance to work on. */
export function requireInstance({ databaseUrl, dataDir }: Config): void {
  requireNoHalfRestore(dataDir);
  if (!databaseUrl && !existsSync(join(dataDir, 'mooring.db')))
    throw new StartError(`there is no instance in ${dataDir}; is MOORING_DATA_DIR right?`);
}
