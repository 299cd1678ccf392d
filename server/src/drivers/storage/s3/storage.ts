import { Readable } from 'node:stream';
import { afterCleanUp, cleanUpMs, lingering } from '../clean-up.ts';
import { consume } from '../incoming.ts';
import { checkKey } from '../keys.ts';
import { checkRange } from '../range.ts';
import { type Storage, StorageError } from '../storage.ts';
import { type Digest, Digester, digestOf, requireSame } from '../verify.ts';
import type { S3Target } from './address.ts';
import { S3Client, type S3Patience, usualPatience } from './client.ts';
import { isRefusal } from './errors.ts';
import { listObjects } from './list.ts';
import { putParts, type Stored } from './multipart.ts';
import { type PartSize, usualPlan } from './part-plan.ts';
import { type Part, partsOf } from './parts.ts';
import { readObject } from './read.ts';

export type S3Options = { patience?: Partial<S3Patience>; plan?: PartSize[] };

/** Objects in a bucket. */
export function createS3Storage(target: S3Target, { patience, plan = usualPlan }: S3Options = {}): Storage {
  const client = new S3Client(target, { ...usualPatience, ...patience });
  const remove = async (key: string, signal: AbortSignal): Promise<void> => {
    const call = { method: 'DELETE', key, doing: 'delete objects of', isRepeatable: true, signal } as const;
    await client.text(call).catch((error: unknown) => {
      if (!isRefusal(error, 'NoSuchKey')) throw error;
    });
  };
  return {
    put: (key, body, options) =>
      consume(body, options, async () => {
        checkKey(key);
        const { signal } = options;
        const digester = new Digester();
        const stored = await send(client, key, partsOf(body, { plan, signal, digester }), signal);
        const sent = digester.digest();
        try {
          await verify(client, key, { sent, etag: stored.etag, signal });
        } catch (error) {
          // What is there may be somebody else's.
          if (error instanceof ReplacedError || !stored.isCertain) throw error;
          throw await afterCleanUp(error, () => remove(key, AbortSignal.timeout(cleanUpMs)));
        }
        return sent;
      }),
    async get(key, { signal, range }) {
      checkKey(key);
      checkRange(range);
      try {
        const { chunks } = await readObject(client, key, { signal, ...(range && { range }) });
        return Readable.from(chunks, { objectMode: false, signal });
      } catch (error) {
        if (isRefusal(error, 416)) return Readable.from([]);
        throw isRefusal(error, 'NoSuchKey') ? new StorageError('not_found', `${key} is not there`) : error;
      }
    },
    list: (prefix, options) => listObjects(client, prefix, options),
    async delete(key, { signal }) {
      checkKey(key);
      await remove(key, signal);
    },
    close: async () => client.close(),
  };
}

/** Another put has taken its place before it could be read back. */
class ReplacedError extends StorageError {
  constructor(key: string) {
    super('corrupted', `${key} was replaced by another upload before it could be read back`);
  }
}

/** In one request if it is small. */
async function send(client: S3Client, key: string, parts: AsyncGenerator<Part>, signal: AbortSignal): Promise<Stored> {
  const { value: first } = (await parts.next()) as { value: Part };
  if (!first.isLast) return putParts(client, key, startingWith(first, parts), signal);
  try {
    const call = { method: 'PUT', key, payload: first, doing: 'write to', isRepeatable: true } as const;
    const { answer } = await lingering(signal, (late) => client.text({ ...call, signal: late }));
    return { etag: answer.headers.etag, isCertain: true };
  } finally {
    await first.release();
  }
}

async function* startingWith(first: Part, others: AsyncGenerator<Part>): AsyncGenerator<Part> {
  yield first;
  yield* others;
}

type Sent = { sent: Digest; etag: string | undefined; signal: AbortSignal };

async function verify(client: S3Client, key: string, { sent, etag, signal }: Sent): Promise<void> {
  const found = await readObject(client, key, { signal, ...(etag && { etag }) }).catch((error: unknown) => {
    if (isRefusal(error, 412)) throw new ReplacedError(key);
    throw error;
  });
  // Some do not look at what we ask for.
  if (etag !== undefined && found.etag !== undefined && bare(etag) !== bare(found.etag)) {
    await found.chunks.return(undefined);
    throw new ReplacedError(key);
  }
  requireSame(sent, await digestOf(found.chunks), key);
}

const bare = (etag: string): string => etag.replace(/^W\//, '').replaceAll('"', '');
