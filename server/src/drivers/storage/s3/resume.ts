import type { S3Client } from './client.ts';
import { isS3Refusal } from './errors.ts';
import { decodedListKey } from './list.ts';
import { abortUpload, type MultipartUpload } from './notes.ts';
import type { UploadPart } from './parts.ts';
import { xmlChildren, type XmlElement, readXml, xmlChildText } from '../http/xml.ts';

export type StoredPart = { bytes: number; etag: string };
/** An upload that was interrupted, and its stored parts by number. */
export interface UnfinishedUpload extends MultipartUpload {
  parts: Map<number, StoredPart>;
}

/** Finds the unfinished upload of a key that begins with this part, and aborts the others. Undefined if there is none,
 * or if the access key or the server does not support looking. */
export async function findUnfinished(
  client: S3Client,
  key: string,
  first: UploadPart,
  signal: AbortSignal,
): Promise<UnfinishedUpload | undefined> {
  let found: UnfinishedUpload | undefined;
  try {
    for (const upload of await uploadsOf(client, key, signal)) {
      const parts = await partsOf(client, upload, signal);
      if (!found && isPartStored(first, parts.get(first.number))) found = { ...upload, parts };
      else await abortUpload(client, upload, signal);
    }
  } catch (error) {
    if (!isS3Refusal(error, 'AccessDenied', 'NotImplemented', 'MethodNotAllowed', 405, 501)) throw error;
  }
  return found;
}

/** Whether the part is there already. A tag that is not the MD5 of the part, as with some encryption, is not equal. */
export const isPartStored = (part: UploadPart, stored: StoredPart | undefined): stored is StoredPart =>
  stored?.bytes === part.bytes &&
  stored.etag.replaceAll('"', '').toLowerCase() === Buffer.from(part.md5, 'base64').toString('hex');

/** Unfinished uploads of the key. One page is enough: there is one per interrupted attempt. */
async function uploadsOf(client: S3Client, key: string, signal: AbortSignal): Promise<MultipartUpload[]> {
  const query = { uploads: '', prefix: key, 'encoding-type': 'url' };
  const { text } = await client.text({ method: 'GET', query, doing: 'list', isRepeatable: true, signal });
  const page = readXml(text);
  // The name of the root element differs between servers.
  if (!page) return [];
  const isEncoded = xmlChildText(page, 'EncodingType') === 'url';
  return xmlChildren(page, 'Upload').flatMap((entry) => {
    const [name = '', id] = [xmlChildText(entry, 'Key'), xmlChildText(entry, 'UploadId')];
    return id && (isEncoded ? decodedListKey(name) : name) === key ? [{ key, id }] : [];
  });
}

/** Stored parts of an upload, in pages of up to 1,000; none if it has just ended. */
async function partsOf(
  client: S3Client,
  { key, id }: MultipartUpload,
  signal: AbortSignal,
): Promise<UnfinishedUpload['parts']> {
  const parts: UnfinishedUpload['parts'] = new Map();
  const call = { method: 'GET', key, doing: 'list', isRepeatable: true, signal } as const;
  for (let after = 0; ;) {
    const query = { uploadId: id, ...(after && { 'part-number-marker': String(after) }) };
    const page = await client.text({ ...call, query }).then(
      ({ text }) => readXml(text),
      (error: unknown) => {
        if (!isS3Refusal(error, 'NoSuchUpload')) throw error;
      },
    );
    if (!page) return parts;
    const last = addParts(page, parts);
    if (xmlChildText(page, 'IsTruncated') !== 'true' || last <= after) return parts;
    after = last;
  }
}

/** Adds the parts of a page, and returns the highest number. */
function addParts(page: XmlElement, parts: UnfinishedUpload['parts']): number {
  let last = 0;
  for (const entry of xmlChildren(page, 'Part')) {
    const number = Number(xmlChildText(entry, 'PartNumber'));
    parts.set(number, { bytes: Number(xmlChildText(entry, 'Size')), etag: xmlChildText(entry, 'ETag') ?? '' });
    last = Math.max(last, number);
  }
  return last;
}
