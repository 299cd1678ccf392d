import { isTemporary, keyName } from '../../src/drivers/storage/keys.ts';
import type { S3Target } from '../../src/drivers/storage/s3/address.ts';
import { S3Client, defaultS3Timeouts } from '../../src/drivers/storage/s3/client.ts';
import { pagesOf } from '../../src/drivers/storage/s3/list.ts';
import { allAt, readXml } from '../../src/drivers/storage/s3/xml.ts';

/** The contents of a bucket that our own lists hide. */
export function insideOf(target: Omit<S3Target, 'reach'>) {
  const { signal } = new AbortController();
  const client = new S3Client({ ...target, reach: 'private' }, defaultS3Timeouts);
  /** Incomplete multipart uploads. */
  const uploads = async (): Promise<string[]> => {
    const call = { method: 'GET', query: { uploads: '' }, doing: 'list', isRepeatable: true, signal } as const;
    const { text } = await client.text(call);
    return allAt(readXml(text)!, 'Upload').map(() => 'an upload');
  };
  return {
    client,
    uploads,
    /** Includes temporary objects. */
    async leftovers(): Promise<string[]> {
      const found = await uploads();
      for await (const { key } of pagesOf(client, '', signal)) if (isTemporary(keyName(key))) found.push(key);
      return found;
    },
    close: () => client.close(),
  };
}
