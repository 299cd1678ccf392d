import { randomBytes } from 'node:crypto';
import { StartError } from '../errors.ts';
import { newId } from '../lib/ids.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from './database.ts';

const phrase = 'mooring';

/** Whether this database was used before; then its key exists too and is never created again. */
export const hasInstance = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('instance').select('id').executeTakeFirst()) !== undefined;

/** Creates the instance row on the first start, and later rejects a key that does not match the database. */
export async function openInstance(db: Db, sealer: Sealer): Promise<{ id: string }> {
  const id = newId('ins');
  const row = {
    id,
    singleton: 1,
    ownerUserId: null,
    keyCheck: sealer.seal(phrase, place(id)),
    createdAt: Date.now(),
  };
  await db
    .insertInto('instance')
    .values(row)
    .onConflict((c) => c.column('singleton').doNothing())
    .execute();
  const instance = await db.selectFrom('instance').selectAll().executeTakeFirstOrThrow();
  checkInstanceKey(sealer, instance.id, instance.keyCheck!);
  return { id: instance.id };
}

/** Throws if the key is not the one of the instance. */
export function checkInstanceKey(sealer: Sealer, instanceId: string, keyCheck: string): void {
  try {
    sealer.open(keyCheck, place(instanceId));
  } catch (error) {
    throw new StartError(
      'the instance key does not match this database; set the right one in MOORING_SECRET_KEY or restore secret.key',
      { cause: error },
    );
  }
}

/** Returns the password of our own registry, which is generated at the first call. */
export async function registryPassword(db: Db, sealer: Sealer): Promise<string> {
  const row = await db.selectFrom('instance').select(['id', 'registryPassword']).executeTakeFirstOrThrow();
  const at = place(row.id, 'registry_password');
  if (row.registryPassword !== null) return sealer.open(row.registryPassword, at);
  const generated = sealer.seal(randomBytes(32).toString('base64url'), at);
  await db.updateTable('instance').set({ registryPassword: generated }).where('registryPassword', 'is', null).execute();
  // Another replica may have been faster.
  return registryPassword(db, sealer);
}

const place = (row: string, column = 'key_check') => ({ table: 'instance', column, row });
