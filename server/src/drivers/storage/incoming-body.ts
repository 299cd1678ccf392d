import type { Readable } from 'node:stream';
import type { StorageCallOptions } from './storage.ts';

/** Runs a put on a stream. The stream is read to its end or destroyed, its errors are always handled, and the signal
 * ends the wait for its next bytes. */
export async function consumeBody<T>(
  body: Readable,
  { signal }: StorageCallOptions,
  store: () => Promise<T>,
): Promise<T> {
  // It may fail before anything reads it; reading then reports the error.
  body.on('error', () => {});
  const onAbort = () => body.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await store();
  } catch (error) {
    // After an abort, the abort is the reason for any failure.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    body.destroy();
  }
}

/** Reuses buffers of one size: left to the garbage collector, a fast stream would pile them up. */
export class BlockPool {
  readonly bytes: number;
  readonly #free: Buffer[] = [];

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
  }

  /** Returns a block to the pool. The last one of a stream is only a part of a block. */
  give(block: Buffer): void {
    if (block.length === this.bytes) this.#free.push(block);
  }
}

/** Yields the stream in blocks of the pool, the last one shorter; nothing for an empty stream. Blocks are copies: a
 * stream of tiny chunks would hold far more memory than it has bytes. */
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

/** Yields chunks until the signal. A stream that is destroyed while it waits for its source may never emit an end, so
 * the abort does not wait for one. */
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
