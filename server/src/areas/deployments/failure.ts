import { statfs } from 'node:fs/promises';
import { isDiskFull } from '../../db/database.ts';
import { CancelledError } from './lease.ts';
import { type DeploymentFailure, StepError } from './model.ts';
import type { Parts } from './parts.ts';

const nothingLeft = 8_000_000;

/** What is written down about an end that was not wanted. */
export function failureOf(error: Error, step: string | null, hide: (line: string) => string): DeploymentFailure {
  const code =
    error instanceof StepError ? error.code : error instanceof CancelledError ? 'cancelled' : ('internal' as const);
  return { code, step, message: hide(error.message), hint: error instanceof StepError ? error.hint : null };
}

/** The error as what it really was when the disk is full: the commands of a build only say that they failed. */
export async function fullDisk(error: Error, { folders }: Parts): Promise<StepError | undefined> {
  const free = await statfs(folders.all()).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
  if (!isDiskFull(error) && free > nothingLeft) return undefined;
  const what = error instanceof StepError ? `${error.message}, and the disk is full` : 'the disk is full';
  return new StepError('disk_full', what, `Free some space on the disk of ${folders.all()} and redeploy.`);
}

export const tookTooLong = (step: string, deadlineMs: number) =>
  new StepError(
    'timeout',
    `${step} took longer than ${Math.round(deadlineMs / 1000)} s and was ended`,
    'If it needs the time, raise MOORING_BUILD_TIMEOUT.',
  );
