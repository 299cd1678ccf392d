import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { preflight } from '../../src/areas/backups/destinations/preflight.ts';
import { contentOf, keysOf, liveOptions, storageContract, chunkedStream } from '../../src/drivers/storage/contract.ts';
import { s3StorageKind } from '../../src/drivers/storage/s3/s3.ts';
import type { Storage } from '../../src/drivers/storage/storage.ts';
import { testStorageContext } from '../../src/drivers/storage/storage-rig.ts';
import { type Moto, startMoto } from '../rig/moto.ts';
import { has } from '../rig/parts.ts';
import { expectResumed } from '../rig/resumed-put.ts';
import { insideOf } from '../rig/s3-inside.ts';

const rights = {
  owner: ['s3:*'],
  reader: ['s3:GetObject', 's3:ListBucket'],
  keeper: ['s3:PutObject', 's3:GetObject', 's3:ListBucket'],
  writer: ['s3:PutObject', 's3:ListBucket', 's3:DeleteObject'],
  blind: ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'],
};
type Who = keyof typeof rights;
const denied = (permission: string) => ({
  code: 'permission_denied',
  message: expect.stringContaining(`it needs ${permission}`) as string,
});
const hello = () => Readable.from(['hello']);

describe.runIf(has('moto'))('S3 with IAM', () => {
  let moto: Moto;
  const keys = {} as Record<Who, Awaited<ReturnType<Moto['keyFor']>>>;
  beforeAll(async () => {
    moto = await startMoto();
    for (const bucket of ['bucket', 'contract']) await moto.makeBucket(bucket);
    for (const who of Object.keys(rights) as Who[]) keys[who] = await moto.keyFor(who, rights[who]);
    await moto.begin();
  });
  afterAll(() => moto?.stop());

  storageContract(
    's3_compatible on moto',
    async () => {
      const values = { bucket: 'contract', endpoint: moto.endpoint, ...keys.owner };
      const credentials = keys.owner;
      const inside = insideOf({ endpoint: new URL(moto.endpoint), bucket: 'contract', region: undefined, credentials });
      const storage = await s3StorageKind.open(values, testStorageContext());
      return {
        storage,
        leftovers: () => inside.leftovers(),
        elsewhere: { kind: 's3_compatible', values },
        async close() {
          await storage.close();
          inside.close();
        },
      };
    },
    { bigBytes: 20_000_000, many: 1_010 },
  );

  const open = async (who: Who, more: Partial<(typeof keys)[Who]> = {}): Promise<Storage> => {
    const values = { bucket: 'bucket', endpoint: moto.endpoint, ...keys[who], ...more };
    const storage = await s3StorageKind.open(values, testStorageContext());
    onTestFinished(() => storage.close());
    return storage;
  };
  const tried = async (who: Who) => preflight(() => open(who), 30_000);

  it('stores objects for its owner, and reports a wrong key', async () => {
    const owner = await open('owner');
    const content = Buffer.alloc(20_000_000, 'abc');
    await owner.put('large', chunkedStream(content), liveOptions);
    expect((await contentOf(owner, 'large')).equals(content)).toBe(true);
    expect(await tried('owner')).toEqual({ ok: true });
    expect(await keysOf(owner)).toEqual(['large']);
    await owner.delete('large', liveOptions);
    const wrong = await open('owner', { secretAccessKey: 'wrong' });
    await expect(wrong.put('a', hello(), liveOptions)).rejects.toMatchObject({ code: 'auth_failed' });
    const unknown = await open('owner', { accessKeyId: 'AKIAUNKNOWN' });
    await expect(unknown.put('a', hello(), liveOptions)).rejects.toMatchObject({ code: 'auth_failed' });
  });

  it('continues the upload of a killed process', async () => {
    const { endpoint } = moto;
    const target = { endpoint: new URL(endpoint), bucket: 'bucket', region: undefined, credentials: keys.owner };
    const inside = insideOf(target);
    onTestFinished(() => inside.close());
    await expectResumed('moto', { bucket: 'bucket', endpoint, ...keys.owner }, inside);
    await (await open('owner')).delete('large/object', liveOptions);
  });

  it('reports a read-only key', async () => {
    const [owner, reader] = [await open('owner'), await open('reader')];
    await owner.put('there', hello(), liveOptions);
    expect(String(await contentOf(reader, 'there'))).toBe('hello');
    await expect(reader.put('there', hello(), liveOptions)).rejects.toMatchObject(denied('s3:PutObject'));
    await expect(reader.put('large', chunkedStream(Buffer.alloc(20_000_000)), liveOptions)).rejects.toMatchObject(
      denied('s3:PutObject'),
    );
    await expect(reader.delete('there', liveOptions)).rejects.toMatchObject(denied('s3:DeleteObject'));
    expect(await tried('reader')).toMatchObject({ ok: false, code: 'permission_denied' });
    expect(await keysOf(owner)).toEqual(['there']);
    await owner.delete('there', liveOptions);
  });

  it('reports a key that may write but not delete, and the leftover object', async () => {
    const [owner, keeper] = [await open('owner'), await open('keeper')];
    const outcome = await tried('keeper');
    expect(outcome).toMatchObject({ ok: false, code: 'permission_denied' });
    const { reason } = outcome as { reason: string };
    expect(reason).toMatch(/^objects can be written but not deleted: .*s3:DeleteObject/);
    const [left, ...others] = await keysOf(owner);
    expect(others).toEqual([]);
    expect(reason).toContain(`The test object ${left!} is still there`);
    await keeper.put('kept', hello(), liveOptions);
    await expect(keeper.delete('kept', liveOptions)).rejects.toMatchObject(denied('s3:DeleteObject'));
    for (const key of await keysOf(owner)) await owner.delete(key, liveOptions);
  });

  it('reports a key that may not read or not list', async () => {
    const [owner, writer, blind] = [await open('owner'), await open('writer'), await open('blind')];
    await expect(writer.put('unseen', hello(), liveOptions)).rejects.toMatchObject(denied('s3:GetObject'));
    await blind.put('stored', hello(), liveOptions);
    await expect(keysOf(blind)).rejects.toMatchObject(denied('s3:ListBucket'));
    expect(await keysOf(owner)).toEqual(['stored']);
    await owner.delete('stored', liveOptions);
  });
});
