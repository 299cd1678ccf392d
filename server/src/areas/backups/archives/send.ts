import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LostLeaseError } from '../../../events/event-log.ts';
import { StoppingError } from '../../../events/lease.ts';
import { type Storage, StorageError } from '../../../drivers/storage/storage.ts';

/** A destination that accepts no data for this long has failed. */
const stallMs = 60_000;
/** With larger blocks, a gigabyte leaves 30 MB more for the garbage collector. */
const blockBytes = 65_536;

export type SendTarget = { destinationId: string; storage: Storage };
export type SentArchive = { destinationId: string; bytes: number; sha256: string };
export type SendFailure = { destinationId: string; error: Error };

type Options = {
  key: string;
  signal: AbortSignal;
  /** Bytes per second, for each destination. */
  limit: number | null;
  onBytes: (bytes: number) => void;
  /** Called when everything is sent, and is only read back and compared. */
  onSent: () => void;
};

/** Stores a file at several destinations. One that fails does not affect the others. Throws only if it is aborted. */
export async function sendToAll(
  file: string,
  targets: SendTarget[],
  options: Options,
): Promise<{ sent: SentArchive[]; failed: SendFailure[] }> {
  const [sent, failed]: [SentArchive[], SendFailure[]] = [[], []];
  let sending = targets.length;
  const onSent = () => {
    if (--sending === 0) options.onSent();
  };
  await Promise.all(
    targets.map(async ({ destinationId, storage }) => {
      try {
        sent.push({ destinationId, ...(await send(file, storage, { ...options, onSent })) });
      } catch (error) {
        failed.push({ destinationId, error: error as Error });
      }
    }),
  );
  options.signal.throwIfAborted();
  return { sent, failed };
}

async function send(file: string, storage: Storage, { key, signal, limit, onBytes, onSent }: Options) {
  const stalled = new AbortController();
  const stall = () => stalled.abort(new StorageError('timeout', `it accepted no data for ${stallMs / 1000} seconds`));
  let timer = setTimeout(stall, stallMs);
  async function* body(): AsyncGenerator<Buffer> {
    const began = Date.now();
    let bytes = 0;
    for await (const chunk of createReadStream(file, { highWaterMark: blockBytes }) as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      const aheadMs = limit === null ? 0 : began + (bytes / limit) * 1000 - Date.now();
      if (aheadMs > 0) await sleep(aheadMs, undefined, { signal });
      bytes += chunk.length;
      timer = setTimeout(stall, stallMs);
      yield chunk;
      onBytes(chunk.length);
    }
    clearTimeout(timer);
    onSent();
  }
  try {
    const either = AbortSignal.any([signal, stalled.signal]);
    return await storage.put(key, Readable.from(body(), { objectMode: false, highWaterMark: blockBytes }), {
      signal: either,
      resume: true,
      // Another process continues.
      keeps: (error) => error instanceof StoppingError || error instanceof LostLeaseError,
    });
  } catch (error) {
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
