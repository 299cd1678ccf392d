import { isTemporary, keyName } from '../../src/drivers/storage/keys.ts';
import type { S3Target } from '../../src/drivers/storage/s3/address.ts';
import { S3Client, defaultS3Timeouts } from '../../src/drivers/storage/s3/client.ts';
import { pagesOf } from '../../src/drivers/storage/s3/list.ts';
import { xmlChildren, readXml, xmlChildText } from '../../src/drivers/storage/http/xml.ts';

/** The contents of a bucket that our own lists hide. */
export function insideOf(target: Omit<S3Target, 'reach'>) {
  const { signal } = new AbortController();
  const client = new S3Client({ ...target, reach: 'private' }, defaultS3Timeouts);
  const call = { method: 'GET', doing: 'list', isRepeatable: true, signal } as const;
  const entriesOf = async (name: string, query: Record<string, string>, key?: string) => {
    const { text } = await client.text({ ...call, query, ...(key !== undefined && { key }) });
    return xmlChildren(readXml(text)!, name);
  };
  /** Incomplete multipart uploads. */
  const uploads = async (): Promise<string[]> => (await entriesOf('Upload', { uploads: '' })).map(() => 'an upload');
  return {
    client,
    uploads,
    /** Number of parts that an incomplete upload of the key has stored. */
    async storedParts(key: string): Promise<number> {
      const found = (await entriesOf('Upload', { uploads: '' })).find((each) => xmlChildText(each, 'Key') === key);
      return found ? (await entriesOf('Part', { uploadId: xmlChildText(found, 'UploadId')! }, key)).length : 0;
    },
    /** Includes temporary objects. */
    async leftovers(): Promise<string[]> {
      const found = await uploads();
      for await (const { key } of pagesOf(client, '', signal)) if (isTemporary(keyName(key))) found.push(key);
      return found;
    },
    close: () => client.close(),
  };
}
