import { sql as raw } from 'kysely';
import type { Sql } from '../../../db/database.ts';
import type { CertificateTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type CertificateRow = CertificateTable;
export type CurrentCertificate = Pick<
  CertificateRow,
  'id' | 'name' | 'project_id' | 'source' | 'fingerprint' | 'not_before' | 'not_after'
>;

/** The one that serves for a name of the organization's. */
export const selectCurrent = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId)
    .select('certificates')
    .selectAll()
    .where('name', '=', name)
    .where('is_current', '=', 1)
    .executeTakeFirst();

export const deleteUploaded = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId)
    .delete('certificates')
    .where('name', '=', name)
    .where('source', '=', 'uploaded')
    .executeTakeFirst();

/** The one that serves from now on. One of each source is kept, so that what was uploaded can be taken back. */
export async function insertCurrent(sql: Sql, { organization_id, ...row }: CertificateRow): Promise<void> {
  const { name, source, project_id } = row;
  await sql
    .deleteFrom('certificates')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('source', '=', source), eb('project_id', '!=', project_id)]))
    .execute();
  if (row.is_current) await sql.updateTable('certificates').set({ is_current: 0 }).where('name', '=', name).execute();
  await tenant(sql, organization_id).insert('certificates', row).execute();
}

/** Without what was uploaded, the one of the authority serves again. */
export const makeCurrent = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId).update('certificates', { is_current: 1 }).where('name', '=', name).execute();

// What is done for everybody: the edge serves all of them.

export const selectAllCurrent = (sql: Sql): Promise<CurrentCertificate[]> =>
  sql
    .selectFrom('certificates')
    .select(['id', 'name', 'project_id', 'source', 'fingerprint', 'not_before', 'not_after'])
    .where('is_current', '=', 1)
    .execute();

export const selectById = (sql: Sql, id: string) =>
  sql.selectFrom('certificates').selectAll().where('id', '=', id).executeTakeFirst();

/** Of names that nobody has any more, or that somebody else has by now. Services have theirs below that of their project. */
export async function deleteOrphans(sql: Sql, baseDomain: string): Promise<void> {
  for (const table of ['certificates', 'certificate_orders'] as const) {
    const of = raw.table(table);
    await raw`
      delete from ${of} where not exists (
        select 1 from domains where domains.name = ${of}.name and domains.project_id = ${of}.project_id
      ) and not exists (
        select 1 from host_names
        where host_names.project_id = ${of}.project_id and (
          ${of}.name = host_names.name || ${`.${baseDomain}`} or ${of}.name like '%.' || host_names.name || ${`.${baseDomain}`}
        )
      )`.execute(sql);
  }
}
