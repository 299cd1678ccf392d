import { createHash } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { BlockPool, blocksOf } from '../incoming-body.ts';
import { temporaryName } from '../keys.ts';
import { StorageError } from '../storage.ts';
import type { Digester } from '../verify.ts';
import type { S3Payload } from './exchange.ts';
import { mostInMemory, partBytes, type PartSize } from './part-plan.ts';

// On disk: /tmp is a tmpfs on many machines.
const spoolFolder = '/var/tmp';
const blockBytes = 1024 * 1024;

/** A part that can be sent repeatedly. */
export interface UploadPart extends S3Payload {
  number: number;
  /** Sent without others in parallel. */
  isAlone: boolean;
  isLast: boolean;
  release(): Promise<void>;
}

/** Splits a stream into parts. Their memory is reused after release. */
export async function* splitIntoParts(
  body: Readable,
  { plan, signal, digester }: { plan: PartSize[]; signal: AbortSignal; digester: Digester },
): AsyncGenerator<UploadPart> {
  const free: Buffer[] = [];
  const pool = new BlockPool(blockBytes);
  const blocks = peekable(blocksOf(body, pool, signal));
  for (let number = 1; ; number++) {
    const bytes = partBytes(number, plan);
    if (bytes === undefined) throw new StorageError('no_space', 'an object in S3 has at most 5 TiB');
    const filler = bytes <= mostInMemory ? memoryFiller(bytes, free) : await fileFiller();
    let part: UploadPart;
    try {
      part = { number, ...(await filled(filler, bytes, { blocks, pool, digester })), isLast: !(await blocks.peek()) };
    } catch (error) {
      await filler.done(0).release();
      throw error;
    }
    yield part;
    if (part.isLast) return;
  }
}

type From = { blocks: ReturnType<typeof peekable>; pool: BlockPool; digester: Digester };

async function filled(filler: Filler, most: number, { blocks, pool, digester }: From) {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  let bytes = 0;
  while (bytes < most) {
    const block = await blocks.next();
    if (!block) break;
    for (const sum of [digester, sha256, md5]) sum.update(block);
    await filler.add(block, bytes);
    bytes += block.length;
    pool.give(block);
  }
  const sums = { sha256: sha256.digest('hex'), md5: md5.digest('base64') };
  return { bytes, ...sums, isAlone: filler.isAlone, ...filler.done(bytes) };
}

type Filler = {
  isAlone: boolean;
  add(block: Buffer, at: number): Promise<void>;
  done(bytes: number): Pick<UploadPart, 'open' | 'release'>;
};

function memoryFiller(bytes: number, free: Buffer[]): Filler {
  let buffer = free.pop();
  return {
    isAlone: false,
    async add(block, at) {
      // The first part of a small object takes no more memory than it needs.
      if (!buffer || buffer.length < at + block.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(bytes, Math.max(block.length, at * 4)));
        buffer?.copy(larger, 0, 0, at);
        buffer = larger;
      }
      block.copy(buffer, at);
    },
    done: (filled) => ({
      open: () => buffer?.subarray(0, filled) ?? Buffer.alloc(0),
      async release() {
        if (buffer?.length === bytes) free.push(buffer);
        buffer = undefined;
      },
    }),
  };
}

/** In an unlinked file, which disappears with the process in any case. */
async function fileFiller(): Promise<Filler> {
  const path = `${spoolFolder}/${temporaryName()}`;
  const file: FileHandle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return {
    isAlone: true,
    async add(block, at) {
      for (let done = 0; done < block.length;)
        done += (await file.write(block, done, block.length - done, at + done)).bytesWritten;
    },
    done: (filled) => ({
      open: () => file.createReadStream({ start: 0, end: filled - 1, autoClose: false, highWaterMark: blockBytes }),
      release: () => file.close(),
    }),
  };
}

function peekable(blocks: AsyncGenerator<Buffer>) {
  let ahead: Promise<Buffer | undefined> | undefined;
  const read = async () => {
    const { done, value } = await blocks.next();
    return done ? undefined : value;
  };
  return {
    peek: () => (ahead ??= read()),
    next() {
      const next = ahead ?? read();
      ahead = undefined;
      return next;
    },
  };
}
