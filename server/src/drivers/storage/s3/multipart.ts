import { afterCleanUp, withGracePeriod } from '../clean-up.ts';
import { StorageError } from '../storage.ts';
import type { S3Client } from './client.ts';
import { isS3Refusal } from './errors.ts';
import { abortUpload, uploadNoteKey, payloadOf, removeObject, type MultipartUpload, writeNote } from './notes.ts';
import type { UploadPart } from './parts.ts';
import { isPartStored, type UnfinishedUpload } from './resume.ts';
import { readXml, xmlChildText } from '../http/xml.ts';

// 32 MiB together with the part being filled.
const atOnce = 3;
// Servers assemble the parts before they respond.
export const completeMs = 10 * 60_000;

/** The stored object. Uncertain: the server assembled the parts or lost them; reading it back tells. */
export interface StoredS3Object {
  etag: string | undefined;
  isCertain: boolean;
}
export type PartTag = { number: number; etag: string };
/** Key of the object, and folder of its note. */
export type UploadKeys = { key: string; home: string };

/** How an upload begins and ends. */
export type UploadCall = {
  signal: AbortSignal;
  unfinished?: UnfinishedUpload | undefined;
  /** Whether the upload stays after this error, for the next attempt. */
  keeps?: (error: unknown) => boolean;
};

/** Uploads parts concurrently as one object, which appears only when all have arrived. */
export const putParts = (
  client: S3Client,
  place: UploadKeys,
  parts: AsyncIterable<UploadPart>,
  call: UploadCall,
): Promise<StoredS3Object> =>
  uploadInParts(client, place, call, (upload) =>
    sendAll(client, { ...upload, parts: call.unfinished?.parts }, parts, call),
  );

/** Starts or continues a multipart upload, brings its parts there and completes it. */
export async function uploadInParts(
  client: S3Client,
  { key, home }: UploadKeys,
  { signal, unfinished, keeps = () => false }: UploadCall,
  bring: (upload: MultipartUpload) => Promise<PartTag[]>,
): Promise<StoredS3Object> {
  const upload = { key, id: unfinished?.id ?? (await withGracePeriod(signal, (late) => begin(client, key, late))) };
  const note = uploadNoteKey(home, upload);
  // A note that stays is harmless: its upload is finished, and the next sweep removes it.
  const removeNote = () => removeObject(client, note).catch(() => {});
  let stored: StoredS3Object;
  try {
    await withGracePeriod(signal, (late) => writeNote(client, note, upload, late));
    const tags = await bring(upload);
    stored = await withGracePeriod(signal, (late) => complete(client, upload, tags, late));
  } catch (error) {
    if (keeps(error)) throw error;
    const failure = await afterCleanUp(error, () => abortUpload(client, upload));
    await removeNote();
    throw failure;
  }
  await removeNote();
  return stored;
}

async function sendAll(
  client: S3Client,
  upload: MultipartUpload & Partial<UnfinishedUpload>,
  parts: AsyncIterable<UploadPart>,
  { signal }: UploadCall,
): Promise<PartTag[]> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const running = new Set<Promise<void>>();
  const tags: PartTag[] = [];
  try {
    for await (const part of parts) {
      const stored = upload.parts?.get(part.number);
      if (isPartStored(part, stored)) {
        tags.push({ number: part.number, etag: stored.etag });
        await part.release();
        continue;
      }
      const sending = send(client, upload, part, either)
        .then((etag) => void tags.push({ number: part.number, etag }))
        .finally(() => running.delete(sending));
      running.add(sending);
      // Awaited below; an earlier rejection must not be unhandled.
      sending.catch(() => {});
      while (running.size >= (part.isAlone ? 1 : atOnce)) await Promise.race(running);
    }
    await Promise.all(running);
    return tags;
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
}

async function begin(client: S3Client, key: string, signal: AbortSignal): Promise<string> {
  const call = { method: 'POST', key, query: { uploads: '' }, doing: 'write to', signal } as const;
  // A retry would start a second upload that is never completed.
  const { text } = await client.text({ ...call, isRepeatable: false });
  const root = readXml(text);
  const id = root && xmlChildText(root, 'UploadId');
  if (!id)
    throw new StorageError('misconfigured', 'the endpoint is not an S3 service: it started an upload without an id');
  return id;
}

async function send(
  client: S3Client,
  { key, id }: MultipartUpload,
  part: UploadPart,
  signal: AbortSignal,
): Promise<string> {
  try {
    const query = { partNumber: String(part.number), uploadId: id };
    const call = { method: 'PUT', key, query, payload: part, doing: 'write to', isRepeatable: true, signal } as const;
    const { answer } = await client.text(call);
    const { etag } = answer.headers;
    if (!etag)
      throw new StorageError('misconfigured', 'the endpoint is not an S3 service: it accepted a part without a tag');
    return etag;
  } finally {
    await part.release();
  }
}

async function complete(
  client: S3Client,
  { key, id }: MultipartUpload,
  tags: PartTag[],
  signal: AbortSignal,
): Promise<StoredS3Object> {
  const parts = tags
    .sort((a, b) => a.number - b.number)
    .map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`);
  const payload = payloadOf(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const call = { method: 'POST', key, query: { uploadId: id }, payload, doing: 'write to', signal } as const;
  let text: string;
  try {
    ({ text } = await client.text({ ...call, isRepeatable: true, stallMs: completeMs }));
  } catch (error) {
    // An attempt whose response was lost has completed it.
    if (isS3Refusal(error, 'NoSuchUpload')) return { etag: undefined, isCertain: false };
    throw error;
  }
  const root = readXml(text.trim());
  // An error found after the response began comes with status 200.
  if (root?.name !== 'CompleteMultipartUploadResult')
    throw new StorageError('unreachable', `the destination did not assemble the parts (${s3ErrorCodeIn(text)})`);
  return { etag: xmlChildText(root, 'ETag'), isCertain: true };
}

/** Returns the error code in a response with status 200. */
export const s3ErrorCodeIn = (text: string): string =>
  /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? 'no reason given';
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
