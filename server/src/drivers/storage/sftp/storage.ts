import { finished } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { type SshConnection, SshError } from '../../ssh/ssh.ts';
import { afterCleanUp, cleanUpMs } from '../clean-up.ts';
import { consumeBody } from '../incoming-body.ts';
import { checkObjectKey } from '../keys.ts';
import { type ByteRange, checkRange } from '../range.ts';
import { type StorageCallOptions, type Storage, StorageError } from '../storage.ts';
import { Sweep } from '../sweeping.ts';
import { sftpStorageError, isFileMissing } from './errors.ts';
import { closeHandle, removeFile, statOf } from './files.ts';
import { listSftpFiles } from './list.ts';
import { temporaryPartPath, putSftpFile } from './put.ts';
import { SftpSession } from './session.ts';
import { sweepFiles } from './sweep.ts';
import { openToRead, readBlocks } from './transfer.ts';

/** Runs a task on a connection to the server. */
export type UseConnection = <T>(
  task: (connection: SshConnection) => Promise<T>,
  options: StorageCallOptions,
) => Promise<T>;

export interface SftpPlace {
  use: UseConnection;
  /** Prefix of every path: empty for the user's start folder, else with a trailing slash. */
  base: string;
  /** Stall timeout. */
  stallMs?: number;
  close: () => void | Promise<void>;
}

const usualStallMs = 20_000;
// OpenSSH allows ten per connection, and others may use it too.
const mostSessions = 6;
// Reading and listing hold a session at the caller's pace. The remaining sessions are for calls that end by
// themselves, so that slow readers never block a backup.
const mostReaders = 4;

/** Stores objects as files on a server reached over SSH. */
export function createSftpStorage({ use, base, stallMs = usualStallMs, close }: SftpPlace): Storage {
  const pathOf = (key: string) => (key ? base + key : base.replace(/(?!^)\/$/, ''));
  const limited = limitConcurrency(mostSessions);
  const readers = limitConcurrency(mostReaders);
  /** Opens a session for one call; the signal ends it. Reconnects if the connection was lost since the last call. */
  const inSession: InSession = async (what, { signal }, task) => {
    signal.throwIfAborted();
    let hasBegun = false;
    const attempt = () =>
      use((connection) => withSession(connection, stallMs, signal, (session) => ((hasBegun = true), task(session))), {
        signal,
      });
    const isLost = (error: unknown) => !hasBegun && error instanceof SshError && error.code === 'lost';
    try {
      return await limited(
        () => attempt().catch((error: unknown) => (isLost(error) ? attempt() : Promise.reject(error))),
        signal,
      );
    } catch (error) {
      throw signal.aborted ? signal.reason : sftpStorageError(error, what);
    }
  };
  const inReaderSession: InSession = (what, options, task) =>
    readers(() => inSession(what, options, task), options.signal);
  /** In a session of its own, because the other may be broken, and without waiting for a slot. */
  const remove = (path: string): Promise<void> => {
    const signal = AbortSignal.timeout(cleanUpMs);
    return use((connection) => withSession(connection, stallMs, signal, (session) => removeFile(session, path)), {
      signal,
    });
  };
  return {
    put: (key, body, options) =>
      consumeBody(body, options, async () => {
        checkObjectKey(key);
        const path = pathOf(key);
        const part = temporaryPartPath(path);
        let hasBegun = false;
        try {
          const put = { key, path, part, body, signal: options.signal };
          return await inSession(key, options, (session) => ((hasBegun = true), putSftpFile(session, put)));
        } catch (error) {
          if (!hasBegun) throw error;
          throw await afterCleanUp(error, () => remove(part));
        }
      }),
    async get(key, { signal, range }) {
      signal.throwIfAborted();
      checkObjectKey(key);
      checkRange(range);
      return new Promise((resolve, reject) => {
        inReaderSession(key, { signal }, async (session) => {
          const stream = await streamOf(session, pathOf(key), range, signal);
          resolve(stream);
          // The session lasts as long as the stream; its reader handles errors.
          await finished(stream).catch(() => {});
        }).catch(reject);
      });
    },
    list: (prefix, { signal }) =>
      listInSession(inReaderSession, { signal }, (session) => listSftpFiles(session, pathOf, prefix)),
    async delete(key, options) {
      options.signal.throwIfAborted();
      checkObjectKey(key);
      await inSession(key, options, (session) => removeFile(session, pathOf(key)));
    },
    async sweep({ home = '', ...options }) {
      const sweep = new Sweep(options, sftpStorageError);
      await sweep.attempt('the target', () =>
        inSession('the target', options, (session) => sweepFiles(session, pathOf, home, sweep)),
      );
      return sweep.swept;
    },
    close: async () => {
      await close();
    },
  };
}

async function streamOf(
  session: SftpSession,
  path: string,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  // Some servers open folders, and pipes never end.
  const found = await statOf(session, path).catch((error: unknown) => {
    if (isFileMissing(error)) return undefined;
    throw error;
  });
  if (!found?.isFile()) throw new StorageError('not_found', `${path} does not exist`);
  const { handle, bytes } = await openToRead(session, path);
  const end = Math.min(bytes, range?.to === undefined ? bytes : range.to + 1);
  const read = async function* () {
    try {
      yield* readBlocks(session, handle, { from: range?.from ?? 0, end });
    } catch (error) {
      throw sftpStorageError(error, path);
    } finally {
      if (session.isUsable) await closeHandle(session, handle);
    }
  };
  return Readable.from(read(), { objectMode: false, signal });
}

async function withSession<T>(
  connection: SshConnection,
  stallMs: number,
  signal: AbortSignal,
  task: (session: SftpSession) => Promise<T>,
): Promise<T> {
  const session = await SftpSession.open(connection, stallMs);
  const onAbort = () => session.break(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await task(session);
  } finally {
    signal.removeEventListener('abort', onAbort);
    session.close();
  }
}

type InSession = <T>(
  what: string,
  options: StorageCallOptions,
  task: (session: SftpSession) => Promise<T>,
) => Promise<T>;

/** Lists at the caller's pace, in a session that lasts as long. */
async function* listInSession<T>(
  inSession: InSession,
  options: StorageCallOptions,
  list: (session: SftpSession) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => (end = resolve));
  let begin: (session: SftpSession) => void = () => {};
  const begun = new Promise<SftpSession>((resolve) => (begin = resolve));
  const running = inSession('the target', options, async (session) => {
    begin(session);
    await over;
  });
  // Awaited below; an earlier rejection must not be unhandled.
  running.catch(() => {});
  try {
    const session = await Promise.race([begun, running.then(() => begun)]);
    yield* list(session);
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : sftpStorageError(error, 'the target');
  } finally {
    end();
    // Its error was reported above.
    await running.catch(() => {});
  }
}
