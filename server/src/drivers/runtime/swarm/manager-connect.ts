import type { Duplex } from 'node:stream';
import { LazyStream } from '../../ssh/lazy-stream.ts';
import { EngineClient, type EngineConnect } from '../docker/engine/client.ts';

/** Connects to the first of these managers that responds, and stays with it. */
export class ManagerConnections {
  readonly #managers: () => readonly EngineConnect[];
  readonly #onWorker: (node: EngineConnect) => void;
  readonly #open = new Map<EngineConnect, Set<Duplex>>();
  #last: EngineConnect | undefined;

  /** `onWorker` is called with a node that turned out to be a worker. */
  constructor(managers: () => readonly EngineConnect[], onWorker: (node: EngineConnect) => void) {
    this.#managers = managers;
    this.#onWorker = onWorker;
  }

  readonly client = (): EngineClient =>
    new EngineClient(this.connect, ({ message }) => {
      if (this.#last && /not a swarm manager/i.test(message)) this.#onWorker(this.#last);
    });

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

const opened = (stream: Duplex): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    // Also errors before the stream is used must have a listener.
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the connection was closed')));
    stream.once('connect', () => resolve(stream));
  });
