import { sql as raw } from 'kysely';
import type { Sql } from '../../../db/database.ts';
import type { CertificateTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type CertificateRow = CertificateTable;
export type CurrentCertificate = Pick<
  CertificateRow,
  'id' | 'name' | 'projectId' | 'source' | 'fingerprint' | 'notBefore' | 'notAfter' | 'isNext'
>;

/** The one that serves for a name of the organization's. */
export const selectCurrent = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId)
    .select('certificates')
    .selectAll()
    .where('name', '=', name)
    .where('isCurrent', '=', 1)
    .executeTakeFirst();

/** The one that is to serve: it waits for the edge, or serves already. */
export const selectWanted = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId)
    .select('certificates')
    .selectAll()
    .where('name', '=', name)
    .where((eb) => eb.or([eb('isNext', '=', 1), eb('isCurrent', '=', 1)]))
    .orderBy('isNext', 'desc')
    .executeTakeFirst();

export const deleteUploaded = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId)
    .delete('certificates')
    .where('name', '=', name)
    .where('source', '=', 'uploaded')
    .executeTakeFirst();

/** The one that serves once the edge has it; until then the one before does. One of each source is kept, so that what was uploaded
 * can be taken back. */
export async function insertNext(sql: Sql, row: CertificateRow): Promise<void> {
  await sql.updateTable('certificates').set({ isNext: 0 }).where('name', '=', row.name).execute();
  await insertSpare(sql, { ...row, isNext: 1 });
}

/** One that serves if what was uploaded is taken back. */
export async function insertSpare(sql: Sql, { organizationId, ...row }: CertificateRow): Promise<void> {
  const { name, source, projectId } = row;
  await sql
    .deleteFrom('certificates')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('projectId', '!=', projectId), eb.and({ source, isCurrent: 0, isNext: 0 })]))
    .execute();
  await tenant(sql, organizationId).insert('certificates', row).execute();
}

/** The edge has it: it takes the place of the one before. False when it is not the next one any more. */
export async function makeCurrent(sql: Sql, { id, name, source }: CurrentCertificate): Promise<boolean> {
  const next = await sql
    .selectFrom('certificates')
    .select('id')
    .where('id', '=', id)
    .where('isNext', '=', 1)
    .executeTakeFirst();
  if (!next) return false;
  await sql
    .deleteFrom('certificates')
    .where('name', '=', name)
    .where('source', '=', source)
    .where('id', '!=', id)
    .execute();
  await sql.updateTable('certificates').set({ isCurrent: 0 }).where('name', '=', name).execute();
  await sql.updateTable('certificates').set({ isCurrent: 1, isNext: 0 }).where('id', '=', id).execute();
  return true;
}

/** Without what was uploaded, the newest one of the authority is to serve again. */
export async function restoreSpare(sql: Sql, organizationId: string, name: string): Promise<void> {
  const own = tenant(sql, organizationId);
  const newest = await own
    .select('certificates')
    .select(['id', 'isCurrent', 'isNext'])
    .where('name', '=', name)
    .orderBy('createdAt', 'desc')
    .orderBy('isNext', 'desc')
    .executeTakeFirst();
  if (newest && !newest.isCurrent && !newest.isNext)
    await own.update('certificates', { isNext: 1 }).where('id', '=', newest.id).execute();
}

// What is done for everybody: edges serve whosever they are.

const columns = ['id', 'name', 'projectId', 'source', 'fingerprint', 'notBefore', 'notAfter', 'isNext'] as const;

export const selectAllCurrent = (sql: Sql): Promise<CurrentCertificate[]> =>
  sql.selectFrom('certificates').select(columns).where('isCurrent', '=', 1).execute();

/** One that is to serve, and by the edge of which server: null is this machine. */
export type WantedCertificate = CurrentCertificate & { serverId: string | null };

/** Those that are to serve, by name: what waits for the edge goes before what serves. */
export async function selectAllWanted(sql: Sql): Promise<Map<string, WantedCertificate>> {
  const rows = await sql
    .selectFrom('certificates')
    .innerJoin('projects', 'projects.id', 'certificates.projectId')
    .leftJoin('servers', (join) => join.onRef('servers.id', '=', 'projects.serverId').on('servers.kind', '=', 'ssh'))
    .select(columns.map((name) => `certificates.${name}` as const))
    .select('servers.id as serverId')
    .where((eb) => eb.or([eb('certificates.isCurrent', '=', 1), eb('certificates.isNext', '=', 1)]))
    .orderBy('certificates.isNext')
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}

/** The project lives elsewhere from now on: what it has is there once the edge of that machine has it. */
export async function waitForEdge(sql: Sql, organizationId: string, projectId: string): Promise<void> {
  const own = tenant(sql, organizationId);
  const waiting = await own
    .select('certificates')
    .select('name')
    .where('projectId', '=', projectId)
    .where('isNext', '=', 1)
    .execute();
  const names = ['', ...waiting.map(({ name }) => name)];
  const current = () => own.update('certificates', { isNext: 1, isCurrent: 0 }).where('projectId', '=', projectId);
  await current().where('isCurrent', '=', 1).where('name', 'not in', names).execute();
  await own
    .update('certificates', { isCurrent: 0 })
    .where('projectId', '=', projectId)
    .where('isCurrent', '=', 1)
    .execute();
}

export const selectById = (sql: Sql, id: string) =>
  sql.selectFrom('certificates').selectAll().where('id', '=', id).executeTakeFirst();

/** Of names that nobody has any more, or that somebody else has by now. Free ones are below the domain of the machine that the project
 * lives on, and services have theirs below that of their project. */
export async function deleteOrphans(sql: Sql, baseDomain: string): Promise<void> {
  for (const table of ['certificates', 'certificate_orders'] as const) {
    const of = raw.table(table);
    const free = raw`host_names.name || '.' || coalesce(servers.base_domain, ${baseDomain})`;
    await raw`
      delete from ${of} where not exists (
        select 1 from domains where domains.name = ${of}.name and domains.project_id = ${of}.project_id
      ) and not exists (
        select 1 from host_names
        join projects on projects.id = host_names.project_id
        left join servers on servers.id = projects.server_id and servers.kind = 'ssh'
        where host_names.project_id = ${of}.project_id and (${of}.name = ${free} or ${of}.name like '%.' || ${free})
      )`.execute(sql);
  }
}
