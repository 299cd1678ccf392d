import { checkListPrefix, complaintOfPath } from '../keys.ts';
import { type StorageCallOptions, StorageError, type StoredObject } from '../storage.ts';
import type { S3Client } from './client.ts';
import { xmlChildren, type XmlElement, readXml, xmlChildText } from '../http/xml.ts';

/** Lists objects by prefix. */
export async function* listObjects(
  client: S3Client,
  prefix: string,
  { signal }: StorageCallOptions,
): AsyncGenerator<StoredObject> {
  checkListPrefix(prefix);
  // Others may store objects with names that are invalid for us, such as folders made by a console.
  for await (const object of pagesOf(client, prefix, signal)) if (!complaintOfPath(object.key)) yield object;
}

/** Lists everything with the prefix, in pages of up to 1,000. */
export async function* pagesOf(client: S3Client, prefix: string, signal: AbortSignal): AsyncGenerator<StoredObject> {
  let token: string | undefined;
  do {
    // Encoded, because XML cannot represent every name.
    const query = { 'list-type': '2', prefix, 'encoding-type': 'url', ...(token && { 'continuation-token': token }) };
    const { text } = await client.text({ method: 'GET', query, doing: 'list', isRepeatable: true, signal });
    const page = readXml(text);
    if (page?.name !== 'ListBucketResult') throw strange('it does not list objects');
    const isEncoded = xmlChildText(page, 'EncodingType') === 'url';
    for (const entry of xmlChildren(page, 'Contents')) {
      const object = objectOf(entry, isEncoded);
      if (object.key.startsWith(prefix)) yield object;
    }
    const next = xmlChildText(page, 'IsTruncated') === 'true' ? xmlChildText(page, 'NextContinuationToken') : undefined;
    if (next !== undefined && next === token) throw strange('its list has no end');
    if (next === undefined && xmlChildText(page, 'IsTruncated') === 'true')
      throw strange('its list stops in the middle');
    token = next;
  } while (token !== undefined);
}

const strange = (why: string) => new StorageError('misconfigured', `the endpoint is not an S3 service: ${why}`);

function objectOf(entry: XmlElement, isEncoded: boolean): StoredObject {
  const [key, size, time] = [
    xmlChildText(entry, 'Key'),
    xmlChildText(entry, 'Size'),
    xmlChildText(entry, 'LastModified'),
  ];
  if (key === undefined || !/^\d{1,16}$/.test(size ?? '')) throw strange('its list has objects without a name or size');
  const modifiedAt = Date.parse(time ?? '');
  return {
    key: isEncoded ? decodedListKey(key) : key,
    bytes: Number(size),
    modifiedAt: Number.isNaN(modifiedAt) ? null : modifiedAt,
  };
}

/** Decodes a key of a list with `encoding-type=url`. */
export function decodedListKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw strange('its list has names that cannot be read');
  }
}
