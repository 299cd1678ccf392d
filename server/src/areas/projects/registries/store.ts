import type { Sql } from '../../../db/database.ts';
import type { RegistryTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const selectRegistries = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId).select('registries').selectAll().orderBy('address').execute();

export const selectRegistry = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('registries').selectAll().where('id', '=', id).executeTakeFirst();

export const selectRegistryAt = (sql: Sql, organizationId: string, address: string) =>
  tenant(sql, organizationId).select('registries').selectAll().where('address', '=', address).executeTakeFirst();

export const insertRegistry = (sql: Sql, { organizationId, ...row }: RegistryTable) =>
  tenant(sql, organizationId).insert('registries', row).execute();

export const updateRegistry = (sql: Sql, { organizationId, id, ...change }: RegistryTable) =>
  tenant(sql, organizationId).update('registries', change).where('id', '=', id).execute();

export const deleteRegistry = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('registries').where('id', '=', id).execute();
