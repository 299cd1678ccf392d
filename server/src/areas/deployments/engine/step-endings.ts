import { isFinished, StepError } from '../model/model.ts';
import { isAfterwork, type StepName } from '../model/plan.ts';
import type { DeploymentRow, StepRow } from '../model/store.ts';
import { type Db, inTransaction } from '../../../db/database.ts';
import type { StepStatus } from '../../../db/tables.ts';
import { releaseLease } from '../model/queue.ts';
import { endSteps } from '../model/step-store.ts';

export type StepEnding = Extract<StepStatus, 'failed' | 'cancelled'>;

export const isLeft = ({ status }: Pick<StepRow, 'status'>): boolean => status === 'waiting' || status === 'running';

type StepEvent = { type: 'step'; data: { name: string; status: StepStatus } };

/** What the stream says of the steps when a deployment ends at `step`. After-work is never in the stream. */
export const endingEvents = (steps: StepRow[], step: string | null, ending: StepEnding): StepEvent[] =>
  steps
    .filter((row) => isLeft(row) && !isAfterwork(row.name))
    .map(({ name }) => ({ type: 'step', data: { name, status: name === step ? ending : 'not_run' } }));

/** Lets go of a deployment whose after-work failed. False, and nothing is written, if somebody has decided about it meanwhile. */
export const releaseAfterFailure = (db: Db, row: DeploymentRow, step: string | null): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    if (!(await releaseLease(trx, row.id, row.fence, row.decision))) return false;
    // While a decision is pending, the steps after it are still to come.
    await endSteps(trx, row.id, step, 'failed', isFinished(row.status));
    return true;
  });

/** The step as it is shown: a finished deployment has no step that runs or waits, also if an earlier version of Mooring
 * has left it like that in the database. */
export function shownStep(step: StepRow, deployment: DeploymentRow): Pick<StepRow, 'status' | 'finishedAt'> {
  const { status, leaseOwner, finishedAt } = deployment;
  // After-work goes on while a worker holds the deployment.
  if (!isFinished(status) || leaseOwner !== null || !isLeft(step)) return step;
  if (step.status === 'waiting') return { status: 'not_run', finishedAt: null };
  return { status: status === 'cancelled' ? 'cancelled' : 'failed', finishedAt };
}

/** Times that the service may end uncleanly while the same step runs, before the deployment fails. An operator who kills it
 * once or twice finds the deployment resumed; a source that takes the service down does so only a few times. */
export const mostCrashes = 3;

/** Whether they have switched is known only by asking again, and after them there is nothing to fail. */
const resumedForever: StepName[] = ['route', 'restore', 'retire', 'tidy'];

/** What to record at the start of a step. A process that stops in order records no process for its step; whatever else is
 * there was cut off. Throws when that has happened too often. */
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
