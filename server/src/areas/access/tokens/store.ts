import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import { prepared, type Slots } from '../../../db/prepared.ts';
import type { TokenTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';

export const insertToken = (sql: Sql, organizationId: string, token: Omit<TokenTable, 'organizationId'>) =>
  tenant(sql, organizationId).insert('tokens', token).execute();

const withHolder = (sql: Sql, organizationId: string) =>
  tenant(sql, organizationId)
    .select('tokens')
    .innerJoin('members', 'members.id', 'tokens.memberId')
    .innerJoin('users', 'users.id', 'members.userId')
    .select([
      'tokens.id',
      'tokens.name',
      'tokens.prefix',
      'tokens.permissions',
      'tokens.createdAt',
      'tokens.expiresAt',
      'tokens.lastUsedAt',
      'tokens.memberId',
      'users.email',
    ]);

export type TokenRow = Awaited<ReturnType<typeof selectTokens>>[number];

type Holding = { organizationId: string; memberId: string };
const selectAll = prepared((sql, slot: Slots<Pick<Holding, 'organizationId'>>) =>
  withHolder(sql, slot('organizationId')).orderBy('tokens.id', 'desc'),
);
const selectOfMember = prepared((sql, slot: Slots<Holding>) =>
  withHolder(sql, slot('organizationId')).where('tokens.memberId', '=', slot('memberId')).orderBy('tokens.id', 'desc'),
);

/** Returns the tokens of one member, or of all. */
export const selectTokens = (sql: Sql, organizationId: string, memberId: string | undefined) =>
  memberId === undefined ? selectAll(sql, { organizationId }) : selectOfMember(sql, { organizationId, memberId });

export const selectToken = (sql: Sql, organizationId: string, id: string) =>
  withHolder(sql, organizationId).where('tokens.id', '=', id).executeTakeFirst();

export const deleteToken = (sql: Sql, organizationId: string, id: string) =>
  tenant(sql, organizationId).delete('tokens').where('id', '=', id).execute();

export const deleteTokensOfMember = (sql: Sql, organizationId: string, memberId: string) =>
  tenant(sql, organizationId).delete('tokens').where('memberId', '=', memberId).execute();

/** Not scoped to a tenant: ids come from authentication. */
export const updateLastUses = (db: Db, uses: Map<string, number>) =>
  inTransaction(db, async (trx) => {
    // Fixed order, so that two replicas do not deadlock.
    for (const [id, at] of [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await trx.updateTable('tokens').set({ lastUsedAt: at }).where('id', '=', id).execute();
  });
