import { Readable } from 'node:stream';
import { afterCleanUp, withGracePeriod } from '../clean-up.ts';
import { consumeBody } from '../incoming-body.ts';
import { checkObjectKey, temporaryName } from '../keys.ts';
import { checkRange } from '../range.ts';
import { type Storage, StorageError } from '../storage.ts';
import { Sweep } from '../sweeping.ts';
import { type ObjectDigest, Digester, digestOf, requireSameDigest } from '../verify.ts';
import type { S3Target } from './address.ts';
import { S3Client, type S3Timeouts, defaultS3Timeouts } from './client.ts';
import { isS3Refusal } from './errors.ts';
import { listObjects } from './list.ts';
import { type UploadKeys, putParts, type StoredS3Object } from './multipart.ts';
import { removeObject } from './notes.ts';
import { type PartSize, usualPlan } from './part-plan.ts';
import { type UploadPart, splitIntoParts } from './parts.ts';
import { readObject } from './read.ts';
import { replaceByCopy, headObject, isCopyReadBack, mayBeThere, usualMostCopied } from './replace.ts';
import { findUnfinished } from './resume.ts';
import { sweepBucket } from './sweep.ts';

export type S3Options = { patience?: Partial<S3Timeouts>; plan?: PartSize[]; mostCopied?: number };

/** Stores objects in a bucket. */
export function createS3Storage(
  target: S3Target,
  { patience, plan = usualPlan, mostCopied = usualMostCopied }: S3Options = {},
): Storage {
  const client = new S3Client(target, { ...defaultS3Timeouts, ...patience });
  return {
    put: (key, body, { signal, home = '', resume = false, ...options }) =>
      consumeBody(body, { signal }, async () => {
        checkObjectKey(key);
        const digester = new Digester();
        const parts = splitIntoParts(body, { plan, signal, digester });
        // After an abort, the abort is the reason for any failure.
        const keeps = (error: unknown) => options.keeps?.(signal.aborted ? signal.reason : error) ?? false;
        const put = { place: { key, home }, parts, digester, mostCopied, signal, resume, keeps };
        return (await mayBeThere(client, key, signal)) ? putOver(client, put) : putNew(client, put);
      }),
    async get(key, { signal, range }) {
      checkObjectKey(key);
      checkRange(range);
      try {
        const { chunks } = await readObject(client, key, { signal, ...(range && { range }) });
        return Readable.from(chunks, { objectMode: false, signal });
      } catch (error) {
        if (isS3Refusal(error, 416)) return Readable.from([]);
        throw isS3Refusal(error, 'NoSuchKey') ? new StorageError('not_found', `${key} does not exist`) : error;
      }
    },
    list: (prefix, options) => listObjects(client, prefix, options),
    async delete(key, { signal }) {
      checkObjectKey(key);
      await removeObject(client, key, signal);
    },
    async sweep({ home = '', ...options }) {
      const sweep = new Sweep(options, (error) => error);
      await sweepBucket(client, home, sweep, options.signal);
      return sweep.swept;
    },
    close: async () => client.close(),
  };
}

type Put = {
  place: UploadKeys;
  parts: AsyncGenerator<UploadPart>;
  digester: Digester;
  mostCopied: number;
  signal: AbortSignal;
  resume: boolean;
  keeps: (error: unknown) => boolean;
};

/** For a free key: removes the object again if it does not read back as sent. */
async function putNew(client: S3Client, put: Put): Promise<ObjectDigest> {
  const { place, digester, signal, keeps } = put;
  const stored = await send(client, put);
  const sent = digester.digest();
  try {
    await verify(client, place.key, { sent, etag: stored.etag, signal });
  } catch (error) {
    // The object may be another upload's.
    if (error instanceof ReplacedError || !stored.isCertain || keeps(error)) throw error;
    throw await afterCleanUp(error, () => removeObject(client, place.key));
  }
  return sent;
}

/** For a taken key: uploads under a temporary name until verified, so that the old object stays until then.
 * Nobody else knows that name, so nothing is continued or kept. */
async function putOver(client: S3Client, { place, parts, digester, mostCopied, signal }: Put): Promise<ObjectDigest> {
  const part = place.home + temporaryName();
  try {
    const { etag } = await send(client, { place: { ...place, key: part }, parts, signal });
    const sent = digester.digest();
    await verify(client, part, { sent, etag, signal });
    const copied = await replaceByCopy(client, { key: part, bytes: sent.bytes }, place, { signal, mostCopied });
    await verifyCopy(client, place.key, { sent, etag: copied.etag, signal });
    await removeObject(client, part);
    return sent;
  } catch (error) {
    throw await afterCleanUp(error, () => removeObject(client, part));
  }
}

/** Another put replaced it before it could be read back. */
class ReplacedError extends StorageError {
  constructor(key: string) {
    super('corrupted', `${key} was replaced by another upload before it could be read back`);
  }
}

/** Uses one request for a small object. */
async function send(
  client: S3Client,
  { place, parts, signal, resume = false, ...call }: Pick<Put, 'place' | 'parts' | 'signal'> & Partial<Put>,
): Promise<StoredS3Object> {
  const { value: first } = (await parts.next()) as { value: UploadPart };
  if (!first.isLast) {
    const unfinished = resume ? await findUnfinished(client, place.key, first, signal) : undefined;
    return putParts(client, place, startingWith(first, parts), { signal, unfinished, ...call });
  }
  try {
    const call = { method: 'PUT', key: place.key, payload: first, doing: 'write to', isRepeatable: true } as const;
    const { answer } = await withGracePeriod(signal, (late) => client.text({ ...call, signal: late }));
    return { etag: answer.headers.etag, isCertain: true };
  } finally {
    await first.release();
  }
}

async function* startingWith(first: UploadPart, others: AsyncGenerator<UploadPart>): AsyncGenerator<UploadPart> {
  yield first;
  yield* others;
}

type Sent = { sent: ObjectDigest; etag: string | undefined; signal: AbortSignal };

async function verify(client: S3Client, key: string, { sent, etag, signal }: Sent): Promise<void> {
  const found = await readObject(client, key, { signal, ...(etag && { etag }) }).catch((error: unknown) => {
    if (isS3Refusal(error, 412)) throw new ReplacedError(key);
    throw error;
  });
  // Some servers ignore `If-Match`.
  if (etag !== undefined && found.etag !== undefined && bare(etag) !== bare(found.etag)) {
    await found.chunks.return(undefined);
    throw new ReplacedError(key);
  }
  requireSameDigest(sent, await digestOf(found.chunks), key);
}

/** Small objects are read again; for large ones, which were just read, the length of the copy is checked. */
async function verifyCopy(client: S3Client, key: string, { sent, etag, signal }: Sent): Promise<void> {
  if (isCopyReadBack(sent)) return verify(client, key, { sent, etag, signal });
  const found = await headObject(client, key, signal);
  if (etag !== undefined && found.etag !== undefined && bare(etag) !== bare(found.etag)) throw new ReplacedError(key);
  requireSameDigest(sent, { ...sent, bytes: found.bytes }, key);
}

const bare = (etag: string): string => etag.replace(/^W\//, '').replaceAll('"', '');
