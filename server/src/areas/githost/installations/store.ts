import type { Sql } from '../../../db/database.ts';
import type { GithostInstallationTable } from '../../../db/tables.ts';
import type { Account } from '../../../drivers/githost/githost.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectInstallation = (sql: Sql, organizationId: string, installationId: number) =>
  tenant(sql, organizationId)
    .select('githost_installations')
    .selectAll()
    .where('installationId', '=', installationId)
    .executeTakeFirst();

export const selectInstallations = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('githost_installations').selectAll().orderBy('installationId').execute();

export const insertInstallation = (sql: Sql, { organizationId, ...row }: GithostInstallationTable) =>
  tenant(sql, organizationId).insert('githost_installations', row).execute();

export const updateInstallation = (
  sql: Sql,
  organizationId: string,
  id: string,
  change: Pick<GithostInstallationTable, 'accountId' | 'accountLogin' | 'accountType' | 'suspendedAt' | 'proof'>,
) => tenant(sql, organizationId).update('githost_installations', change).where('id', '=', id).execute();

export const deleteInstallations = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).delete('githost_installations').execute();

// Not scoped to a tenant: the state of an installation applies to all organizations that have it.

export const selectHolders = (sql: Sql, installationIds: number[]) =>
  sql
    .selectFrom('githost_installations')
    .select(['organizationId', 'installationId'])
    .where('installationId', 'in', installationIds)
    .execute();

export const deleteEverywhere = (sql: Sql, installationId: number) =>
  sql.deleteFrom('githost_installations').where('installationId', '=', installationId).execute();

/** Updates a renamed account; an installation stays on its account. */
export const renameEverywhere = (
  sql: Sql,
  installationId: number,
  { id, login, type }: Pick<Account, 'id' | 'login' | 'type'>,
) =>
  sql
    .updateTable('githost_installations')
    .set({ accountId: id, accountLogin: login, accountType: type })
    .where('installationId', '=', installationId)
    .where((eb) => eb.or([eb('accountLogin', '!=', login), eb('accountId', '!=', id)]))
    .execute();

/** Keeps the first time at which the suspension was noticed. */
export const suspendEverywhere = (sql: Sql, installationId: number, at: number) =>
  sql
    .updateTable('githost_installations')
    .set({ suspendedAt: at })
    .where('installationId', '=', installationId)
    .where('suspendedAt', 'is', null)
    .execute();

export const resumeEverywhere = (sql: Sql, installationId: number) =>
  sql
    .updateTable('githost_installations')
    .set({ suspendedAt: null })
    .where('installationId', '=', installationId)
    .execute();
