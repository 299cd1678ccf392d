import { S3Client, usualPatience } from '../../src/drivers/storage/s3/client.ts';
import { allAt, readXml } from '../../src/drivers/storage/s3/xml.ts';
import { type Swift, swiftKeys } from './swift.ts';

/** A new bucket of Swift's owner, with the uploads in it that nobody has ended. */
export async function makeBucket({ endpoint, region }: Swift, bucket: string) {
  const { signal } = new AbortController();
  const target = {
    endpoint: new URL(endpoint),
    bucket,
    region,
    credentials: swiftKeys.owner,
    reach: 'private' as const,
  };
  const client = new S3Client(target, usualPatience);
  await client.text({ method: 'PUT', doing: 'write to', isRepeatable: true, signal });
  return {
    values: { bucket, endpoint, ...swiftKeys.owner },
    uploads: async (): Promise<string[]> => {
      const call = { method: 'GET', query: { uploads: '' }, doing: 'list', isRepeatable: true, signal } as const;
      const { text } = await client.text(call);
      return allAt(readXml(text)!, 'Upload').map(() => 'an upload');
    },
    close: () => client.close(),
  };
}
