import type { IncomingMessage } from 'node:http';
import { lingering } from '../clean-up.ts';
import { StorageError } from '../storage.ts';
import type { Digest } from '../verify.ts';
import type { S3Client } from './client.ts';
import { isS3Refusal } from './errors.ts';
import { codeOf, completeMs, inParts, type UploadKeys, type Stored, type Tag } from './multipart.ts';
import type { Upload } from './notes.ts';
import { mostInMemory } from './part-plan.ts';
import { encodedPath } from './sigv4.ts';
import { readXml, textAt } from './xml.ts';

// S3 copies 5 GiB in one request, and nobody waits for an answer as long as that takes.
export const usualMostCopied = 1024 ** 3;

/** Whether there may be an object of that key: a key of ours that must not list is told "no" for both. */
export async function mayBeThere(client: S3Client, key: string, signal: AbortSignal): Promise<boolean> {
  const call = { method: 'GET', key, doing: 'write to', isRepeatable: true, signal } as const;
  try {
    letGo(await client.open({ ...call, headers: { range: 'bytes=0-0' } }));
    return true;
  } catch (error) {
    if (isS3Refusal(error, 'NoSuchKey')) return false;
    // It is empty, or we may not look.
    if (isS3Refusal(error, 416, 'AccessDenied')) return true;
    throw error;
  }
}

/** Puts an object that has been verified in the place of another: the server copies it. Until it has, the older one stays. */
export function copyOver(
  client: S3Client,
  from: { key: string; bytes: number },
  to: UploadKeys,
  { signal, mostCopied }: { signal: AbortSignal; mostCopied: number },
): Promise<Stored> {
  // Without a condition: nobody else knows the name, and Swift holds the tag of its own list of parts against it.
  const source = { 'x-amz-copy-source': `/${client.target.bucket}/${encodedPath(from.key)}` };
  if (from.bytes <= mostCopied)
    return lingering(signal, (late) => copied(client, to.key, { headers: source, result: 'CopyObjectResult' }, late));
  return inParts(client, to, signal, async (upload, until) => {
    const tags: Tag[] = [];
    for (let at = 0; at < from.bytes; at += mostCopied) {
      const range = `bytes=${at}-${Math.min(at + mostCopied, from.bytes) - 1}`;
      const headers = { ...source, 'x-amz-copy-source-range': range };
      tags.push(await copiedPart(client, upload, tags.length + 1, headers, until));
    }
    return tags;
  });
}

async function copiedPart(
  client: S3Client,
  { key, id }: Upload,
  number: number,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Tag> {
  const query = { partNumber: String(number), uploadId: id };
  const { etag } = await copied(client, key, { headers, query, result: 'CopyPartResult' }, signal);
  if (!etag) throw new StorageError('misconfigured', 'the endpoint is not an S3 service: it copied without a tag');
  return { number, etag };
}

type Copy = { headers: Record<string, string>; query?: Record<string, string>; result: string };

async function copied(client: S3Client, key: string, { result, ...copy }: Copy, signal: AbortSignal): Promise<Stored> {
  const call = { method: 'PUT', key, doing: 'write to', isRepeatable: true, signal } as const;
  const { text } = await client.text({ ...call, ...copy, stallMs: completeMs });
  const root = readXml(text.trim());
  // As with parts, a refusal may come with status 200.
  if (root?.name !== result)
    throw new StorageError('unreachable', `the target did not put the new object in its place (${codeOf(text)})`);
  return { etag: textAt(root, 'ETag'), isCertain: true };
}

/** A look at what was copied: all of it if it is small, else whether it is there and as long as it should be. */
export const isReadAgain = ({ bytes }: Digest): boolean => bytes <= mostInMemory;

/** How long an object is, and its tag. */
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

/** One byte is read, so that the connection can be used again; of a server that knows no ranges, nothing is. */
const letGo = (answer: IncomingMessage) => (answer.statusCode === 206 ? answer.resume() : answer.destroy());
