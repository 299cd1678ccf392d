import type { Server } from 'node:net';
import type { EdgeProject } from '../edge.ts';
import type { Rest } from './rest.ts';

/** Calls from an edge to the one that it took over from, which still answers on its open connections. */
export type ToPredecessor =
  | { call: number; type: 'table'; projects: readonly EdgeProject[] }
  | { call: number; type: 'drain'; deploymentId: string; withinMs: number }
  | { call: number; type: 'hold'; deploymentId: string; withinMs: number; drainMs: number }
  | { call: number; type: 'resume'; deploymentId: string };

export type FromPredecessor = { call: number; left: number };

export interface Predecessor {
  listener: Server;
  /** Returns once requests on old connections, too, go where these routes say. */
  useTable(projects: readonly EdgeProject[]): Promise<void>;
  rest: Rest;
}

/** Waits for the listening socket that the predecessor sends over the channel between us. */
export function meetPredecessor(): Promise<Predecessor> {
  const open = new Map<number, (left: number) => void>();
  let calls = 0;
  process.once('disconnect', () => open.forEach((resolve) => resolve(0)));
  const call = (message: Omit<ToPredecessor, 'call'>, withinMs: number): Promise<number> => {
    if (!process.connected) return Promise.resolve(0);
    const id = ++calls;
    return new Promise((resolve) => {
      // One that does not answer is as good as gone; nobody waits for it.
      const timer = setTimeout(() => finish(0), withinMs + 1000);
      const finish = (left: number) => {
        clearTimeout(timer);
        open.delete(id);
        resolve(left);
      };
      open.set(id, finish);
      process.send!({ ...message, call: id }, (error: Error | null) => error && finish(0));
    });
  };
  return new Promise((resolve) => {
    process.once('message', (_hello, listener) => {
      process.on('message', ({ call: id, left }: FromPredecessor) => open.get(id)?.(left));
      resolve({
        listener: listener as Server,
        useTable: (projects) => call({ type: 'table', projects } as ToPredecessor, 0).then(() => undefined),
        rest: {
          drain: (deploymentId, withinMs) => call({ type: 'drain', deploymentId, withinMs } as ToPredecessor, withinMs),
          hold: (deploymentId, times) => call({ type: 'hold', deploymentId, ...times } as ToPredecessor, times.drainMs),
          resume: (deploymentId) => call({ type: 'resume', deploymentId } as ToPredecessor, 0).then(() => undefined),
        },
      });
    });
  });
}
