import { statfs } from 'node:fs/promises';
import { passableFolder } from '../../../lib/passable-folder.ts';
import { type Built, requireContainers } from '../artifact.ts';
import { StepError } from '../model.ts';
import { selectActive } from '../store.ts';
import { selectSteps } from '../step-store.ts';
import type { StepContext } from './step.ts';

const least = 100_000_000;
/** Builds are alike, but not the same. */
const margin = 1.5;
const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;

/** Refuses to begin what the disk of our data cannot hold, with numbers. What the last build needed is the best guess. */
export async function requireSpace(context: StepContext, folder: string): Promise<void> {
  await passableFolder(folder);
  const { bavail, bsize } = await statfs(folder);
  const last = await lastBuild(context);
  // Of an image there is only its source here.
  const before = last?.kind === 'image' ? 0 : (last?.takenBytes ?? last?.bytes ?? 0);
  refuseIfFull('the disk', { folder: context.parts.folders.all(), freeBytes: bavail * bsize }, before);
}

/** The same for the disk of the container engine, where we can see it. Gives what tells how much a build has taken of it. */
export async function requireEngineSpace(context: StepContext): Promise<() => Promise<number | null>> {
  const { disk } = requireContainers(context.parts);
  const before = await disk();
  if (!before) return async () => null;
  const last = await lastBuild(context);
  refuseIfFull('the disk of the container engine', before, last?.kind === 'image' ? (last.takenBytes ?? 0) : 0);
  return async () => {
    const after = await disk();
    return after ? Math.max(0, before.freeBytes - after.freeBytes) : null;
  };
}

function refuseIfFull(what: string, disk: { folder: string; freeBytes: number }, before: number): void {
  const needed = Math.max(least, Math.round(before * margin));
  if (disk.freeBytes >= needed) return;
  throw new StepError(
    'disk_full',
    `${what} has ${megabytes(disk.freeBytes)} free, and this build needs about ${megabytes(needed)}`,
    `Free some space on the disk of ${disk.folder} and redeploy.`,
  );
}

/** What the release that serves was built into. */
async function lastBuild({ db, deployment }: StepContext): Promise<Built | undefined> {
  const { organization_id, project_id, environment } = deployment;
  const active = await selectActive(db, organization_id, project_id, environment);
  const result = active && (await selectSteps(db, active.id)).find(({ name }) => name === 'build')?.result;
  return result ? (JSON.parse(result) as Built) : undefined;
}
