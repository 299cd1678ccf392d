import type { Readable } from 'node:stream';
import { type BlockPool, blocksOf } from '../incoming.ts';
import { keyFolder, temporaryName } from '../keys.ts';
import { StorageError } from '../storage.ts';
import { type Digest, Digester, digestOf, requireSame } from '../verify.ts';
import { isMissing, sftpStatus } from './errors.ts';
import { closeHandle, flush, makeFolders, renameOver } from './files.ts';
import type { SftpSession } from './session.ts';
import { newPool, openToRead, readBlocks, writeBlocks } from './transfer.ts';

export interface SftpPut {
  key: string;
  /** Where it goes to, and where it is until it is whole. */
  path: string;
  part: string;
  body: Readable;
  signal: AbortSignal;
}

/** Beside the file that it becomes: a rename does not leave its file system. */
export const partOf = (path: string): string => {
  const folder = keyFolder(path);
  return folder || path.startsWith('/') ? `${folder}/${temporaryName()}` : temporaryName();
};

/** Writes a file under another name, reads it back, and gives it its own name only then. */
export async function putSftpFile(session: SftpSession, { key, path, part, body, signal }: SftpPut): Promise<Digest> {
  const handle = await create(session, part);
  const digester = new Digester();
  const pool = newPool();
  const blocks = blocksOf(body, pool, signal);
  try {
    await writeBlocks(session, handle, { blocks, pool, onBlock: (block) => digester.update(block) });
    await flush(session, handle);
  } catch (error) {
    throw (await isFull(session, handle, error)) ? noSpace(key, error) : error;
  } finally {
    if (session.isUsable) await closeHandle(session, handle);
  }
  const sent = digester.digest();
  requireSame(sent, await digestOfFile(session, part, pool), key);
  signal.throwIfAborted();
  await renameOver(session, part, path);
  return sent;
}

async function create(session: SftpSession, part: string): Promise<Buffer> {
  const open = () => session.ask<Buffer>((sftp, done) => sftp.open(part, 'wx', { mode: 0o600 }, done));
  try {
    return await open();
  } catch (error) {
    // Most objects go where others are; folders are made when it turns out that they are missing.
    if (!isMissing(error) || !keyFolder(part)) throw error;
    await makeFolders(session, keyFolder(part));
    return open();
  }
}

async function digestOfFile(session: SftpSession, path: string, pool: BlockPool): Promise<Digest> {
  const { handle, bytes } = await openToRead(session, path);
  try {
    return await digestOf(readBlocks(session, handle, { from: 0, end: bytes, pool }));
  } finally {
    if (session.isUsable) await closeHandle(session, handle);
  }
}

const noSpace = (key: string, cause: unknown) => new StorageError('no_space', `${key}: the disk is full`, { cause });

type FreeSpace = { f_bavail: number | bigint };

/** OpenSSH says only that a write failed; how much space there is tells why. */
async function isFull(session: SftpSession, handle: Buffer, error: unknown): Promise<boolean> {
  if (sftpStatus(error) !== 4 || !session.isUsable) return false;
  try {
    const free = await session.ask<FreeSpace>((sftp, done) =>
      sftp.ext_openssh_fstatvfs(handle, (failure: Error | undefined, space: FreeSpace) => done(failure, space)),
    );
    return free.f_bavail < 64;
  } catch {
    // Not offered: then nobody knows, and the first error stands as it is.
    return false;
  }
}
