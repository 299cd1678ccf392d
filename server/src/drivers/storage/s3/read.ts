import type { IncomingMessage } from 'node:http';
import type { ByteRange } from '../range.ts';
import { StorageError } from '../storage.ts';
import type { S3Client } from './client.ts';
import { connectionError, s3PlaceOf } from './errors.ts';

const mostResumes = 5;

/** Reads an object from an offset; resolves when the response has started. Resumes after a lost connection while the
 * object is unchanged. */
export async function readObject(
  client: S3Client,
  key: string,
  { range, etag, signal }: { range?: ByteRange; etag?: string; signal: AbortSignal },
): Promise<{ chunks: AsyncGenerator<Buffer>; etag: string | undefined }> {
  const from = range?.from ?? 0;
  const ask = (at: number, tag: string | undefined) =>
    client.open({
      method: 'GET',
      key,
      headers: {
        ...((range || at > from) && { range: `bytes=${at}-${range?.to ?? ''}` }),
        ...(tag && { 'if-match': tag }),
      },
      doing: 'read objects of',
      isRepeatable: true,
      signal,
    });
  const first = await ask(from, etag);
  const tag = first.headers.etag;
  return { chunks: resumed(client, first, from, (at) => ask(at, tag), signal), etag: tag };
}

async function* resumed(
  client: S3Client,
  first: IncomingMessage,
  from: number,
  ask: (at: number) => Promise<IncomingMessage>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let at = from;
  for (let answer = first, vain = 0; ; vain++) {
    try {
      requireFrom(answer, at, from);
      for await (const chunk of client.bytes(answer)) {
        at += chunk.length;
        vain = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const said = connectionError(error, s3PlaceOf(client.target));
      const isLost = said instanceof StorageError && said.code === 'unreachable';
      if (!isLost || vain >= mostResumes) throw said;
      answer = await ask(at);
    }
  }
}

/** A server without range support would send the beginning again. */
function requireFrom(answer: IncomingMessage, at: number, from: number): void {
  if (at === from && (from === 0 || answer.statusCode === 206)) return;
  if (answer.statusCode === 206) return;
  answer.destroy();
  throw new StorageError('misconfigured', 'the destination does not support range requests');
}
