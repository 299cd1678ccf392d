import { StaleFenceError } from '../../stale-fence.ts';
import type { Duplex } from 'node:stream';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError } from '../../runtime/docker/engine/errors.ts';
import { stdout, streamFrames } from '../../runtime/docker/logs/frames.ts';
import { EdgeNotRunningError } from '../builtin/control/client.ts';
import {
  type BridgeAnswer,
  type BridgeGreeting,
  notRunning,
  type BridgeOperation,
  type BridgeOperations,
  pingMs,
} from './bridge-protocol.ts';
import { jsonLine, jsonLineParser } from './json-lines.ts';

/** The stream broke: the operation may or may not have happened. */
export class BridgeBrokenError extends Error {
  override name = 'BridgeBrokenError';
}

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout | undefined };

const greetMs = 15_000;
const dayMs = 24 * 3_600_000;
/** Extra time for the round trip. */
const wayMs = 5000;

/** A process in the edge's container that carries concurrent calls over its standard streams. */
export class Bridge {
  readonly #stream: Duplex;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #saidOnError = '';
  readonly greeting: Promise<BridgeGreeting>;
  private constructor(stream: Duplex) {
    this.#stream = stream;
    this.greeting = this.#wait(0, greetMs) as Promise<BridgeGreeting>;
    // The reader handles errors.
    stream.on('error', () => {});
    const pinging = setInterval(() => void this.ask('ping', [], wayMs).catch(() => stream.destroy()), pingMs).unref();
    void this.#read().finally(() => clearInterval(pinging));
  }

  /** Starts a bridge in a running container. */
  static async open(engine: EngineClient, container: string, command: string[]): Promise<Bridge> {
    const body = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Cmd: command };
    const { Id } = await engine.json<{ Id: string }>({ method: 'POST', path: `/containers/${container}/exec`, body });
    const start = { method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false } } as const;
    const bridge = new Bridge(await engine.upgrade({ ...start, headers: { upgrade: 'tcp' } }));
    void bridge.#endsWith(engine, container);
    await bridge.greeting;
    return bridge;
  }

  /** An engine does not always close the streams of a stopped container, but it reports the stop at once. */
  async #endsWith(engine: EngineClient, container: string): Promise<void> {
    const over = new AbortController();
    this.#stream.once('close', () => over.abort());
    const call = {
      method: 'POST',
      path: `/containers/${container}/wait`,
      deadlineMs: dayMs,
      signal: over.signal,
    } as const;
    try {
      await engine.json(call);
      this.close();
    } catch (error) {
      // The container is already gone. Other errors say nothing about it; the pings detect a broken stream.
      if (error instanceof EngineError) this.close();
    }
  }

  /** Rejects with a BridgeBrokenError without a response in time, and closes the bridge. `withinMs` is the time that
   * the other side needs; null for an unbounded operation. */
  async ask<Each extends BridgeOperation>(
    operation: Each,
    args: BridgeOperations[Each]['args'],
    withinMs: number | null,
  ): Promise<BridgeOperations[Each]['gives']> {
    const id = ++this.#calls;
    const answer = this.#wait(id, withinMs === null ? null : withinMs + wayMs);
    this.#stream.write(jsonLine({ id, operation, args }), () => {});
    return (await answer) as BridgeOperations[Each]['gives'];
  }

  get isOpen(): boolean {
    return !this.#stream.destroyed;
  }

  close(): void {
    this.#stream.destroy();
  }

  #wait(id: number, withinMs: number | null): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#stream.destroyed) return reject(new BridgeBrokenError('the connection to the edge is closed'));
      const giveUp = () => this.#stream.destroy();
      const timer = withinMs === null ? undefined : setTimeout(giveUp, withinMs);
      this.#waiting.set(id, { resolve, reject, timer });
    });
  }

  async #read(): Promise<void> {
    const take = jsonLineParser((value) => this.#take(value as BridgeGreeting | BridgeAnswer));
    let cause: unknown;
    try {
      for await (const { kind, payload } of streamFrames(this.#stream)) {
        if (kind === stdout) take(payload);
        else this.#saidOnError = (this.#saidOnError + payload.toString()).slice(-1000);
      }
    } catch (error) {
      cause = error;
    }
    this.#stream.destroy();
    const said = this.#saidOnError.trim();
    const broken = new BridgeBrokenError(`the connection to the edge was lost${said && `: ${said}`}`, { cause });
    for (const id of this.#waiting.keys()) this.#settle(id, ({ reject }) => reject(broken));
  }

  #take(value: BridgeGreeting | BridgeAnswer): void {
    if ('keeper' in value) this.#settle(0, ({ resolve }) => resolve(value));
    else if ('error' in value) this.#settle(value.id, ({ reject }) => reject(errorOf(value.error, value.code)));
    else this.#settle(value.id, ({ resolve }) => resolve(value.value));
  }

  #settle(id: number, how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    how(waiting);
  }
}

function errorOf(message: string, code: string | null): Error {
  if (code === notRunning) return new EdgeNotRunningError(message);
  if (code === 'stale_fence') return new StaleFenceError(message);
  return Object.assign(new Error(message), code && { code });
}
