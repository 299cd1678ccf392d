import type { ExpressionBuilder } from 'kysely';
import type { Sql } from '../../../db/database.ts';
import type { BackgroundTaskTable, Tables } from '../../../db/tables.ts';

export type TaskRow = BackgroundTaskTable;

/** The same thing may be asked for twice. */
export const insertTask = (sql: Sql, task: TaskRow) =>
  sql
    .insertInto('background_tasks')
    .values(task)
    .onConflict((row) => row.column('id').doUpdateSet({ details: task.details, owner: task.owner }))
    .execute();

export const selectTasksOf = (sql: Sql, owner: string) =>
  sql.selectFrom('background_tasks').selectAll().where('owner', '=', owner).orderBy('created_at').execute();

export const selectTasksOfKind = (sql: Sql, kind: string) =>
  sql.selectFrom('background_tasks').selectAll().where('kind', '=', kind).execute();

/** The task that deletes a deployment; its id is the deployment's. */
export const removalKind = 'remove_deployment';

/** Ids of deployments that served when they were deleted, as long as not everything of them is removed. */
export const selectDeletedReleases = async (sql: Sql): Promise<string[]> =>
  (await selectTasksOfKind(sql, removalKind))
    .filter(({ details }) => (JSON.parse(details) as { wasActive: boolean }).wasActive)
    .map(({ id }) => id);

export const deleteTask = (sql: Sql, id: string) => sql.deleteFrom('background_tasks').where('id', '=', id).execute();

/** A deployment that is being deleted is not there for anybody but those who do that. */
export const isBeingDeleted = (eb: ExpressionBuilder<Tables, 'deployments'>) =>
  eb.exists(
    eb
      .selectFrom('background_tasks')
      .select('background_tasks.id')
      .whereRef('background_tasks.id', '=', 'deployments.id'),
  );
