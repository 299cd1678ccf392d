import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Storage, StorageError } from '../../../drivers/storage/storage.ts';

/** A destination that no longer accepts data for this long has failed. */
const stallMs = 60_000;
const bufferBytes = 1_048_576;

export type Target = { destinationId: string; storage: Storage };
export type Sent = { destinationId: string; bytes: number; sha256: string };
export type SendFailure = { destinationId: string; error: Error };

type Options = {
  key: string;
  signal: AbortSignal;
  /** Bytes per second. */
  limit: number | null;
  onBytes: (bytes: number) => void;
  /** Called when everything is sent, and is only read back and compared. */
  onSent: () => void;
};

/**
 * Stores one stream at several destinations. One that fails is left behind while the others continue. Throws only if
 * the stream itself fails, or the call is aborted; then nothing is stored.
 */
export async function sendToAll(
  stream: Readable,
  targets: Target[],
  { key, signal, limit, onBytes, onSent }: Options,
): Promise<{ sent: Sent[]; failed: SendFailure[] }> {
  const broken = new AbortController();
  const sendings = targets.map((target) => new Sending(target, key, AbortSignal.any([signal, broken.signal])));
  try {
    const began = Date.now();
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      await Promise.all(sendings.map((each) => each.write(chunk)));
      if (sendings.every((each) => each.error)) break;
      bytes += chunk.length;
      onBytes(chunk.length);
      const aheadMs = limit === null ? 0 : began + (bytes / limit) * 1000 - Date.now();
      if (aheadMs > 0) await sleep(aheadMs, undefined, { signal });
    }
  } catch (error) {
    broken.abort(error);
    await Promise.all(sendings.map((each) => each.end()));
    throw error;
  } finally {
    stream.destroy();
  }
  onSent();
  const ended = await Promise.all(sendings.map((each) => each.end()));
  signal.throwIfAborted();
  return {
    sent: ended.filter((each) => 'sha256' in each),
    failed: ended.filter((each) => 'error' in each),
  };
}

/** The stream to one destination. */
class Sending {
  readonly #body = new PassThrough({ highWaterMark: bufferBytes });
  readonly #destinationId: string;
  readonly #done: Promise<Sent | SendFailure>;
  error: Error | undefined;

  constructor({ destinationId, storage }: Target, key: string, signal: AbortSignal) {
    this.#destinationId = destinationId;
    // The put reports the error; the body is only its source.
    this.#body.on('error', () => {});
    signal.addEventListener('abort', () => this.#body.destroy(signal.reason as Error), { once: true });
    this.#done = storage.put(key, this.#body, { signal }).then(
      (stored) => ({ destinationId, ...stored }),
      (error: Error) => this.#fail(error),
    );
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.error || this.#body.write(chunk)) return;
    const stalled = AbortSignal.timeout(stallMs);
    await Promise.race([once(this.#body, 'drain', { signal: stalled }), this.#done]).catch(() => {
      if (!stalled.aborted) return;
      const seconds = stallMs / 1000;
      this.#body.destroy(this.#fail(new StorageError('timeout', `it accepted no data for ${seconds} seconds`)).error);
    });
  }

  end(): Promise<Sent | SendFailure> {
    this.#body.end();
    return this.#done;
  }

  /** The first error is the cause. */
  #fail(error: Error): SendFailure {
    this.error ??= error;
    return { destinationId: this.#destinationId, error: this.error };
  }
}
