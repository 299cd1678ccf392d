import { sql as raw } from 'kysely';
import type { Sql } from '../../../db/database.ts';
import type { CertificateTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export type CertificateRow = CertificateTable;
export type CurrentCertificate = Pick<
  CertificateRow,
  'id' | 'name' | 'projectId' | 'source' | 'fingerprint' | 'notBefore' | 'notAfter' | 'isNext'
>;

/** Certificates of a name while it has this owner; null: the instance itself. */
const selectOwned = (sql: Sql, organizationId: string | null, name: string) =>
  sql
    .selectFrom('certificates')
    .selectAll()
    .where('organizationId', 'is not distinct from', organizationId)
    .where('name', '=', name);

/** Returns the certificate that serves a name. */
export const selectCurrentCertificate = (sql: Sql, organizationId: string | null, name: string) =>
  selectOwned(sql, organizationId, name).where('isCurrent', '=', 1).executeTakeFirst();

/** Returns the certificate that should serve: it waits for the edge or serves already. */
export const selectWantedCertificate = (sql: Sql, organizationId: string | null, name: string) =>
  selectOwned(sql, organizationId, name)
    .where((eb) => eb.or([eb('isNext', '=', 1), eb('isCurrent', '=', 1)]))
    .orderBy('isNext', 'desc')
    .executeTakeFirst();

export const deleteUploaded = (sql: Sql, organizationId: string, name: string) =>
  tenant(sql, organizationId)
    .delete('certificates')
    .where('name', '=', name)
    .where('source', '=', 'uploaded')
    .executeTakeFirst();

/**
 * Inserts a certificate that takes over once the edge has loaded it. One per source is kept, so that deleting an
 * uploaded one falls back to the issued one.
 */
export async function insertNextCertificate(sql: Sql, row: CertificateRow): Promise<void> {
  await sql.updateTable('certificates').set({ isNext: 0 }).where('name', '=', row.name).execute();
  await insertSpare(sql, { ...row, isNext: 1 });
}

/** Inserts a certificate that serves only if the uploaded one is deleted. */
export async function insertSpare(sql: Sql, row: CertificateRow): Promise<void> {
  const { name, source, projectId } = row;
  await sql
    .deleteFrom('certificates')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('projectId', 'is distinct from', projectId), eb.and({ source, isCurrent: 0, isNext: 0 })]))
    .execute();
  await sql.insertInto('certificates').values(row).execute();
}

/** Makes a certificate current once the edge has loaded it; false if it is not the next one any more. */
export async function makeCertificateCurrent(sql: Sql, { id, name, source }: CurrentCertificate): Promise<boolean> {
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

/** Makes the newest issued certificate the next one after the uploaded one was deleted. */
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

// Not scoped to a tenant: edges serve all organizations.

const columns = ['id', 'name', 'projectId', 'source', 'fingerprint', 'notBefore', 'notAfter', 'isNext'] as const;

export const selectAllCurrent = (sql: Sql): Promise<CurrentCertificate[]> =>
  sql.selectFrom('certificates').select(columns).where('isCurrent', '=', 1).execute();

/** A certificate that should serve, and the server of its edge; null for this machine. */
export type WantedCertificate = CurrentCertificate & { serverId: string | null };

/**
 * Returns the certificates that should serve, by name; one that waits for the edge precedes the current one. With a
 * server, only those of names that have one of its projects.
 */
export async function selectAllWanted(
  sql: Sql,
  serverId: string | null = null,
): Promise<Map<string, WantedCertificate>> {
  const rows = await sql
    .selectFrom('certificates')
    .leftJoin('projects', 'projects.id', 'certificates.projectId')
    .leftJoin('servers', (join) => join.onRef('servers.id', '=', 'projects.serverId').on('servers.kind', '=', 'ssh'))
    .select(columns.map((name) => `certificates.${name}` as const))
    .select('servers.id as serverId')
    .where((eb) => eb.or([eb('certificates.isCurrent', '=', 1), eb('certificates.isNext', '=', 1)]))
    .$if(serverId !== null, (some) => some.where('certificates.name', 'in', namesOn(sql, serverId!)))
    .orderBy('certificates.isNext')
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}

const namesOn = (sql: Sql, serverId: string) =>
  sql
    .selectFrom('certificates as own')
    .innerJoin('projects as there', 'there.id', 'own.projectId')
    .select('own.name')
    .where('there.serverId', '=', serverId);

/** Marks the certificates of a moved project as pending until the new edge has loaded them. */
export async function markWaitingForEdge(sql: Sql, organizationId: string, projectId: string): Promise<void> {
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

export const selectCertificateById = (sql: Sql, id: string) =>
  sql.selectFrom('certificates').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Deletes certificates and orders of names that have no owner or another owner by now. Free names are below the base
 * domain of the project's server, and service names below those.
 */
export async function deleteOrphans(sql: Sql, baseDomain: string, dashboardHost: string | undefined): Promise<void> {
  for (const table of ['certificates', 'certificate_orders'] as const) {
    const of = raw.table(table);
    const free = raw`host_names.name || '.' || coalesce(servers.base_domain, ${baseDomain})`;
    await raw`
      delete from ${of} where not (${of}.project_id is null and ${of}.name = ${dashboardHost ?? ''}) and not exists (
        select 1 from domains where domains.name = ${of}.name and domains.project_id = ${of}.project_id
      ) and not exists (
        select 1 from host_names
        join projects on projects.id = host_names.project_id
        left join servers on servers.id = projects.server_id and servers.kind = 'ssh'
        where host_names.project_id = ${of}.project_id and (${of}.name = ${free} or ${of}.name like '%.' || ${free})
      )`.execute(sql);
  }
}
