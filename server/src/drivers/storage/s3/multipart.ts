import { createHash } from 'node:crypto';
import { afterCleanUp, cleanUpMs, lingering } from '../clean-up.ts';
import { StorageError } from '../storage.ts';
import type { S3Client } from './client.ts';
import { isRefusal } from './errors.ts';
import type { Payload } from './exchange.ts';
import type { Part } from './parts.ts';
import { sha256Hex } from './sigv4.ts';
import { readXml, textAt } from './xml.ts';

// With one that is being filled: 32 MiB.
const atOnce = 3;
// Servers put the parts together before they answer.
const completeMs = 10 * 60_000;

type Upload = { client: S3Client; key: string; id: string };
/** What the server says it has stored. Uncertain: it put the parts together, or lost them; reading it back tells. */
export interface Stored {
  etag: string | undefined;
  isCertain: boolean;
}
type Tag = { number: number; etag: string };

/** Sends parts as one object, several at a time. It appears when all have arrived, or not at all. */
export async function putParts(
  client: S3Client,
  key: string,
  parts: AsyncIterable<Part>,
  signal: AbortSignal,
): Promise<Stored> {
  const upload = { client, key, id: await lingering(signal, (late) => begin(client, key, late)) };
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const running = new Set<Promise<void>>();
  const tags: Tag[] = [];
  try {
    for await (const part of parts) {
      const sending = send(upload, part, either)
        .then((etag) => void tags.push({ number: part.number, etag }))
        .finally(() => running.delete(sending));
      running.add(sending);
      // It is waited for below; failing before is no crash.
      sending.catch(() => {});
      while (running.size >= (part.isAlone ? 1 : atOnce)) await Promise.race(running);
    }
    await Promise.all(running);
    return await lingering(signal, (late) => complete(upload, tags, late));
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(running);
    throw await afterCleanUp(error, () => abort(upload));
  }
}

async function begin(client: S3Client, key: string, signal: AbortSignal): Promise<string> {
  const call = { method: 'POST', key, query: { uploads: '' }, doing: 'write to', signal } as const;
  // Sent twice it would be begun twice, and one of them never ended.
  const { text } = await client.text({ ...call, isRepeatable: false });
  const root = readXml(text);
  const id = root && textAt(root, 'UploadId');
  if (!id)
    throw new StorageError('misconfigured', 'the target does not answer like S3: it began an upload without an id');
  return id;
}

async function send({ client, key, id }: Upload, part: Part, signal: AbortSignal): Promise<string> {
  try {
    const query = { partNumber: String(part.number), uploadId: id };
    const call = { method: 'PUT', key, query, payload: part, doing: 'write to', isRepeatable: true, signal } as const;
    const { answer } = await client.text(call);
    const { etag } = answer.headers;
    if (!etag)
      throw new StorageError('misconfigured', 'the target does not answer like S3: it took a part without a tag');
    return etag;
  } finally {
    await part.release();
  }
}

async function complete({ client, key, id }: Upload, tags: Tag[], signal: AbortSignal): Promise<Stored> {
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
    if (isRefusal(error, 'NoSuchUpload')) return { etag: undefined, isCertain: false };
    throw error;
  }
  const root = readXml(text.trim());
  // A refusal that was found out after the answer had begun comes with status 200.
  if (root?.name !== 'CompleteMultipartUploadResult')
    throw new StorageError('unreachable', `the target did not put the parts together (${codeOf(text)})`);
  return { etag: textAt(root, 'ETag'), isCertain: true };
}

async function abort({ client, key, id }: Upload): Promise<void> {
  const signal = AbortSignal.timeout(cleanUpMs);
  const call = { method: 'DELETE', key, query: { uploadId: id }, doing: 'delete objects of', signal } as const;
  await client.text({ ...call, isRepeatable: true }).catch((error: unknown) => {
    if (!isRefusal(error, 'NoSuchUpload')) throw error;
  });
}

const codeOf = (text: string) => /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? 'no reason given';
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function payloadOf(text: string): Payload {
  const content = Buffer.from(text);
  const md5 = createHash('md5').update(content).digest('base64');
  return { bytes: content.length, sha256: sha256Hex(content), md5, open: () => content };
}
