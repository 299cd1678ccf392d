import { isFinished, StepError } from '../model/model.ts';
import { isAfterwork, type StepName } from '../model/plan.ts';
import type { DeploymentRow, StepRow } from '../model/store.ts';
import { type Db, inTransaction } from '../../../db/database.ts';
import type { StepStatus } from '../../../db/tables.ts';
import { releaseLease } from '../model/queue.ts';
import { endSteps } from '../model/step-store.ts';

export type StepEnding = Extract<StepStatus, 'failed' | 'cancelled'>;

export const isUnfinishedStep = ({ status }: Pick<StepRow, 'status'>): boolean =>
  status === 'waiting' || status === 'running';

type StepEvent = { type: 'step'; data: { name: string; status: StepStatus } };

/** Returns the step events when a deployment ends at `step`. After-work is never streamed. */
export const endingEvents = (steps: StepRow[], step: string | null, ending: StepEnding): StepEvent[] =>
  steps
    .filter((row) => isUnfinishedStep(row) && !isAfterwork(row.name))
    .map(({ name }) => ({ type: 'step', data: { name, status: name === step ? ending : 'not_run' } }));

/** Releases a deployment whose after-work failed. False, without a change, if a decision was made meanwhile. */
export const releaseAfterFailure = (db: Db, row: DeploymentRow, step: string | null): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    if (!(await releaseLease(trx, row.id, row.fence, row.decision))) return false;
    // While a decision is pending, the later steps are still to come.
    await endSteps(trx, row.id, step, 'failed', isFinished(row.status));
    return true;
  });

/**
 * Returns the step as shown: a finished deployment has no running or waiting step, even if an older version of Mooring
 * left one in the database.
 */
export function shownStep(step: StepRow, deployment: DeploymentRow): Pick<StepRow, 'status' | 'finishedAt'> {
  const { status, leaseOwner, finishedAt } = deployment;
  // After-work continues while a worker holds the deployment.
  if (!isFinished(status) || leaseOwner !== null || !isUnfinishedStep(step)) return step;
  if (step.status === 'waiting') return { status: 'not_run', finishedAt: null };
  return { status: status === 'cancelled' ? 'cancelled' : 'failed', finishedAt };
}

/**
 * Unclean exits of the service during the same step before the deployment fails. Killing it once or twice resumes the
 * deployment; a source that crashes the service does so only a few times.
 */
export const mostCrashes = 3;

/** Steps whose effect is unknown until they run again, or after which nothing can fail. */
const resumedForever: StepName[] = ['route', 'restore', 'retire', 'tidy'];

/**
 * Returns what to record at the start of a step. A clean shutdown clears the step's process, so any other recorded
 * process has crashed. Throws after too many crashes.
 */
export function countCrash(row: StepRow, processId: string): { process: string; crashes: number } {
  const isCutOff = row.status === 'running' && row.process !== null && row.process !== processId;
  const crashes = row.crashes + (isCutOff ? 1 : 0);
  if (crashes >= mostCrashes && !resumedForever.includes(row.name as StepName))
    throw new StepError(
      'crashed',
      `Mooring crashed ${crashes} times during the step ${row.name}`,
      'Check the log of Mooring and the memory of its machine. If Mooring ran out of memory, the source may be too large ' +
        'to process. Then redeploy.',
    );
  return { process: processId, crashes };
}
