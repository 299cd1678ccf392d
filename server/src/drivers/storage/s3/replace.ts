import type { IncomingMessage } from 'node:http';
import { withGracePeriod } from '../clean-up.ts';
import { StorageError } from '../storage.ts';
import type { ObjectDigest } from '../verify.ts';
import type { S3Client } from './client.ts';
import { isS3Refusal } from './errors.ts';
import {
  s3ErrorCodeIn,
  completeMs,
  uploadInParts,
  type UploadKeys,
  type StoredS3Object,
  type PartTag,
} from './multipart.ts';
import type { MultipartUpload } from './notes.ts';
import { mostInMemory } from './part-plan.ts';
import { encodedPath } from './sigv4.ts';
import { readXml, xmlChildText } from '../http/xml.ts';

// S3 copies up to 5 GiB in one request, but that takes longer than the timeout.
export const usualMostCopied = 1024 ** 3;

/** Whether the object may exist: without permission to list, S3 responds 403 in both cases. */
export async function mayBeThere(client: S3Client, key: string, signal: AbortSignal): Promise<boolean> {
  const call = { method: 'GET', key, doing: 'write to', isRepeatable: true, signal } as const;
  try {
    letGo(await client.open({ ...call, headers: { range: 'bytes=0-0' } }));
    return true;
  } catch (error) {
    if (isS3Refusal(error, 'NoSuchKey')) return false;
    // It is empty, or not readable for us.
    if (isS3Refusal(error, 416, 'AccessDenied')) return true;
    throw error;
  }
}

/** Replaces an object with a verified one by a server-side copy. The old one stays until then. */
export function replaceByCopy(
  client: S3Client,
  from: { key: string; bytes: number },
  to: UploadKeys,
  { signal, mostCopied }: { signal: AbortSignal; mostCopied: number },
): Promise<StoredS3Object> {
  // Without a condition: nobody else knows the name, and Swift compares it to the tag of its own manifest.
  const source = { 'x-amz-copy-source': `/${client.target.bucket}/${encodedPath(from.key)}` };
  if (from.bytes <= mostCopied)
    return withGracePeriod(signal, (late) =>
      copied(client, to.key, { headers: source, result: 'CopyObjectResult' }, late),
    );
  return uploadInParts(client, to, { signal }, async (upload) => {
    const tags: PartTag[] = [];
    for (let at = 0; at < from.bytes; at += mostCopied) {
      const range = `bytes=${at}-${Math.min(at + mostCopied, from.bytes) - 1}`;
      const headers = { ...source, 'x-amz-copy-source-range': range };
      tags.push(await copiedPart(client, upload, tags.length + 1, headers, signal));
    }
    return tags;
  });
}

async function copiedPart(
  client: S3Client,
  { key, id }: MultipartUpload,
  number: number,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<PartTag> {
  const query = { partNumber: String(number), uploadId: id };
  const { etag } = await copied(client, key, { headers, query, result: 'CopyPartResult' }, signal);
  if (!etag) throw new StorageError('misconfigured', 'the endpoint is not an S3 service: it copied without a tag');
  return { number, etag };
}

type Copy = { headers: Record<string, string>; query?: Record<string, string>; result: string };

async function copied(
  client: S3Client,
  key: string,
  { result, ...copy }: Copy,
  signal: AbortSignal,
): Promise<StoredS3Object> {
  const call = { method: 'PUT', key, doing: 'write to', isRepeatable: true, signal } as const;
  const { text } = await client.text({ ...call, ...copy, stallMs: completeMs });
  const root = readXml(text.trim());
  // As with parts, an error may come with status 200.
  if (root?.name !== result)
    throw new StorageError('unreachable', `the destination did not replace the object (${s3ErrorCodeIn(text)})`);
  return { etag: xmlChildText(root, 'ETag'), isCertain: true };
}

/** Whether a copy is read back completely; for larger ones only existence and length are checked. */
export const isCopyReadBack = ({ bytes }: ObjectDigest): boolean => bytes <= mostInMemory;

/** Returns the length and tag of an object. */
export async function headObject(
  client: S3Client,
  key: string,
  signal: AbortSignal,
): Promise<{ bytes: number; etag: string | undefined }> {
  const call = { method: 'GET', key, doing: 'read objects of', isRepeatable: true, signal } as const;
  const answer = await client.open({ ...call, headers: { range: 'bytes=0-0' } });
  letGo(answer);
  const { etag, 'content-range': range, 'content-length': length } = answer.headers;
  return { bytes: Number(answer.statusCode === 206 ? /\/(\d+)$/.exec(range ?? '')?.[1] : length), etag };
}

/** Reads the one byte to reuse the connection; without range support, destroys it instead. */
const letGo = (answer: IncomingMessage) => (answer.statusCode === 206 ? answer.resume() : answer.destroy());
