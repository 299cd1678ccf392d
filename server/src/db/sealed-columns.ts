import { sql } from 'kysely';
import type { KeyRing } from '../lib/key-ring.ts';
import { type Sealer, sealedWith } from '../lib/seal.ts';
import type { Db } from './database.ts';
import type { Tables } from './tables.ts';

/** Every column with sealed values, by its database name, which the values are bound to. A row is identified by `id`,
 * or by `row`. Key rotation iterates over this list. */
export const sealedColumns: { table: keyof Tables; column: string; row?: string }[] = [
  { table: 'instance', column: 'key_check' },
  { table: 'instance', column: 'registry_password' },
  { table: 'projects', column: 'services' },
  { table: 'project_variables', column: 'value' },
  { table: 'deployments', column: 'config' },
  { table: 'deployments', column: 'stack' },
  { table: 'builds', column: 'request' },
  { table: 'builds', column: 'result' },
  { table: 'build_lines', column: 'lines' },
  { table: 'registries', column: 'password' },
  { table: 'deploy_keys', column: 'private_key' },
  { table: 'servers', column: 'password' },
  { table: 'servers', column: 'private_key' },
  { table: 'servers', column: 'passphrase' },
  { table: 'backup_destinations', column: 'secrets' },
  { table: 'backup_keys', column: 'identity' },
  { table: 'githost_connections', column: 'tokens' },
  { table: 'githost_sign_ins', column: 'secret' },
  { table: 'githost_clone_tokens', column: 'token' },
  { table: 'githost_hooks', column: 'secret' },
  { table: 'certificates', column: 'private_key' },
  { table: 'cloud_links', column: 'token', row: 'organization_id' },
  { table: 'acme_accounts', column: 'private_key', row: 'directory' },
];

/** Reseals everything with the active key, after creating a new one where the keys are ours. */
export function rotateKey(db: Db, ring: KeyRing, sealer: Sealer): Promise<{ resealed: number; keyId: string }> {
  const reseal = async () => ({ resealed: await resealAll(db, sealer), keyId: sealer.activeKeyId() });
  return ring.file ? ring.file.rotate(reseal) : reseal();
}

async function resealAll(db: Db, sealer: Sealer): Promise<number> {
  let count = 0;
  for (const { table, column, row = 'id' } of sealedColumns) {
    const { rows } = await sql<{ id: string; value: string }>`
      select ${sql.ref(row)} as id, ${sql.ref(column)} as value from ${sql.table(table)} where ${sql.ref(column)} is not null
    `.execute(db);
    for (const { id, value } of rows.filter((row) => sealedWith(row.value) !== sealer.activeKeyId())) {
      const place = { table, column, row: id };
      const next = sealer.seal(sealer.open(value, place), place);
      // Only if the value has not changed meanwhile.
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next} where ${sql.ref(row)} = ${id} and ${sql.ref(column)} = ${value}`.execute(
        db,
      );
      count++;
    }
  }
  return count;
}
