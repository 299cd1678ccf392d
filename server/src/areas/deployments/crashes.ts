import { StepError } from './model.ts';
import type { StepName } from './plan.ts';
import type { StepRow } from './store.ts';

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
      `the service ended unexpectedly ${crashes} times while ${row.name} was running`,
      'Look at the log of the service and at the memory of its machine. If nobody has killed it, the source may be too large ' +
        'to process. Then redeploy.',
    );
  return { process: processId, crashes };
}
