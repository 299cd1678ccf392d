import { describe, it } from 'vitest';
import { s3Compatible } from '../../src/drivers/storage/s3/s3.ts';
import { S3Client, usualPatience } from '../../src/drivers/storage/s3/client.ts';
import { readXml, allAt } from '../../src/drivers/storage/s3/xml.ts';
import { storageContract } from '../../src/drivers/storage/contract.ts';
import { contextOf } from '../../src/drivers/storage/storage-rig.ts';
import { has } from '../rig/parts.ts';
import { startSwift, type Swift, swiftKeys } from '../rig/swift.ts';

const live = { signal: new AbortController().signal };

/** Makes a bucket, as its owner. */
async function makeBucket({ endpoint, region }: Swift, bucket: string): Promise<S3Client> {
  const target = {
    endpoint: new URL(endpoint),
    bucket,
    region,
    credentials: swiftKeys.owner,
    reach: 'private' as const,
  };
  const client = new S3Client(target, usualPatience);
  await client.text({ method: 'PUT', doing: 'write to', isRepeatable: true, ...live });
  return client;
}

async function uploadsOf(client: S3Client): Promise<string[]> {
  const { text } = await client.text({
    method: 'GET',
    query: { uploads: '' },
    doing: 'list',
    isRepeatable: true,
    ...live,
  });
  return allAt(readXml(text)!, 'Upload').map(() => 'an upload');
}

describe.runIf(has('swift'))('Swift', () => {
  storageContract(
    's3_compatible on OpenStack Swift',
    async () => {
      const swift = await startSwift();
      const client = await makeBucket(swift, 'contract');
      const values = { bucket: 'contract', endpoint: swift.endpoint, ...swiftKeys.owner };
      const storage = await s3Compatible.open(values, contextOf());
      return {
        storage,
        leftovers: () => uploadsOf(client),
        async close() {
          await storage.close();
          client.close();
          await swift.stop();
        },
      };
    },
    { bigBytes: 20_000_000, many: 1_010 },
  );
  it('is there', () => {});
});
