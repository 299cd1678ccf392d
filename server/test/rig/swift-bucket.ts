import { insideOf } from './s3-inside.ts';
import { type Swift, swiftKeys } from './swift.ts';

/** Creates a bucket of Swift's owner; also lists its incomplete uploads. */
export async function makeBucket({ endpoint, region }: Swift, bucket: string) {
  const { client, ...inside } = insideOf({ endpoint: new URL(endpoint), bucket, region, credentials: swiftKeys.owner });
  const { signal } = new AbortController();
  await client.text({ method: 'PUT', doing: 'write to', isRepeatable: true, signal });
  return { values: { bucket, endpoint, ...swiftKeys.owner }, ...inside };
}
