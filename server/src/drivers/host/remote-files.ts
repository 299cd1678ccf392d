import { dirname } from 'node:path/posix';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileEntryWithStats, ReadStream, SFTPWrapper, Stats, WriteStream } from 'ssh2';
import type { UseSsh } from '../ssh/held-socket.ts';

const noSuchFile = 2;

type CallOptions = { signal?: AbortSignal };

/** Files of a server reached over SSH. */
export class RemoteFiles {
  readonly #use: UseSsh;

  constructor(use: UseSsh) {
    this.#use = use;
  }

  /** Reads the whole file, up to `mostBytes`. */
  read(path: string, { mostBytes, ...options }: CallOptions & { mostBytes: number }): Promise<Buffer> {
    return this.#with(options, async (sftp) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of heard(sftp.createReadStream(path)) as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > mostBytes) throw new Error(`${path} has more than ${mostBytes} bytes`);
      }
      return Buffer.concat(chunks);
    });
  }

  /** Writes atomically; the previous file stays until then. */
  write(path: string, content: Buffer | Readable, { mode = 0o600, ...options }: CallOptions & { mode?: number } = {}) {
    return this.#with(options, async (sftp) => {
      const beside = `${path}.${process.pid}-${Date.now()}.part`;
      const body = Buffer.isBuffer(content) ? Readable.from([content]) : content;
      try {
        const file = heard(sftp.createWriteStream(beside, { mode, flags: 'wx' }));
        await pipeline(body, file as unknown as Writable, options);
        await told((done) => sftp.ext_openssh_rename(beside, path, done));
      } catch (error) {
        // Keep the error of the write, not of the clean-up.
        await told((done) => sftp.unlink(beside, done)).catch(() => {});
        throw error;
      }
    });
  }

  /** Creates the folder and its parents. Ignores an existing one. */
  makeFolder(path: string, options: CallOptions = {}): Promise<void> {
    return this.#with(options, (sftp) => makeFolder(sftp, path));
  }

  /** Removes a file, a symlink or a folder with its contents. Never follows symlinks; ignores a missing path. */
  remove(path: string, options: CallOptions = {}): Promise<void> {
    return this.#with(options, (sftp) => removeTree(sftp, path, options.signal));
  }

  #with<T>(options: CallOptions, task: (sftp: SFTPWrapper) => Promise<T>): Promise<T> {
    return this.#use(async (connection) => {
      const sftp = await connection.sftp();
      const over = new AbortController();
      const cutShort = new Promise<never>((_, reject) => {
        for (const signal of [connection.gone, ...(options.signal ? [options.signal] : [])]) {
          const end = () => reject(signal.reason as Error);
          if (signal.aborted) end();
          signal.addEventListener('abort', end, { signal: over.signal });
        }
      });
      try {
        return await Promise.race([task(sftp), cutShort]);
      } finally {
        over.abort();
        sftp.end();
      }
    }, options);
  }
}

/** A stream that is abandoned closes its file later; if the connection ends before that, nobody handles its error. */
const heard = <T extends ReadStream | WriteStream>(stream: T): T => stream.on('error', () => {}) as T;

const told = (ask: (done: (error?: Error | null) => void) => unknown): Promise<void> =>
  new Promise((resolve, reject) => ask((error) => (error ? reject(error) : resolve())));

const asked = <T>(ask: (done: (error: Error | undefined, answer: T) => void) => unknown): Promise<T> =>
  new Promise((resolve, reject) => ask((error, answer) => (error ? reject(error) : resolve(answer))));

const isMissing = (error: unknown): boolean => (error as { code?: number }).code === noSuchFile;

async function ifThere<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function makeFolder(sftp: SFTPWrapper, path: string): Promise<void> {
  const there = await ifThere(asked<Stats>((done) => sftp.stat(path, done)));
  if (there?.isDirectory()) return;
  if (there) throw new Error(`${path} exists and is not a folder`);
  if (dirname(path) !== path) await makeFolder(sftp, dirname(path));
  await told((done) => sftp.mkdir(path, { mode: 0o700 }, done));
}

async function removeTree(sftp: SFTPWrapper, path: string, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const found = await ifThere(asked<Stats>((done) => sftp.lstat(path, done)));
  if (!found) return;
  if (!found.isDirectory()) return ifThere(told((done) => sftp.unlink(path, done)));
  const inside = await asked<FileEntryWithStats[]>((done) => sftp.readdir(path, done));
  for (const { filename } of inside) await removeTree(sftp, `${path}/${filename}`, signal);
  await ifThere(told((done) => sftp.rmdir(path, done)));
}
