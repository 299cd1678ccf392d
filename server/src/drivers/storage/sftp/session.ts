import { setTimeout as sleep } from 'node:timers/promises';
import type { SFTPWrapper } from 'ssh2';
import type { SshConnection } from '../../ssh/ssh.ts';
import { StorageError } from '../storage.ts';

const quietMs = 2_000;
const [tries, pauseMs] = [20, 100];
/** Reasons of a server with too many open channels. Recently closed ones may still count. */
const busyReasons = [2, 4];

type Answer<T> = (error: Error | null | undefined, value: T) => void;

async function openChannel(connection: SshConnection): Promise<SFTPWrapper> {
  for (let tried = 1; ; tried++)
    try {
      return await connection.sftp();
    } catch (error) {
      const isBusy = busyReasons.includes((error as { reason?: number }).reason ?? 0);
      if (!isBusy || tried === tries || connection.gone.aborted) throw error;
      await sleep(pauseMs);
    }
}

/** One SFTP channel for one call. Every request ends: with a response, the signal, the connection, or a stall
 * timeout. */
export class SftpSession {
  readonly #sftp: SFTPWrapper;
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #stallMs: number;
  readonly #gone: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #broken: Error | undefined;
  #unanswered = 0;
  #onQuiet: () => void = () => {};

  private constructor(sftp: SFTPWrapper, gone: AbortSignal, stallMs: number) {
    this.#sftp = sftp;
    this.#gone = gone;
    this.#stallMs = stallMs;
    gone.addEventListener('abort', this.#onGone, { once: true });
    sftp.on('error', (error: Error) => this.break(error));
    sftp.on('close', () => this.break(new StorageError('unreachable', 'the connection was lost')));
  }

  static async open(connection: SshConnection, stallMs: number): Promise<SftpSession> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(stalled(stallMs)), stallMs);
    });
    try {
      const sftp = await Promise.race([openChannel(connection), late]);
      return new SftpSession(sftp, connection.gone, stallMs);
    } catch (error) {
      if (connection.gone.aborted || error instanceof StorageError) throw error;
      throw new StorageError('misconfigured', 'the server accepts the sign-in but offers no SFTP', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether the channel works, as far as we know. */
  get isUsable(): boolean {
    return this.#broken === undefined;
  }

  /** Sends a request. */
  ask<T>(send: (sftp: SFTPWrapper, done: Answer<T>) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#broken) return reject(this.#broken);
      this.#waiting.add(reject);
      this.#timer ??= setTimeout(() => this.break(stalled(this.#stallMs)), this.#stallMs);
      this.#unanswered++;
      const done: Answer<T> = (error, value) => {
        if (!--this.#unanswered) this.#onQuiet();
        this.#waiting.delete(reject);
        if (this.#broken) return;
        if (this.#waiting.size) this.#timer?.refresh();
        else {
          clearTimeout(this.#timer);
          this.#timer = undefined;
        }
        if (error) reject(error);
        else resolve(value);
      };
      try {
        send(this.#sftp, done);
      } catch (error) {
        // ssh2 throws for unsupported operations.
        done(error as Error, undefined as T);
      }
    });
  }

  /** Fails all pending requests; no more are sent. */
  break(error: Error): void {
    this.#broken ??= error;
    clearTimeout(this.#timer);
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  close(): void {
    this.#gone.removeEventListener('abort', this.#onGone);
    this.break(new StorageError('unreachable', 'the session has ended'));
    if (!this.#unanswered) {
      this.#sftp.end();
      return;
    }
    // ProFTPD drops the whole connection when a channel with pending requests is closed.
    const timer = setTimeout(() => this.#onQuiet(), quietMs);
    this.#onQuiet = () => {
      clearTimeout(timer);
      this.#onQuiet = () => {};
      this.#sftp.end();
    };
  }

  #onGone = (): void => this.break(this.#gone.reason as Error);
}

const stalled = (stallMs: number) =>
  new StorageError('timeout', `the SFTP server has not responded for ${stallMs / 1000} s`);
