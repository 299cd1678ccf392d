import type { Sql } from '../../../db/database.ts';
import { isoTimeOrNull } from '../../../http/responses.ts';
import type { JobFailure, JobRow } from '../jobs/store.ts';
import { type LastRun, lastRunOf } from './schemas.ts';
import { type PolicyRow, selectPolicy, updatePolicy } from './store.ts';

type Run = Pick<JobRow, 'id' | 'organizationId' | 'policyId' | 'kind' | 'trigger' | 'status' | 'finishedAt'>;

/** Records a run or drill at its policy. Called in the transaction that begins or ends the run. */
export async function recordRun(sql: Sql, run: Run, failure: JobFailure | null): Promise<void> {
  const { id, organizationId, policyId, kind, trigger, status, finishedAt } = run;
  if (policyId === null || kind === 'restore' || trigger === 'before-restore') return;
  const policy = await selectPolicy(sql, organizationId, policyId);
  if (!policy) return;
  const isCompleted = status === 'completed';
  if (kind === 'drill') {
    const proven = isCompleted && { lastDrillAt: finishedAt };
    return void (await updatePolicy(sql, policy, { lastRun: withDrill(policy, isCompleted, failure), ...proven }));
  }
  // A failure is shown until a run completes.
  const error = failure ?? (isCompleted ? null : (lastRunOf(policy)?.error ?? null));
  const lastRun: LastRun = { id, status, finishedAt: isoTimeOrNull(finishedAt), error };
  const success = isCompleted && { lastSuccessAt: finishedAt };
  await updatePolicy(sql, policy, { lastRun: JSON.stringify(lastRun), ...success });
}

/** A backup that cannot be restored is a failure of the policy, until a drill or the next run completes. */
function withDrill(policy: PolicyRow, isCompleted: boolean, failure: JobFailure | null): string | null {
  const last = lastRunOf(policy);
  if (!last) return policy.lastRun;
  const { error } = last;
  if (failure) {
    const { message, hint } = failure;
    return JSON.stringify({ ...last, error: { code: drillFailed, message: `the drill failed: ${message}`, hint } });
  }
  return JSON.stringify({ ...last, error: isCompleted && error?.code === drillFailed ? null : error });
}

const drillFailed = 'drill_failed';
