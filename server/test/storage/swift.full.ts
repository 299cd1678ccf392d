import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contentOf, liveOptions, storageContract, chunkedStream } from '../../src/drivers/storage/contract.ts';
import { s3StorageKind } from '../../src/drivers/storage/s3/s3.ts';
import type { Storage, StorageValues } from '../../src/drivers/storage/storage.ts';
import { testStorageContext } from '../../src/drivers/storage/storage-rig.ts';
import { startBadLine } from '../rig/bad-line.ts';
import { has } from '../rig/parts.ts';
import { expectResumed } from '../rig/resumed-put.ts';
import { startSwift, type Swift, swiftKeys } from '../rig/swift.ts';
import { makeBucket } from '../rig/swift-bucket.ts';

const said = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) as string });
const hello = () => Readable.from(['hello']);

describe.runIf(has('swift'))('OpenStack Swift', () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift?.stop());

  const open = async (values: StorageValues): Promise<Storage> => {
    const storage = await s3StorageKind.open(values, testStorageContext());
    onTestFinished(() => storage.close());
    return storage;
  };

  storageContract(
    's3_compatible on OpenStack Swift',
    async () => {
      const bucket = await makeBucket(swift, 'contract');
      const storage = await s3StorageKind.open(bucket.values, testStorageContext());
      return {
        storage,
        leftovers: () => bucket.leftovers(),
        elsewhere: { kind: 's3_compatible', values: bucket.values },
        async close() {
          await storage.close();
          bucket.close();
        },
      };
    },
    { bigBytes: 20_000_000, many: 1_010 },
  );

  it('reports refused operations', async () => {
    const { values } = await makeBucket(swift, 'refusals');
    const put = async (changes: StorageValues) =>
      (await open({ ...values, ...changes })).put('probe', hello(), liveOptions);
    await expect(put({ accessKeyId: 'test:nobody' })).rejects.toMatchObject({ code: 'auth_failed' });
    await expect(put({ secretAccessKey: 'wrong' })).rejects.toMatchObject({ code: 'auth_failed' });
    await expect(put({ bucket: 'none-such' })).rejects.toMatchObject(said('not_found', /no bucket none-such/));
    await put({ region: 'us-west-2' });
    await put({ region: undefined });
  });

  it('reports missing permissions of a key, and a full bucket', async () => {
    const { values } = await makeBucket(swift, 'rights');
    // Before the first request: Swift caches permissions.
    await swift.setBucket('rights', { 'x-container-read': 'test:reader', 'x-container-write': 'test:writer' });
    await (await open(values)).put('there', hello(), liveOptions);
    const reader = await open({ ...values, ...swiftKeys.reader });
    expect(String(await contentOf(reader, 'there'))).toBe('hello');
    await expect(reader.put('new', hello(), liveOptions)).rejects.toMatchObject(
      said('permission_denied', /s3:PutObject/),
    );
    await expect(reader.delete('there', liveOptions)).rejects.toMatchObject(
      said('permission_denied', /s3:DeleteObject/),
    );
    const writer = await open({ ...values, ...swiftKeys.writer });
    await expect(writer.put('new', hello(), liveOptions)).rejects.toMatchObject(
      said('permission_denied', /s3:GetObject/),
    );
    const small = await makeBucket(swift, 'small');
    await swift.setBucket('small', { 'x-container-meta-quota-bytes': '1000000' });
    const owner = await open(small.values);
    const large = chunkedStream(Buffer.alloc(2_000_000));
    await expect(owner.put('large', large, liveOptions)).rejects.toMatchObject(said('no_space', /no space left/));
  });

  it('continues the upload of a killed process', async () => {
    const { values, ...inside } = await makeBucket(swift, 'resumed');
    await expectResumed('Swift', values, inside);
  });

  it.each([1_000, 20_000_000])('detects corrupted data on read-back (%s bytes)', async (bytes) => {
    const { values, uploads } = await makeBucket(swift, `lies-${bytes}`);
    const line = await startBadLine(Number(new URL(swift.endpoint).port));
    onTestFinished(() => line.stop());
    const marker = Buffer.from('0123456789abcdef');
    const storage = await open({ ...values, endpoint: `http://127.0.0.1:${line.port}` });
    line.lieAbout = marker;
    const putting = storage.put('lie', chunkedStream(Buffer.alloc(bytes, marker)), liveOptions);
    await expect(putting).rejects.toMatchObject(said('corrupted', /came back with different bytes/));
    line.lieAbout = undefined;
    await expect(storage.get('lie', liveOptions)).rejects.toMatchObject({ code: 'not_found' });
    expect(await uploads()).toEqual([]);
  });
});
