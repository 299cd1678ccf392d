import type { ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import type { Sql } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { BackgroundTaskTable, Tables } from '../../../db/tables.ts';
import type { AuditActor } from '../../access/port.ts';

export type TaskRow = BackgroundTaskTable;

/** The same thing may be asked for twice. */
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

/** The task that deletes a deployment; its id is the deployment's. */
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
/** A deployment whose row is there until everything else of it is removed. */
export type DeploymentRemoval = z.infer<typeof DeploymentRemoval>;
export const readRemoval = storedJson('background_tasks.details', DeploymentRemoval);

/** Ids of deployments that served when they were deleted, as long as not everything of them is removed. */
export const selectDeletedReleases = async (sql: Sql): Promise<string[]> =>
  (await selectTasksOfKind(sql, removalKind))
    .filter(({ details }) => readRemoval(details).wasActive)
    .map(({ id }) => id);

export const deleteTask = (sql: Sql, id: string) => sql.deleteFrom('background_tasks').where('id', '=', id).execute();

/** A deployment that is being deleted is not there for anybody but those who do that. */
export const isDeletionPending = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.exists(
    eb
      .selectFrom('background_tasks')
      .select('background_tasks.id')
      .whereRef('background_tasks.id', '=', 'deployments.id'),
  );
