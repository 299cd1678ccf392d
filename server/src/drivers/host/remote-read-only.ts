import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import type { SshConnection } from '../ssh/ssh.ts';
import {
  type FileKind,
  FileProblem,
  mostNames,
  fileNotReadable,
  type ReadOnlyFiles,
  fileTooLarge,
} from './read-only-files.ts';

const noSuchFile = 2;
const permissionDenied = 3;
const chunkBytes = 32 * 1024;

type Done<T> = (error: Error | null | undefined, answer: T) => void;
type Ask = <T>(send: (sftp: SFTPWrapper, done: Done<T>) => unknown) => Promise<T>;

/** Gives read-only access to another server's files over one SFTP channel, with concurrent requests. The channel
 * lasts as long as the task, and every request ends with the signal or the connection. */
export async function withRemoteReadOnly<T>(
  connection: SshConnection,
  signal: AbortSignal,
  task: (files: ReadOnlyFiles) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, connection.gone, over.signal]);
  const cutShort = new Promise<never>((_, reject) => {
    const end = () => reject(ended.reason as Error);
    if (ended.aborted) end();
    ended.addEventListener('abort', end, { once: true });
  });
  cutShort.catch(() => {});
  const sftp = await Promise.race([offered(connection), cutShort]);
  const ask: Ask = (send) =>
    Promise.race([
      new Promise<never>((resolve, reject) =>
        send(sftp, (error, answer) => (error ? reject(error) : resolve(answer as never))),
      ),
      cutShort,
    ]);
  try {
    return await task(filesOver(ask));
  } finally {
    over.abort(new Error('reading these files has ended'));
    sftp.end();
  }
}

async function offered(connection: SshConnection): Promise<SFTPWrapper> {
  try {
    return await connection.sftp();
  } catch (error) {
    if (connection.gone.aborted) throw error;
    throw new FileProblem('the server accepts the sign-in but offers no SFTP', { cause: error });
  }
}

const filesOver = (ask: Ask): ReadOnlyFiles => ({
  // OpenSSH resolves a path even if its last part does not exist.
  realPath: (path) => orAbsent(ask<string>((sftp, done) => sftp.realpath(path, done))),
  look: (path) => orAbsent(ask<Stats>((sftp, done) => sftp.lstat(path, done)).then(kindOf)),
  read: (path, mostBytes) => orAbsent(readWhole(ask, path, mostBytes)),
  list: async (path) =>
    ((await orAbsent(ask<FileEntryWithStats[]>((sftp, done) => sftp.readdir(path, done)))) ?? [])
      .slice(0, mostNames)
      .map(({ filename, attrs }) => (kindOf(attrs).kind === 'folder' ? `${filename}/` : filename)),
});

const kindOf = (stats: Stats): FileKind => ({
  kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
  size: stats.size,
});

async function readWhole(ask: Ask, path: string, mostBytes: number): Promise<Buffer> {
  const handle = await ask<Buffer>((sftp, done) => sftp.open(path, 'r', done));
  try {
    const chunks: Buffer[] = [];
    for (let at = 0; ;) {
      const chunk = await readChunk(ask, handle, at);
      if (!chunk.length) return Buffer.concat(chunks);
      chunks.push(chunk);
      at += chunk.length;
      if (at > mostBytes) throw fileTooLarge(mostBytes);
    }
  } finally {
    await ask<void>((sftp, done) => sftp.close(handle, (error) => done(error, undefined)));
  }
}

/** Returns an empty buffer at the end of the file. */
async function readChunk(ask: Ask, handle: Buffer, at: number): Promise<Buffer> {
  const buffer = Buffer.alloc(chunkBytes);
  const endOfFile = 1;
  try {
    const count = await ask<number>((sftp, done) => sftp.read(handle, buffer, 0, chunkBytes, at, done));
    return buffer.subarray(0, count);
  } catch (error) {
    if ((error as { code?: number }).code === endOfFile) return buffer.subarray(0, 0);
    throw error;
  }
}

async function orAbsent<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === noSuchFile) return undefined;
    if (code === permissionDenied) throw fileNotReadable();
    throw error;
  }
}
