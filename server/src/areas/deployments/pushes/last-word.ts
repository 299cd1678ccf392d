import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import { isFinished } from '../model.ts';
import type { DeploymentRow } from '../store.ts';
import { selectStatus } from './status-store.ts';

const patienceMs = 5000;
const everyMs = 100;

/** Before a deployment is deleted: gives whoever tells the git host the time to say how it ended, so that its commit does not
 * stand there as pending for ever. A host that is away is not waited for for long. */
export async function lastWord(db: Db, row: DeploymentRow): Promise<void> {
  if (!isFinished(row.status)) return;
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(everyMs)) {
    const status = await selectStatus(db, row);
    // Nothing is left to tell, or the host has never heard of it.
    if (!status || (status.told === null && status.attempts === 0)) return;
  }
}
