import type { ExpressionBuilder } from 'kysely';
import { z } from '../../../lib/zod/index.ts';
import type { Sql } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { BackgroundTaskTable, Tables } from '../../../db/tables.ts';
import type { AuditActor } from '../../access/port.ts';

export type TaskRow = BackgroundTaskTable;

/** Upserts: the same task may be requested twice. */
export const insertTask = (sql: Sql, task: TaskRow) =>
  sql
    .insertInto('background_tasks')
    .values(task)
    .onConflict((row) => row.column('id').doUpdateSet({ details: task.details, owner: task.owner }))
    .execute();

export const selectTasksOf = (sql: Sql, owner: string) =>
  sql.selectFrom('background_tasks').selectAll().where('owner', '=', owner).orderBy('createdAt').execute();

export const selectTasksOfKind = (sql: Sql, kind: string) =>
  sql.selectFrom('background_tasks').selectAll().where('kind', '=', kind).execute();

/** Kind of the tasks that delete a deployment; the task's id is the deployment's id. */
export const removalKind = 'remove_deployment';

const DeploymentRemoval = z.object({
  organizationId: z.string(),
  actor: z.object({
    userId: z.string(),
    email: z.string(),
    ip: z.string(),
    via: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('session'), hash: z.string() }),
        z.object({ type: z.literal('token'), id: z.string(), expiresAt: z.number().nullable() }),
      ])
      .optional(),
  }) satisfies z.ZodType<AuditActor>,
  wasActive: z.boolean(),
});
/** A pending deletion. The deployment's row stays until everything else of it is removed. */
export type DeploymentRemoval = z.infer<typeof DeploymentRemoval>;
export const readRemoval = storedJson('background_tasks.details', DeploymentRemoval);

/** Ids of deployments that were active when they were deleted and are not completely removed yet. */
export const selectDeletedReleases = async (sql: Sql): Promise<string[]> =>
  (await selectTasksOfKind(sql, removalKind))
    .filter(({ details }) => readRemoval(details).wasActive)
    .map(({ id }) => id);

export const deleteTask = (sql: Sql, id: string) => sql.deleteFrom('background_tasks').where('id', '=', id).execute();

/** Deployments with a pending deletion are invisible to everything except the deletion itself. */
export const isDeletionPending = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.exists(
    eb
      .selectFrom('background_tasks')
      .select('background_tasks.id')
      .whereRef('background_tasks.id', '=', 'deployments.id'),
  );
