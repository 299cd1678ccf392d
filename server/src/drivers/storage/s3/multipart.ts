import { afterCleanUp, lingering } from '../clean-up.ts';
import { StorageError } from '../storage.ts';
import type { S3Client } from './client.ts';
import { isS3Refusal } from './errors.ts';
import { abortUpload, payloadOf, removeObject, type Upload, writeNote } from './notes.ts';
import type { UploadPart } from './parts.ts';
import { readXml, textAt } from './xml.ts';

// With one that is being filled: 32 MiB.
const atOnce = 3;
// Servers put the parts together before they answer.
export const completeMs = 10 * 60_000;

/** What the server says it has stored. Uncertain: it put the parts together, or lost them; reading it back tells. */
export interface Stored {
  etag: string | undefined;
  isCertain: boolean;
}
export type Tag = { number: number; etag: string };
/** Where an object goes, and where notes about it are. */
export type UploadKeys = { key: string; home: string };

/** Sends parts as one object, several at a time. It appears when all have arrived, or not at all. */
export const putParts = (
  client: S3Client,
  place: UploadKeys,
  parts: AsyncIterable<UploadPart>,
  signal: AbortSignal,
): Promise<Stored> => inParts(client, place, signal, (upload, either) => sendAll(client, upload, parts, either));

/** Begins an upload, has its parts brought there, and puts them together. */
export async function inParts(
  client: S3Client,
  { key, home }: UploadKeys,
  signal: AbortSignal,
  bring: (upload: Upload, signal: AbortSignal) => Promise<Tag[]>,
): Promise<Stored> {
  const upload = { key, id: await lingering(signal, (late) => begin(client, key, late)) };
  let note: string | undefined;
  try {
    note = await lingering(signal, (late) => writeNote(client, home, upload, late));
    const tags = await bring(upload, signal);
    return await lingering(signal, (late) => complete(client, upload, tags, late));
  } catch (error) {
    throw await afterCleanUp(error, () => abortUpload(client, upload));
  } finally {
    // One that stays is no harm: the upload that it names is over, and the next sweep takes it.
    if (note !== undefined) await removeObject(client, note).catch(() => {});
  }
}

async function sendAll(
  client: S3Client,
  upload: Upload,
  parts: AsyncIterable<UploadPart>,
  signal: AbortSignal,
): Promise<Tag[]> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const running = new Set<Promise<void>>();
  const tags: Tag[] = [];
  try {
    for await (const part of parts) {
      const sending = send(client, upload, part, either)
        .then((etag) => void tags.push({ number: part.number, etag }))
        .finally(() => running.delete(sending));
      running.add(sending);
      // It is waited for below; failing before is no crash.
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
  // Sent twice it would be begun twice, and one of them never ended.
  const { text } = await client.text({ ...call, isRepeatable: false });
  const root = readXml(text);
  const id = root && textAt(root, 'UploadId');
  if (!id)
    throw new StorageError('misconfigured', 'the endpoint is not an S3 service: it began an upload without an id');
  return id;
}

async function send(client: S3Client, { key, id }: Upload, part: UploadPart, signal: AbortSignal): Promise<string> {
  try {
    const query = { partNumber: String(part.number), uploadId: id };
    const call = { method: 'PUT', key, query, payload: part, doing: 'write to', isRepeatable: true, signal } as const;
    const { answer } = await client.text(call);
    const { etag } = answer.headers;
    if (!etag)
      throw new StorageError('misconfigured', 'the endpoint is not an S3 service: it took a part without a tag');
    return etag;
  } finally {
    await part.release();
  }
}

async function complete(client: S3Client, { key, id }: Upload, tags: Tag[], signal: AbortSignal): Promise<Stored> {
  const parts = tags
    .sort((a, b) => a.number - b.number)
    .map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`);
  const payload = payloadOf(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const call = { method: 'POST', key, query: { uploadId: id }, payload, doing: 'write to', signal } as const;
  let text: string;
  try {
    ({ text } = await client.text({ ...call, isRepeatable: true, stallMs: completeMs }));
  } catch (error) {
    // Done by an attempt whose answer was lost.
    if (isS3Refusal(error, 'NoSuchUpload')) return { etag: undefined, isCertain: false };
    throw error;
  }
  const root = readXml(text.trim());
  // A refusal that was found out after the answer had begun comes with status 200.
  if (root?.name !== 'CompleteMultipartUploadResult')
    throw new StorageError('unreachable', `the target did not put the parts together (${codeOf(text)})`);
  return { etag: textAt(root, 'ETag'), isCertain: true };
}

/** Why the server did not do it, in an answer that began as if it would. */
export const codeOf = (text: string): string =>
  /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? 'no reason given';
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
