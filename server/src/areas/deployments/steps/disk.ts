import { mkdir, statfs } from 'node:fs/promises';
import { StepError } from '../model.ts';
import type { StepContext } from './step.ts';

const least = 100_000_000;
const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;

/** Refuses to begin what the disk cannot hold, with numbers. What the last build needed is the best guess. */
export async function requireSpace({ parts, results }: StepContext, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const before = Number(results['lastBuild']?.['bytes'] ?? 0);
  const needed = Math.max(least, Math.round(before * 1.5));
  if (free >= needed) return;
  throw new StepError(
    'disk_full',
    `the disk has ${megabytes(free)} free, and this build needs about ${megabytes(needed)}`,
    `Free some space on the disk of ${parts.folders.all()} and redeploy.`,
  );
}
