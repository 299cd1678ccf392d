import { sql as raw } from 'kysely';
import type { Sql } from '../../../db/database.ts';
import type { GithostConnectionTable, GithostInstallationTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

/** A source of an organization: an account or an installation of the app. */
export type ConnectedSource = {
  kind: GithostConnectionTable['kind'] | 'app';
  id: string;
  login: string;
  /** Null for an account. */
  installationId: number | null;
  suspendedAt: number | null;
  /** How the organization proved that the installation is theirs. */
  proof: GithostInstallationTable['proof'] | null;
};

/** Selects all with one query. */
export async function selectConnectedSources(sql: Sql, organizationId: string): Promise<ConnectedSource[]> {
  const own = tenant(sql, organizationId);
  const accounts = own
    .select('githost_connections')
    .select((eb) => [eb.ref('kind').$castTo<ConnectedSource['kind']>().as('kind'), 'id', 'login'])
    .select([raw<number>`null`.as('installationId'), raw<number | null>`null`.as('suspendedAt')])
    .select(raw<GithostInstallationTable['proof']>`null`.as('proof'));
  const installed = own
    .select('githost_installations')
    .select([
      raw<ConnectedSource['kind']>`'app'`.as('kind'),
      'id',
      'accountLogin as login',
      'installationId',
      'suspendedAt',
      'proof',
    ]);
  const rows = await installed.unionAll(accounts).orderBy('login').execute();
  return rows as ConnectedSource[];
}

export const selectConnections = (
  sql: Sql,
  organizationId: string,
  kinds: GithostConnectionTable['kind'][],
): Promise<GithostConnectionTable[]> =>
  tenant(sql, organizationId).select('githost_connections').selectAll().where('kind', 'in', kinds).execute();

export const selectConnection = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).select('githost_connections').selectAll().where('id', '=', id).executeTakeFirst();

/** Updates the tokens of a connection; false if it no longer exists. */
export async function updateTokens(sql: Sql, organizationId: string, id: string, tokens: string, at: number) {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('githost_connections', { tokens, updatedAt: at })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const insertConnection = (sql: Sql, { organizationId, ...row }: GithostConnectionTable) =>
  tenant(sql, organizationId).insert('githost_connections', row).execute();

export const deleteConnections = (sql: Sql, organizationId: string, kinds: GithostConnectionTable['kind'][]) =>
  tenant(sql, organizationId).delete('githost_connections').where('kind', 'in', kinds).execute();
