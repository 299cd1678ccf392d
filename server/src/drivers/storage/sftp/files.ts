import type { FileEntryWithStats, Stats } from 'ssh2';
import { isFileMissing, sftpStatus } from './errors.ts';
import type { SftpSession } from './session.ts';

const folderMode = 0o700;

/** Renames and replaces an existing file. */
export async function renameOver(session: SftpSession, from: string, to: string): Promise<void> {
  try {
    await session.ask<void>((sftp, done) => sftp.ext_openssh_rename(from, to, (error) => done(error, undefined)));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    // The protocol's own rename fails if the name is taken. For a moment neither file exists; such a server allows
    // nothing better, and a reader finds nothing rather than a partial file.
    await removeFile(session, to);
    await session.ask<void>((sftp, done) => sftp.rename(from, to, (failure) => done(failure, undefined)));
  }
}

/** Syncs the file to disk if the server supports it. */
export async function flushFile(session: SftpSession, handle: Buffer): Promise<void> {
  try {
    await session.ask<void>((sftp, done) => sftp.ext_openssh_fsync(handle, (error) => done(error, undefined)));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
}

/** ssh2's error for an unannounced extension, and servers' errors for an unknown one. */
const isUnsupported = (error: unknown): boolean =>
  sftpStatus(error) === 8 || (error instanceof Error && /not support/i.test(error.message));

/** Ignores a missing file. */
export async function removeFile(session: SftpSession, path: string): Promise<void> {
  await session
    .ask<void>((sftp, done) => sftp.unlink(path, (error) => done(error, undefined)))
    .catch((error: unknown) => {
      if (!isFileMissing(error)) throw error;
    });
}

export const statOf = (session: SftpSession, path: string): Promise<Stats> =>
  session.ask<Stats>((sftp, done) => sftp.lstat(path, done));

export const closeHandle = (session: SftpSession, handle: Buffer): Promise<void> =>
  session.ask<void>((sftp, done) => sftp.close(handle, (error) => done(error, undefined)));

/** Creates a folder and its parents. */
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
      // The status does not tell whether it exists already, so look.
      const found = await session.ask<Stats>((sftp, done) => sftp.stat(path, done)).catch(() => undefined);
      if (!found?.isDirectory()) throw error;
    }
  }
}

/** Returns the entries of a folder; undefined if it does not exist. */
export async function entriesOf(session: SftpSession, folder: string): Promise<FileEntryWithStats[] | undefined> {
  const path = folder || '.';
  try {
    return await session.ask<FileEntryWithStats[]>((sftp, done) => sftp.readdir(path, done));
  } catch (error) {
    if (isFileMissing(error)) return undefined;
    // For some servers a non-folder is a generic failure.
    if (sftpStatus(error) === 4 && !(await statOf(session, path)).isDirectory()) return undefined;
    throw error;
  }
}
