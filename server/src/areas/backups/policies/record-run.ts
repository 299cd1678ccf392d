import type { Sql } from '../../../db/database.ts';
import { isoTimeOrNull } from '../../../http/answers.ts';
import type { Failure, JobRow } from '../jobs/store.ts';
import { type LastRun, lastRunOf } from './schemas.ts';
import { selectPolicy, updatePolicy } from './store.ts';

type Run = Pick<JobRow, 'id' | 'organizationId' | 'policyId' | 'kind' | 'trigger' | 'status' | 'finishedAt'>;

/** Records a run or drill at its policy. Called in the transaction that begins or ends the run. */
export async function recordRun(sql: Sql, run: Run, failure: Failure | null): Promise<void> {
  const { id, organizationId, policyId, kind, trigger, status, finishedAt } = run;
  if (policyId === null || kind === 'restore' || trigger === 'before-restore') return;
  const policy = await selectPolicy(sql, organizationId, policyId);
  if (!policy) return;
  const isCompleted = status === 'completed';
  if (kind === 'drill') return void (isCompleted && (await updatePolicy(sql, policy, { lastDrillAt: finishedAt })));
  // A failure is shown until a run completes.
  const error = failure ?? (isCompleted ? null : (lastRunOf(policy)?.error ?? null));
  const lastRun: LastRun = { id, status, finishedAt: isoTimeOrNull(finishedAt), error };
  const success = isCompleted && { lastSuccessAt: finishedAt };
  await updatePolicy(sql, policy, { lastRun: JSON.stringify(lastRun), ...success });
}
