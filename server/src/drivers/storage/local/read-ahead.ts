import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../range.ts';

// Larger blocks are hardly faster and leave more garbage.
const blockBytes = 128 * 1024;

/** Returns a file as a stream that reads one block ahead. Closes the file. */
export function readAheadStream(file: FileHandle, range: ByteRange | undefined, signal: AbortSignal): Readable {
  const { from: begin, to = Infinity } = range ?? { from: 0 };
  let at = begin;
  const readBlock = async (): Promise<Buffer> => {
    const bytes = Math.min(blockBytes, to + 1 - at);
    if (!bytes) return Buffer.alloc(0);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, at);
    at += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  let next: Promise<Buffer> | undefined;
  const readNext = (): Promise<Buffer> => {
    next = readBlock();
    // Awaited in its turn; an earlier rejection must not be unhandled.
    next.catch(() => {});
    return next;
  };
  return new Readable({
    highWaterMark: blockBytes,
    signal,
    read() {
      (next ?? readNext()).then(
        (block) => {
          if (block.length && !this.destroyed) void readNext();
          this.push(block.length ? block : null);
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      const closed = Promise.allSettled([next]).then(() => file.close());
      closed.then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
    },
  });
}
