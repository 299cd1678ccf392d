import type { Duplex } from 'node:stream';
import { LazyStream } from '../../ssh/lazy-stream.ts';
import type { EngineConnect } from '../docker/engine/client.ts';

/** Connects to the head of a Swarm, and to another manager while the head is away. */
export function connectToManager(head: EngineConnect, others: () => readonly EngineConnect[]): EngineConnect {
  let last = head;
  return () =>
    new LazyStream(async () => {
      const all = [...new Set([last, head, ...others()])];
      const failures: unknown[] = [];
      for (const connect of all)
        try {
          const stream = await opened(connect());
          last = connect;
          return stream;
        } catch (error) {
          failures.push(error);
        }
      throw failures[0];
    });
}

const opened = (stream: Duplex): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('connect', () => {
      stream.off('error', reject);
      resolve(stream);
    });
  });
