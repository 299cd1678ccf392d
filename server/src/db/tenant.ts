import type {
  DeleteQueryBuilder,
  DeleteResult,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  Updateable,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { Sql } from './database.ts';
import type { Tables } from './tables.ts';

/** Tables whose rows belong to an organization. Stores access them through `tenant` only, which the architecture test
 * enforces. */
export const tenantTables = [
  'members',
  'tokens',
  'invitations',
  'audit_entries',
  'projects',
  'project_variables',
  'volumes',
  'uploads',
  'deploy_keys',
  'registries',
  'deleted_projects',
  'deployments',
  'servers',
  'adoptions',
  'backup_destinations',
  'backup_policies',
  'backup_jobs',
  'backup_keys',
  'githost_connections',
  'githost_installations',
  'githost_sign_ins',
  'githost_clone_tokens',
  'githost_hooks',
  'githost_deliveries',
  'githost_lent',
  'project_links',
  'commit_statuses',
  'domains',
  'removed_domains',
  'certificates',
  'certificate_orders',
  'traffic',
  'cloud_links',
  'cloud_deployments',
  'cloud_promotions',
  'cloud_queues',
  'cloud_deliveries',
] as const;
export type TenantTable = (typeof tenantTables)[number];

/** The only access to tenant tables: every query is scoped to the organization. */
export interface Tenant {
  select<T extends TenantTable>(table: T): SelectQueryBuilder<Tables, T, object>;
  insert<T extends TenantTable>(
    table: T,
    row: Omit<Insertable<Tables[T]>, 'organizationId'>,
  ): InsertQueryBuilder<Tables, T, InsertResult>;
  update<T extends TenantTable>(
    table: T,
    change: Omit<Updateable<Tables[T]>, 'organizationId'>,
  ): UpdateQueryBuilder<Tables, T, T, UpdateResult>;
  delete<T extends TenantTable>(table: T): DeleteQueryBuilder<Tables, T, DeleteResult>;
}

export function tenant(sql: Sql, organizationId: string): Tenant {
  // The calls are the same for every tenant table; 'members' stands for any of them, and the interface has the types.
  const column = (table: string) => `${table}.organizationId` as 'members.organizationId';
  const calls = {
    select: (table: 'members') => sql.selectFrom(table).where(column(table), '=', organizationId),
    insert: (table: 'members', row: object) =>
      sql.insertInto(table).values({ ...row, organizationId } as Insertable<Tables['members']>),
    update: (table: 'members', change: object) =>
      sql.updateTable(table).set(change).where(column(table), '=', organizationId),
    delete: (table: 'members') => sql.deleteFrom(table).where(column(table), '=', organizationId),
  };
  return calls as unknown as Tenant;
}
