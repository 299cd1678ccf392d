import type { Sql } from '../../../db/database.ts';

// Names are the instance's: whose one is has to be found out, and certificates are looked after whosever they are.

export const selectDomainOwner = (sql: Sql, name: string) =>
  sql
    .selectFrom('domains')
    .select(['name', 'organization_id', 'project_id'])
    .where('name', '=', name)
    .executeTakeFirst();

export const selectDomainOwners = (sql: Sql) =>
  sql.selectFrom('domains').select(['name', 'organization_id', 'project_id']).orderBy('name').execute();

export const selectLabelOwner = (sql: Sql, label: string) =>
  sql
    .selectFrom('host_names')
    .select(['name', 'organization_id', 'project_id'])
    .where('name', '=', label)
    .executeTakeFirst();

const activeLabels = (sql: Sql) =>
  sql
    .selectFrom('host_names')
    .select(['name', 'organization_id', 'project_id'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('deployments')
          .select('deployments.id')
          .whereRef('deployments.project_id', '=', 'host_names.project_id')
          .whereRef('deployments.environment', '=', 'host_names.environment')
          .where('deployments.active', '=', 1),
      ),
    );

/** Labels below the instance's own domain that something answers under. */
export const selectActiveLabels = (sql: Sql) => activeLabels(sql).orderBy('name').execute();

export const isActiveLabel = async (sql: Sql, label: string): Promise<boolean> =>
  (await activeLabels(sql).where('name', '=', label).executeTakeFirst()) !== undefined;

export const updatePointing = (sql: Sql, name: string, pointing: string) =>
  sql.updateTable('domains').set({ pointing, checked_at: Date.now() }).where('name', '=', name).execute();
