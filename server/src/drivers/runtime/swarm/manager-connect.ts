import type { Duplex } from 'node:stream';
import { LazyStream } from '../../ssh/lazy-stream.ts';
import type { EngineConnect } from '../docker/engine/client.ts';
import { EngineError } from '../docker/engine/errors.ts';

/** Connects to the first of these managers that responds, and stays with it. */
export class ManagerConnections {
  readonly #managers: () => readonly EngineConnect[];
  readonly #open = new Map<EngineConnect, Set<Duplex>>();
  #last: EngineConnect | undefined;

  constructor(managers: () => readonly EngineConnect[]) {
    this.#managers = managers;
  }

  /** The manager of the newest connection. */
  get last(): EngineConnect | undefined {
    return this.#last;
  }

  readonly connect: EngineConnect = () =>
    new LazyStream(async () => {
      const known = this.#managers();
      const failures: unknown[] = [];
      for (const connect of known.toSorted((a, b) => Number(b === this.#last) - Number(a === this.#last)))
        try {
          const stream = await opened(connect());
          this.#keep(connect, stream);
          this.#last = connect;
          return stream;
        } catch (error) {
          failures.push(error);
        }
      throw failures[0] ?? new Error('no manager of the Swarm is known');
    });

  /** Closes the connections to a node that is not a manager any more: its engine goes on accepting them. */
  leave(node: EngineConnect): void {
    if (this.#last === node) this.#last = undefined;
    for (const stream of this.#open.get(node) ?? []) stream.destroy();
  }

  #keep(connect: EngineConnect, stream: Duplex): void {
    const streams = this.#open.get(connect) ?? new Set();
    this.#open.set(connect, streams.add(stream));
    stream.once('close', () => {
      streams.delete(stream);
      if (!streams.size) this.#open.delete(connect);
    });
  }
}

/** Whether an engine refused a call because it is a worker, or in no Swarm. */
export const isNotManager = (error: unknown): boolean =>
  error instanceof EngineError && error.status === 503 && /not a swarm manager/i.test(error.message);

const opened = (stream: Duplex): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    // Also errors before the stream is used must have a listener.
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the connection was closed')));
    stream.once('connect', () => resolve(stream));
  });
