import type { Server } from 'node:net';
import type { EdgeProject, TrafficMinute } from '../../edge.ts';
import type { Rest } from '../rest.ts';

/** What an edge gets from the one before it: the sockets that listen, and what was counted. */
export interface Inheritance {
  listener: Server;
  tlsListener: Server | null;
  run: string;
  minutes: TrafficMinute[];
}

/** Where a successor finds the sockets: it has them from its start, and takes nobody at them before it can answer. One
 * that came in a message would take visitors from that moment on, and leave them waiting. */
export const inheritedSockets = { listener: { fd: 4 }, tlsListener: { fd: 5 } };

export type FirstMessage = { hasTls: boolean; run: string; minutes: TrafficMinute[] };

/** Calls from an edge to the one that it took over from, which still answers on its open connections. */
export type ToPredecessor =
  | { call: number; type: 'table'; projects: readonly EdgeProject[] }
  | { call: number; type: 'drain'; deploymentId: string; withinMs: number }
  | { call: number; type: 'hold'; deploymentId: string; withinMs: number; drainMs: number }
  | { call: number; type: 'resume'; deploymentId: string }
  | { call: number; type: 'counts' };

/** `minutes`: what it has counted since it told last. Without a call: what was left when it went. */
export type FromPredecessor = { call: number | null; left: number; minutes?: TrafficMinute[] };

export type InheritedSocket = { fd: number };

export interface Predecessor {
  /** What it has counted. */
  inherited: { run: string; minutes: TrafficMinute[] };
  listener: InheritedSocket;
  tlsListener: InheritedSocket | null;
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

/** Waits for what the predecessor tells first over the channel between us. */
export async function meetPredecessor(): Promise<Predecessor> {
  const first = await new Promise<FirstMessage>((resolve) => process.once('message', resolve));
  const { call, onCounts } = talkToPredecessor();
  return {
    inherited: first,
    listener: inheritedSockets.listener,
    tlsListener: first.hasTls ? inheritedSockets.tlsListener : null,
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
