import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { HeldFolder } from '../../../lib/held-folder.ts';
import { afterCleanUp } from '../clean-up.ts';
import { BlockPool, blocksOf } from '../incoming-body.ts';
import { keyName, temporaryName } from '../keys.ts';
import type { StorageCallOptions } from '../storage.ts';
import { type ObjectDigest, Digester, requireSameDigest } from '../verify.ts';
import { folderStorageError } from './errors.ts';
import { ReadBack } from './read-back.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const blockBytes = 1024 * 1024;

/** Writes a temporary file, reads it back, then renames it. */
export async function putLocalFile(
  folder: HeldFolder,
  key: string,
  body: Readable,
  { signal }: StorageCallOptions,
): Promise<ObjectDigest> {
  const part = temporaryName();
  // Errors of the stream itself are not converted.
  const inWords = <T>(attempt: Promise<T>): Promise<T> =>
    attempt.catch((error: unknown) => {
      throw folderStorageError(error, key);
    });
  const file = await inWords(open(folder.at(part), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
  const readBack = new ReadBack(file);
  try {
    const sent = await writeBody({ file, body, signal, inWords }, (written) => readBack.follow(written));
    await inWords(file.sync());
    const found = readBack.hasBegun ? until(signal, readBack.digest()) : digestOfFile(file, signal);
    requireSameDigest(sent, await inWords(found), key);
    signal.throwIfAborted();
    await inWords(rename(folder.at(part), folder.at(keyName(key))));
    await inWords(folder.sync());
    return sent;
  } catch (error) {
    throw await afterCleanUp(error, () => removed(folder.at(part)));
  } finally {
    await readBack.stop();
    await file.close();
  }
}

/** The thread does not know the signal, so the wait for it does. */
function until<T>(signal: AbortSignal, waiting: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const removed = (path: string): Promise<void> =>
  unlink(path).catch((error: NodeJS.ErrnoException) => {
    // Already renamed or removed.
    if (error.code !== 'ENOENT') throw error;
  });

type Written = {
  file: FileHandle;
  body: Readable;
  signal: AbortSignal;
  inWords: <T>(attempt: Promise<T>) => Promise<T>;
};

/** Reads the next block while one is written. */
async function writeBody(
  { file, body, signal, inWords }: Written,
  onWritten: (bytes: number) => void,
): Promise<ObjectDigest> {
  const digester = new Digester();
  const pool = new BlockPool(blockBytes);
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const block of blocksOf(body, pool, signal)) {
      await writing;
      onWritten(digester.bytes);
      writing = inWords(writeWhole(file, block, digester.bytes)).then(() => pool.give(block));
      // Awaited in the next round; an earlier rejection must not be unhandled.
      writing.catch(() => {});
      digester.update(block);
    }
  } finally {
    await writing;
  }
  return digester.digest();
}

async function writeWhole(file: FileHandle, block: Buffer, position: number): Promise<void> {
  for (let done = 0; done < block.length;) {
    const { bytesWritten } = await file.write(block, done, block.length - done, position + done);
    done += bytesWritten;
  }
}

/** Reads the next block while one is hashed. */
async function digestOfFile(file: FileHandle, signal: AbortSignal): Promise<ObjectDigest> {
  const digester = new Digester();
  let [block, other] = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)];
  let reading = file.read(block, 0, blockBytes, 0);
  for (;;) {
    const { bytesRead } = await reading;
    if (!bytesRead) return digester.digest();
    signal.throwIfAborted();
    reading = file.read(other, 0, blockBytes, digester.bytes + bytesRead);
    digester.update(block.subarray(0, bytesRead));
    [block, other] = [other, block];
  }
}
