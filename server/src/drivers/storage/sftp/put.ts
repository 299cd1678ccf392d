import type { Readable } from 'node:stream';
import { type BlockPool, blocksOf } from '../incoming-body.ts';
import { keyFolder, temporaryName } from '../keys.ts';
import { StorageError } from '../storage.ts';
import { type ObjectDigest, Digester, digestOf, requireSameDigest } from '../verify.ts';
import { isFileMissing, sftpStatus } from './errors.ts';
import { closeHandle, flushFile, makeFolders, renameOver } from './files.ts';
import type { SftpSession } from './session.ts';
import { newPool, openToRead, readBlocks, writeBlocks } from './transfer.ts';

export interface SftpPut {
  key: string;
  /** Final path, and temporary path until complete. */
  path: string;
  part: string;
  body: Readable;
  signal: AbortSignal;
}

/** Beside the final file, because a rename cannot cross file systems. */
export const temporaryPartPath = (path: string): string => {
  const folder = keyFolder(path);
  return folder || path.startsWith('/') ? `${folder}/${temporaryName()}` : temporaryName();
};

/** Writes a temporary file, reads it back, then renames it. */
export async function putSftpFile(
  session: SftpSession,
  { key, path, part, body, signal }: SftpPut,
): Promise<ObjectDigest> {
  const handle = await create(session, part);
  const digester = new Digester();
  const pool = newPool();
  const blocks = blocksOf(body, pool, signal);
  try {
    await writeBlocks(session, handle, { blocks, pool, onBlock: (block) => digester.update(block) });
    await flushFile(session, handle);
  } catch (error) {
    throw (await isFull(session, handle, error)) ? noSpace(key, error) : error;
  } finally {
    if (session.isUsable) await closeHandle(session, handle);
  }
  const sent = digester.digest();
  requireSameDigest(sent, await digestOfFile(session, part, pool), key);
  signal.throwIfAborted();
  await renameOver(session, part, path);
  return sent;
}

async function create(session: SftpSession, part: string): Promise<Buffer> {
  const open = () => session.ask<Buffer>((sftp, done) => sftp.open(part, 'wx', { mode: 0o600 }, done));
  try {
    return await open();
  } catch (error) {
    // Most folders exist already; create them only when they turn out to be missing.
    if (!isFileMissing(error) || !keyFolder(part)) throw error;
    await makeFolders(session, keyFolder(part));
    return open();
  }
}

async function digestOfFile(session: SftpSession, path: string, pool: BlockPool): Promise<ObjectDigest> {
  const { handle, bytes } = await openToRead(session, path);
  try {
    return await digestOf(readBlocks(session, handle, { from: 0, end: bytes, pool }));
  } finally {
    if (session.isUsable) await closeHandle(session, handle);
  }
}

const noSpace = (key: string, cause: unknown) => new StorageError('no_space', `${key}: the disk is full`, { cause });

type FreeSpace = { f_bavail: number | bigint };

/** OpenSSH only reports a failed write; the free space tells why. */
async function isFull(session: SftpSession, handle: Buffer, error: unknown): Promise<boolean> {
  if (sftpStatus(error) !== 4 || !session.isUsable) return false;
  try {
    const free = await session.ask<FreeSpace>((sftp, done) =>
      sftp.ext_openssh_fstatvfs(handle, (failure: Error | undefined, space: FreeSpace) => done(failure, space)),
    );
    return free.f_bavail < 64;
  } catch {
    // Not supported: keep the original error.
    return false;
  }
}
