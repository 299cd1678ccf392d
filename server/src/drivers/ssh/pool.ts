import { isDeepStrictEqual } from 'node:util';
import { connectSsh } from './connect.ts';
import type { SshConnection, SshTarget } from './ssh.ts';

const idleMs = 5 * 60_000;
const connectMs = 15_000;

type Held = { target: SshTarget; connection: Promise<SshConnection>; users: number; timer?: NodeJS.Timeout };

/** One shared connection per server, reopened when lost, closed when idle. */
export class SshPool {
  readonly #held = new Map<string, Held>();

  /** Runs the task with a connection. `key` identifies the server; changed credentials open a new connection. */
  async use<T>(
    key: string,
    target: SshTarget,
    task: (connection: SshConnection) => Promise<T>,
    { deadlineMs = connectMs, signal }: { deadlineMs?: number; signal?: AbortSignal } = {},
  ): Promise<T> {
    const held = this.#hold(key, target, deadlineMs);
    held.users++;
    clearTimeout(held.timer);
    try {
      const connection = await (signal ? Promise.race([held.connection, aborted(signal)]) : held.connection);
      return await task(connection);
    } finally {
      held.users--;
      if (!held.users && this.#held.get(key) !== held) closeOf(held);
      else if (!held.users) held.timer = setTimeout(() => this.#drop(key, held), idleMs).unref();
    }
  }

  /** Current users keep the connection; the next one reconnects. */
  forget(key: string): void {
    const held = this.#held.get(key);
    if (held) this.#drop(key, held);
  }

  close(): void {
    for (const [key, held] of this.#held) this.#drop(key, held);
  }

  #hold(key: string, target: SshTarget, deadlineMs: number): Held {
    const known = this.#held.get(key);
    if (known && isSame(known.target, target)) return known;
    if (known) this.#drop(key, known);
    const held: Held = { target, connection: connectSsh(target, { deadlineMs }), users: 0 };
    this.#held.set(key, held);
    const lost = () => this.#held.get(key) === held && this.#held.delete(key);
    held.connection.then(({ gone, hostKey }) => {
      // A target with the presented host key matches this connection.
      held.target = { ...target, hostKey };
      if (gone.aborted) lost();
      else gone.addEventListener('abort', lost);
    }, lost);
    return held;
  }

  #drop(key: string, held: Held): void {
    if (this.#held.get(key) === held) this.#held.delete(key);
    clearTimeout(held.timer);
    if (!held.users) closeOf(held);
  }
}

/** A target without a host key matches any connection to that server. */
const isSame = (known: SshTarget, { hostKey, ...wanted }: SshTarget): boolean => {
  const { hostKey: shown, ...rest } = known;
  return isDeepStrictEqual(rest, wanted) && (hostKey === undefined || hostKey === shown);
};

/** A failed connection needs no closing; its caller has the error. */
const closeOf = ({ connection }: Held): void =>
  void connection.then(
    (made) => made.close(),
    // Never opened, so there is nothing to close.
    () => {},
  );

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
