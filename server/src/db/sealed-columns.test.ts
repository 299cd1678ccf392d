import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { databaseKinds, openNewDatabase } from '../../test/rig/databases.ts';
import { environmentKeyRing, fileKeyRing } from '../lib/key-ring.ts';
import { createSealer, sealedWith } from '../lib/seal.ts';
import { openInstance } from './instance.ts';
import { rotateKey } from './sealed-columns.ts';

describe.each(databaseKinds)('instance key on %s', (kind) => {
  const sealedValue = async (db: Awaited<ReturnType<typeof openNewDatabase>>['db']) =>
    (await db.selectFrom('instance').select('keyCheck').executeTakeFirstOrThrow()).keyCheck!;

  it('must match the database', async () => {
    const { db } = await openNewDatabase(kind);
    const first = createSealer(environmentKeyRing({ KEY: randomBytes(32).toString('base64') }));
    const { id } = await openInstance(db, first);
    expect(await openInstance(db, first)).toEqual({ id });
    const other = createSealer(environmentKeyRing({ KEY: randomBytes(32).toString('base64') }));
    await expect(openInstance(db, other)).rejects.toThrow(/instance key does not match/);
    await db.destroy();
  });

  it('rotates and reseals everything with the new key', async () => {
    const { db } = await openNewDatabase(kind);
    const ring = fileKeyRing(join(newFolder('key'), 'secret.key'));
    ring.file!.create();
    const sealer = createSealer(ring);
    await openInstance(db, sealer);
    const before = sealer.activeKeyId();
    const { resealed, keyId } = await rotateKey(db, ring, sealer);
    expect(resealed).toBe(1);
    expect(keyId).not.toBe(before);
    expect(sealedWith(await sealedValue(db))).toBe(keyId);
    expect(ring.keys().map(({ id }) => id)).toEqual([keyId, before]);
    await openInstance(db, sealer);
    await db.destroy();
  });

  it('rotates from the environment with the previous key', async () => {
    const { db } = await openNewDatabase(kind);
    const [old, next] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    await openInstance(db, createSealer(environmentKeyRing({ KEY: old })));
    const both = environmentKeyRing({ KEY: next, PREVIOUS: old });
    await rotateKey(db, both, createSealer(both));
    await openInstance(db, createSealer(environmentKeyRing({ KEY: next })));
    await db.destroy();
  });
});
