// Stores one object in a process of its own, and says how long that took and how much memory.
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { storageKind } from '../../src/drivers/storage/index.ts';
import { withPrefix } from '../../src/drivers/storage/prefix.ts';
import type { StorageValues } from '../../src/drivers/storage/storage.ts';
import { contextOf } from '../../src/drivers/storage/storage-rig.ts';

/** What the program is told, as JSON in its one argument: what to store is a file, or so many bytes of nothing much. */
export interface PutTask {
  kind: string;
  values: StorageValues;
  localRoot?: string;
  prefix?: string;
  /** One that hangs gives so many bytes, and then waits to be killed. */
  source: { file: string; chunkBytes?: number } | { bytes: number } | { hangsAfter: number };
  /** `large/object` if it is not said. */
  key?: string;
  /** Reads it once more afterwards, into this file. */
  readTo?: string;
}

export interface PutFigures {
  bytes: number;
  putMs: number;
  getMs: number;
  peakMegabytes: number;
}

function* nothingMuch(bytes: number) {
  const block = Buffer.alloc(65_536);
  for (let at = 0; at < bytes; at += block.length) {
    block.fill(at % 251);
    yield Buffer.from(block.subarray(0, Math.min(block.length, bytes - at)));
  }
}

async function* thenHangs(bytes: number) {
  yield* nothingMuch(bytes);
  // Something to wait for, or the process would be over.
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

const bodyOf = (source: PutTask['source']): Readable => {
  if ('file' in source) return createReadStream(source.file, { highWaterMark: source.chunkBytes ?? 65_536 });
  const bytes = 'bytes' in source ? nothingMuch(source.bytes) : thenHangs(source.hangsAfter);
  return Readable.from(bytes, { objectMode: false });
};

const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const {
    kind,
    values,
    localRoot,
    prefix = '',
    source,
    key = 'large/object',
    readTo,
  } = JSON.parse(argument) as PutTask;
  const { signal } = new AbortController();
  const storage = withPrefix(await storageKind(kind)!.open(values, contextOf({ localRoot })), prefix);
  const body = bodyOf(source);
  const began = performance.now();
  const { bytes } = await storage.put(key, body, { signal });
  const putMs = performance.now() - began;
  const beganRead = performance.now();
  if (readTo !== undefined) {
    const file = createWriteStream(readTo, { highWaterMark: 256 * 1024 });
    await pipeline(await storage.get(key, { signal }), file);
    if (file.bytesWritten !== bytes) throw new Error(`${file.bytesWritten} bytes of ${bytes} came back`);
  }
  const getMs = performance.now() - beganRead;
  await storage.close();
  const figures: PutFigures = { bytes, putMs, getMs, peakMegabytes: process.resourceUsage().maxRSS / 1024 };
  process.stdout.write(JSON.stringify(figures));
}
