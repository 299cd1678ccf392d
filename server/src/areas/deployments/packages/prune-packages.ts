import { readdir } from 'node:fs/promises';
import type { Parts } from '../parts.ts';
import { PackageStore } from './package-store.ts';

const everyMs = 3_600_000;
/** Of each organization. */
const limits = { totalBytes: 5_000_000_000 };

/** Once in a while: packages that builds share are kept within bounds. */
export function prunePackages(): (on: { parts: Parts }) => Promise<void> {
  let last = Date.now();
  return async ({ parts: { folders } }) => {
    if (Date.now() - last < everyMs) return;
    last = Date.now();
    const organizations = await readdir(folders.allPackages()).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    for (const each of organizations) await new PackageStore(folders.packages(each)).prune(limits);
  };
}
