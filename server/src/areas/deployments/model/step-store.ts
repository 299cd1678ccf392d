import type { DeploymentStepTable } from '../../../db/tables.ts';
import type { Sql, Trx } from '../../../db/database.ts';

export const selectSteps = (sql: Sql, deploymentId: string) =>
  sql.selectFrom('deployment_steps').selectAll().where('deploymentId', '=', deploymentId).orderBy('position').execute();

export const insertSteps = (sql: Sql, deploymentId: string, names: string[], first = 0) =>
  sql
    .insertInto('deployment_steps')
    .values(
      names.map((name, index) => {
        return {
          deploymentId,
          position: first + index,
          name,
          status: 'waiting',
          attempt: 0,
          process: null,
          crashes: 0,
          startedAt: null,
          finishedAt: null,
          result: null,
        };
      }),
    )
    .execute();

/** Replaces the steps that have not started. A step that has started already is not added again. */
export async function replaceWaitingSteps(trx: Trx, deploymentId: string, names: string[]): Promise<void> {
  await trx
    .deleteFrom('deployment_steps')
    .where('deploymentId', '=', deploymentId)
    .where('status', '=', 'waiting')
    .execute();
  const begun = await selectSteps(trx, deploymentId);
  const added = names.filter((name) => !begun.some((step) => step.name === name));
  await insertSteps(trx, deploymentId, added, (begun.at(-1)?.position ?? -1) + 1);
}

export const deleteSteps = (sql: Sql, deploymentId: string) =>
  sql.deleteFrom('deployment_steps').where('deploymentId', '=', deploymentId).execute();

export const updateStep = (sql: Sql, deploymentId: string, name: string, change: Partial<DeploymentStepTable>) =>
  sql
    .updateTable('deployment_steps')
    .set(change)
    .where('deploymentId', '=', deploymentId)
    .where('name', '=', name)
    .execute();

/** Ends the current step with `ending`; with `isOver`, the steps after it are skipped. */
export async function endSteps(
  sql: Sql,
  deploymentId: string,
  step: string | null,
  ending: 'failed' | 'cancelled',
  isOver = true,
): Promise<void> {
  const left = (change: Partial<DeploymentStepTable>) =>
    sql
      .updateTable('deployment_steps')
      .set(change)
      .where('deploymentId', '=', deploymentId)
      .where('status', 'in', ['waiting', 'running']);
  await left({ status: ending, finishedAt: Date.now() })
    .where('name', '=', step ?? '')
    .execute();
  if (isOver) await left({ status: 'not_run' }).execute();
}

/** Resets steps to waiting; the attempt count is kept. */
export const resetSteps = (sql: Sql, deploymentId: string, names: readonly string[]) =>
  sql
    .updateTable('deployment_steps')
    .set({ status: 'waiting', result: null, startedAt: null, finishedAt: null })
    .where('deploymentId', '=', deploymentId)
    .where('name', 'in', names)
    .execute();
