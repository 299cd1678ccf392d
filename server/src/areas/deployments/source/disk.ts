import { appIn } from '../model/stored.ts';
import { passableFolder } from '../../../lib/passable-folder.ts';
import { requireContainers } from '../model/artifact.ts';
import type { Built } from '../model/built.ts';
import { diskOf, freeText, hasNoSpaceLeft, inMegabytesText } from '../model/free-space.ts';
import { StepError } from '../model/model.ts';
import { selectActive } from '../model/store.ts';
import { selectSteps } from '../model/step-store.ts';
import { folderBytes } from '../../../lib/tree-size.ts';
import type { StepContext } from '../model/step.ts';

const least = 100_000_000;
/** Builds vary in size. */
const margin = 1.5;
const lookMs = 1000;

/** Fails if the disk has too little free space for the data, judged by the last build. */
export async function requireBuildSpace(context: StepContext, folder: string): Promise<void> {
  await passableFolder(folder);
  const { freeBytes } = await diskOf(folder);
  const last = await lastBuild(context);
  // For an image, only its source is on this disk.
  const before = last?.kind === 'image' ? 0 : (last?.takenBytes ?? last?.bytes ?? 0);
  refuseIfFull('the disk', { folder: context.parts.folders.all(), freeBytes }, before);
}

/**
 * Does the same for the container engine's disk, if visible. Returns a function that measures how much a build has
 * used.
 */
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

/**
 * Aborts a build that fills the disk, and fails one that succeeded on a full disk: neither its result nor anything
 * else could be written afterwards.
 */
export async function whileThereIsRoom<T>(
  context: StepContext,
  build: (context: StepContext) => Promise<T>,
): Promise<T> {
  const full = new AbortController();
  const look = async () => {
    const error = await filledDisk(context);
    if (error) full.abort(error);
  };
  const timer = setInterval(() => void look().catch((error: Error) => full.abort(error)), lookMs);
  try {
    const built = await build({ ...context, signal: AbortSignal.any([context.signal, full.signal]) });
    await look();
    full.signal.throwIfAborted();
    await requireEngineRoom(context);
    return built;
  } catch (error) {
    throw full.signal.aborted ? full.signal.reason : error;
  } finally {
    clearInterval(timer);
  }
}

async function filledDisk({ parts, deployment }: StepContext): Promise<StepError | undefined> {
  const disk = await diskOf(parts.folders.all());
  if (!hasNoSpaceLeft(disk)) return undefined;
  const takes = await folderBytes(parts.folders.release(deployment.artifactId)).catch(() => 0);
  const own = takes ? `, and this build takes ${inMegabytesText(takes)}` : '';
  return new StepError('disk_full', `the disk is full: ${freeText(disk)}${own}`, hintFor(parts.folders.all()));
}

async function requireEngineRoom({ parts }: StepContext): Promise<void> {
  const disk = await parts.containers?.disk();
  if (!disk || !hasNoSpaceLeft(disk)) return;
  const what = `the disk of the container engine is full: ${inMegabytesText(disk.freeBytes)} free`;
  throw new StepError('disk_full', what, hintFor(disk.folder));
}

const hintFor = (folder: string) => `Free some space on the disk of ${folder} and redeploy.`;

function refuseIfFull(what: string, disk: { folder: string; freeBytes: number }, before: number): void {
  const needed = Math.max(least, Math.round(before * margin));
  if (disk.freeBytes >= needed) return;
  throw new StepError(
    'disk_full',
    `${what} has ${inMegabytesText(disk.freeBytes)} free, but this build needs about ${inMegabytesText(needed)}`,
    hintFor(disk.folder),
  );
}

/** Returns the build result of the active release. */
async function lastBuild({ db, deployment }: StepContext): Promise<Built | undefined> {
  const { organizationId, projectId, environment } = deployment;
  const active = await selectActive(db, organizationId, projectId, environment);
  return active && appIn(await selectSteps(db, active.id))?.built;
}
