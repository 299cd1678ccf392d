import type { Server } from 'node:net';
import type { EdgeProject, TrafficMinute } from '../edge.ts';
import type { Rest } from './rest.ts';

/** What an edge gets from the one before it: the sockets that listen, and what was counted. */
export interface Inheritance {
  listener: Server;
  tlsListener: Server | null;
  run: string;
  minutes: TrafficMinute[];
}

/** Comes with the plain socket; an edge that knew no TLS sends a word instead. */
export type FirstMessage = { type: 'listener'; hasTls: boolean; run: string; minutes: TrafficMinute[] };

/** Calls from an edge to the one that it took over from, which still answers on its open connections. */
export type ToPredecessor =
  | { call: number; type: 'table'; projects: readonly EdgeProject[] }
  | { call: number; type: 'drain'; deploymentId: string; withinMs: number }
  | { call: number; type: 'hold'; deploymentId: string; withinMs: number; drainMs: number }
  | { call: number; type: 'resume'; deploymentId: string }
  | { call: number; type: 'counts' };

/** `minutes`: what it has counted since it told last. Without a call: what was left when it went. */
export type FromPredecessor = { call: number | null; left: number; minutes?: TrafficMinute[] };

export interface Predecessor {
  /** What it has counted; null when it could not count. */
  inherited: { run: string; minutes: TrafficMinute[] } | null;
  listener: Server;
  tlsListener: Server | null;
  /** Returns once requests on old connections, too, go where these routes say. */
  useTable(projects: readonly EdgeProject[]): Promise<void>;
  /** Returns once it has told what it has counted. */
  tellCounts(): Promise<void>;
  /** Takes what it tells. */
  onCounts(take: (minutes: TrafficMinute[]) => void): void;
  rest: Rest;
  /** It has answered everything that was open. */
  gone: Promise<void>;
}

/** Waits for the listening sockets that the predecessor sends over the channel between us. */
export async function meetPredecessor(): Promise<Predecessor> {
  const { first, listener, tlsListener } = await inherit();
  const { call, onCounts } = talkToPredecessor();
  return {
    inherited: first,
    listener,
    tlsListener,
    useTable: (projects) => call({ type: 'table', projects }, 0).then(() => undefined),
    tellCounts: () => call({ type: 'counts' }, 0).then(() => undefined),
    onCounts,
    gone: new Promise((resolve) => (process.connected ? process.once('disconnect', () => resolve()) : resolve())),
    rest: {
      drain: (deploymentId, withinMs) => call({ type: 'drain', deploymentId, withinMs }, withinMs),
      hold: (deploymentId, times) => call({ type: 'hold', deploymentId, ...times }, times.drainMs),
      resume: (deploymentId) => call({ type: 'resume', deploymentId }, 0).then(() => undefined),
    },
  };
}

function inherit(): Promise<{ first: FirstMessage | null; listener: Server; tlsListener: Server | null }> {
  return new Promise((resolve) => {
    process.once('message', (message: FirstMessage | string, listener) => {
      const first = typeof message === 'string' ? null : message;
      const done = (tlsListener: Server | null) => resolve({ first, listener: listener as Server, tlsListener });
      if (first?.hasTls) process.once('message', (_message, tlsListener) => done(tlsListener as Server));
      else done(null);
    });
  });
}

/** A call without its number. */
type Call = ToPredecessor extends infer Each ? (Each extends ToPredecessor ? Omit<Each, 'call'> : never) : never;

function talkToPredecessor() {
  const open = new Map<number, (left: number) => void>();
  let calls = 0;
  let take: (minutes: TrafficMinute[]) => void = () => {};
  process.once('disconnect', () => open.forEach((resolve) => resolve(0)));
  process.on('message', ({ call: id, left, minutes }: FromPredecessor) => {
    // Also when nobody waits for it any more: it is told once.
    if (minutes) take(minutes);
    if (id !== null) open.get(id)?.(left);
  });
  const call = (message: Call, withinMs: number): Promise<number> => {
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
  return { call, onCounts: (taker: typeof take) => void (take = taker) };
}
