import type { FileEntryWithStats, Stats } from 'ssh2';
import { isMissing, sftpStatus } from './errors.ts';
import type { SftpSession } from './session.ts';

const folderMode = 0o700;

/** Renames over what has the name. */
export async function renameOver(session: SftpSession, from: string, to: string): Promise<void> {
  try {
    await session.ask<void>((sftp, done) => sftp.ext_openssh_rename(from, to, (error) => done(error, undefined)));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    // The protocol's own rename refuses a name that is taken. For a moment there is neither the old nor the new one; that
    // is the best that such a server can do, and a reader then finds nothing rather than something half.
    await removeFile(session, to);
    await session.ask<void>((sftp, done) => sftp.rename(from, to, (failure) => done(failure, undefined)));
  }
}

/** Some have it on disk before they say so, others do not offer that. */
export async function flush(session: SftpSession, handle: Buffer): Promise<void> {
  try {
    await session.ask<void>((sftp, done) => sftp.ext_openssh_fsync(handle, (error) => done(error, undefined)));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
}

/** What ssh2 says of an extension that the server has not announced, and what servers say of one that they do not know. */
const isUnsupported = (error: unknown): boolean =>
  sftpStatus(error) === 8 || (error instanceof Error && /not support/i.test(error.message));

/** Nothing there is fine. */
export async function removeFile(session: SftpSession, path: string): Promise<void> {
  await session
    .ask<void>((sftp, done) => sftp.unlink(path, (error) => done(error, undefined)))
    .catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
}

export const statOf = (session: SftpSession, path: string): Promise<Stats> =>
  session.ask<Stats>((sftp, done) => sftp.lstat(path, done));

export const closeHandle = (session: SftpSession, handle: Buffer): Promise<void> =>
  session.ask<void>((sftp, done) => sftp.close(handle, (error) => done(error, undefined)));

/** Makes a folder and those above it. */
export async function makeFolders(session: SftpSession, folder: string): Promise<void> {
  const parts = folder.split('/');
  for (let i = 1; i <= parts.length; i++) {
    const path = parts.slice(0, i).join('/');
    if (!path) continue;
    try {
      await session.ask<void>((sftp, done) =>
        sftp.mkdir(path, { mode: folderMode }, (error) => done(error, undefined)),
      );
    } catch (error) {
      // Servers do not say whether it is there already; looking does.
      const found = await session.ask<Stats>((sftp, done) => sftp.stat(path, done)).catch(() => undefined);
      if (!found?.isDirectory()) throw error;
    }
  }
}

/** What is in a folder; undefined if there is none. */
export async function entriesOf(session: SftpSession, folder: string): Promise<FileEntryWithStats[] | undefined> {
  const path = folder || '.';
  try {
    return await session.ask<FileEntryWithStats[]>((sftp, done) => sftp.readdir(path, done));
  } catch (error) {
    if (isMissing(error)) return undefined;
    // What is no folder is a failure like any other for some servers.
    if (sftpStatus(error) === 4 && !(await statOf(session, path)).isDirectory()) return undefined;
    throw error;
  }
}
