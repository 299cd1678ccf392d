import type { Sql } from '../../../db/database.ts';
import type { DomainProofTable } from '../../../db/tables.ts';

/** An authority may issue the same token twice. */
export const upsertProof = (sql: Sql, row: DomainProofTable) =>
  sql
    .insertInto('domain_proofs')
    .values(row)
    .onConflict((conflict) => conflict.column('token').doUpdateSet(row))
    .execute();

export const selectProof = (sql: Sql, token: string) =>
  sql.selectFrom('domain_proofs').selectAll().where('token', '=', token).executeTakeFirst();

export const deleteProof = (sql: Sql, token: string) =>
  sql.deleteFrom('domain_proofs').where('token', '=', token).execute();

export const deleteProofsBefore = (sql: Sql, time: number) =>
  sql.deleteFrom('domain_proofs').where('expiresAt', '<', time).execute();
