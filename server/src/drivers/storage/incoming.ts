import type { Readable } from 'node:stream';
import type { StorageCallOptions } from './storage.ts';

/** Runs a put on what a stream gives. The stream is read to its end or destroyed, it never fails behind everybody's back,
 * and the signal ends the wait for its next bytes. */
export async function consume<T>(body: Readable, { signal }: StorageCallOptions, store: () => Promise<T>): Promise<T> {
  // It may fail while nobody reads it yet; reading it then says so.
  body.on('error', () => {});
  const onAbort = () => body.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await store();
  } catch (error) {
    // Whatever broke because of the abort, the abort is the reason.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    body.destroy();
  }
}

/** Memory of one size that is used again: left to the collector, a fast stream would pile it up. */
export class BlockPool {
  readonly bytes: number;
  readonly #free: Buffer[] = [];

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
  }

  /** Nobody looks at it any more. The last one of a stream is only a part of a block. */
  give(block: Buffer): void {
    if (block.length === this.bytes) this.#free.push(block);
  }
}

/** What the stream gives, in blocks of the pool, the last one shorter; nothing for an empty stream. Each is a copy: streams
 * of tiny pieces would hold far more memory than they have bytes. */
export async function* blocksOf(body: Readable, pool: BlockPool, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { bytes } = pool;
  let block: Buffer | undefined;
  let filled = 0;
  for await (const chunk of chunksOf(body, signal)) {
    for (let from = 0; from < chunk.length;) {
      block ??= pool.take();
      const copied = chunk.copy(block, filled, from, from + bytes - filled);
      from += copied;
      filled += copied;
      if (filled < bytes) continue;
      yield block;
      block = undefined;
      filled = 0;
    }
  }
  if (block) yield block.subarray(0, filled);
}

/** As the stream gives them, until the signal. A stream that is destroyed while it waits for its own source may never say
 * that it ended, so nobody waits for that. */
async function* chunksOf(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const iterator = (body as AsyncIterable<Buffer | string>)[Symbol.asyncIterator]();
  let giveUp: (reason: Error) => void = () => {};
  const onAbort = () => giveUp(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await new Promise<IteratorResult<Buffer | string>>((resolve, reject) => {
        giveUp = reject;
        iterator.next().then(resolve, reject);
      });
      if (done) return;
      yield typeof value === 'string' ? Buffer.from(value) : value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
