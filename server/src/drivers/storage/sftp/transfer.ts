import type { Stats } from 'ssh2';
import { BlockPool } from '../incoming-body.ts';
import { StorageError } from '../storage.ts';
import { closeHandle } from './files.ts';
import { ReadAheadPace } from './pace.ts';
import type { SftpSession } from './session.ts';

// OpenSSH's maximum request size and count: a channel carries 2 MiB at once, and more would only wait in memory. ssh2
// splits requests for servers with lower limits.
const blockBytes = 255 * 1024;
const atOnce = 10;

export const newPool = (): BlockPool => new BlockPool(blockBytes);

/** Writes blocks without waiting for each. */
export async function writeBlocks(
  session: SftpSession,
  handle: Buffer,
  { blocks, pool, onBlock }: { blocks: AsyncIterable<Buffer>; pool: BlockPool; onBlock: (block: Buffer) => void },
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let position = 0;
  try {
    for await (const block of blocks) {
      onBlock(block);
      const at = position;
      position += block.length;
      const writing: Promise<void> = session
        .ask<void>((sftp, done) => sftp.write(handle, block, 0, block.length, at, (error) => done(error, undefined)))
        .then(() => pool.give(block))
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(writing));
      running.add(writing);
      if (running.size >= atOnce) await Promise.race(running);
      if (failure) throw failure.error;
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw (failure as { error: unknown }).error;
}

/** Reads an open file from `from` up to, but not including, `end`, ahead of need. With a pool each block is only
 * valid until the next. */
export async function* readBlocks(
  session: SftpSession,
  handle: Buffer,
  { from, end, pool }: { from: number; end: number; pool?: BlockPool },
): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = [];
  const pace = new ReadAheadPace();
  let asked = from;
  try {
    for (;;) {
      for (; asked < end && ahead.length < pace.ahead; asked += blockBytes) {
        const bytes = Math.min(blockBytes, end - asked);
        const block = (pool?.take() ?? Buffer.allocUnsafeSlow(bytes)).subarray(0, bytes);
        const at = asked;
        const reading = pace.timed(() => readWhole(session, handle, at, block));
        // Awaited in its turn; an earlier rejection must not be unhandled.
        reading.catch(() => {});
        ahead.push(reading);
      }
      const next = ahead.shift();
      if (!next) return;
      const block = await next;
      yield block;
      pool?.give(block);
    }
  } finally {
    await Promise.allSettled(ahead);
  }
}

/** Servers may return less than requested. */
async function readWhole(session: SftpSession, handle: Buffer, at: number, block: Buffer): Promise<Buffer> {
  const bytes = block.length;
  for (let got = 0; got < bytes;) {
    const more = await session.ask<number>((sftp, done) => sftp.read(handle, block, got, bytes - got, at + got, done));
    if (!more) throw new StorageError('corrupted', 'the file became shorter while it was read');
    got += more;
  }
  return block;
}

/** Opens a file for reading and returns its length. */
export async function openToRead(session: SftpSession, path: string): Promise<{ handle: Buffer; bytes: number }> {
  const handle = await session.ask<Buffer>((sftp, done) => sftp.open(path, 'r', done));
  try {
    const { size } = await session.ask<Stats>((sftp, done) => sftp.fstat(handle, done));
    return { handle, bytes: size };
  } catch (error) {
    await closeHandle(session, handle);
    throw error;
  }
}
