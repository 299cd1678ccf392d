import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { cleanUpMs } from '../clean-up.ts';
import { complaintOfPath, temporaryName } from '../keys.ts';
import type { S3Client } from './client.ts';
import { isS3Refusal } from './errors.ts';
import type { S3Payload } from './exchange.ts';
import { readObject } from './read.ts';
import { sha256Hex } from './sigv4.ts';

/** A multipart upload in progress. */
export interface MultipartUpload {
  key: string;
  id: string;
}

const mostNoteBytes = 8192;

/** Records that an upload has started. A list of uploads does not tell which are ours; with the note, a sweep aborts
 * exactly those that a killed process left. */
export async function writeNote(
  client: S3Client,
  note: string,
  upload: MultipartUpload,
  signal: AbortSignal,
): Promise<void> {
  const payload = payloadOf(JSON.stringify(upload));
  const call = { method: 'PUT', key: note, payload, doing: 'write to', isRepeatable: true, signal } as const;
  await client.text(call);
}

/** Key of an upload's note, which is the same when the upload is continued. */
export const uploadNoteKey = (home: string, { id }: MultipartUpload): string =>
  home + temporaryName('upload', sha256Hex(id));

/** Returns the upload of a note; undefined if it is not one of ours. */
export async function readNote(
  client: S3Client,
  note: string,
  signal: AbortSignal,
): Promise<MultipartUpload | undefined> {
  const { chunks } = await readObject(client, note, { signal, range: { from: 0, to: mostNoteBytes } });
  try {
    const { key, id } = JSON.parse((await buffer(chunks)).toString()) as Partial<Record<string, unknown>>;
    return typeof key === 'string' && typeof id === 'string' && id && !complaintOfWay(key) ? { key, id } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The key of an upload may be temporary; otherwise it must be valid. */
const complaintOfWay = (key: string) => complaintOfPath(key.replace(/\.(part|upload)$/, ''));

/** Aborts an upload. Ignores one that is finished. */
export async function abortUpload(client: S3Client, { key, id }: MultipartUpload, signal?: AbortSignal): Promise<void> {
  const call = { method: 'DELETE', key, query: { uploadId: id }, doing: 'delete objects of' } as const;
  await client
    .text({ ...call, isRepeatable: true, signal: signal ?? AbortSignal.timeout(cleanUpMs) })
    .catch((error: unknown) => {
      if (!isS3Refusal(error, 'NoSuchUpload')) throw error;
    });
}

export async function removeObject(client: S3Client, key: string, signal?: AbortSignal): Promise<void> {
  const call = { method: 'DELETE', key, doing: 'delete objects of', isRepeatable: true } as const;
  await client.text({ ...call, signal: signal ?? AbortSignal.timeout(cleanUpMs) }).catch((error: unknown) => {
    if (!isS3Refusal(error, 'NoSuchKey')) throw error;
  });
}

export function payloadOf(text: string): S3Payload {
  const content = Buffer.from(text);
  const md5 = createHash('md5').update(content).digest('base64');
  return { bytes: content.length, sha256: sha256Hex(content), md5, open: () => content };
}
