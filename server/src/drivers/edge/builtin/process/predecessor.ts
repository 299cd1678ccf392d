import type { Server } from 'node:net';
import type { EdgeProject, TrafficMinute } from '../../edge.ts';
import type { Rest } from '../rest.ts';

/** Listening sockets and traffic counts that an edge inherits from its predecessor. */
export interface Inheritance {
  listener: Server;
  tlsListener: Server | null;
  run: string;
  minutes: TrafficMinute[];
}

/** File descriptors of the inherited sockets. They are inherited at spawn and not sent as messages: a server received
 * in a message would accept clients before it can answer them. */
export const inheritedSockets = { listener: { fd: 4 }, tlsListener: { fd: 5 } };

export type FirstMessage = { hasTls: boolean; run: string; minutes: TrafficMinute[] };

/** Calls from an edge to its predecessor, which still serves its open connections. */
export type ToPredecessor =
  | { call: number; type: 'table'; projects: readonly EdgeProject[] }
  | { call: number; type: 'drain'; deploymentId: string; withinMs: number }
  | { call: number; type: 'hold'; deploymentId: string; withinMs: number; drainMs: number }
  | { call: number; type: 'resume'; deploymentId: string }
  | { call: number; type: 'counts' };

/** `minutes`: counts since the last report. `call` is null for the final report before exit. */
export type FromPredecessor = { call: number | null; left: number; minutes?: TrafficMinute[] };

export type InheritedSocket = { fd: number };

export interface Predecessor {
  /** Counts of the predecessor so far. */
  inherited: { run: string; minutes: TrafficMinute[] };
  listener: InheritedSocket;
  tlsListener: InheritedSocket | null;
  /** Resolves once requests on the predecessor's connections follow these routes too. */
  useTable(projects: readonly EdgeProject[]): Promise<void>;
  /** Resolves once the predecessor has sent its counts. */
  tellCounts(): Promise<void>;
  /** Registers the receiver of the counts. */
  onCounts(take: (minutes: TrafficMinute[]) => void): void;
  rest: Rest;
  /** Resolves when the predecessor has closed its last connection. */
  gone: Promise<void>;
}

/** Waits for the predecessor's first message on the IPC channel. */
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
    // Counts are sent only once, so accept them even after the call timed out.
    if (minutes) take(minutes);
    if (id !== null) open.get(id)?.(left);
  });
  const call = (message: Call, withinMs: number): Promise<number> => {
    if (!process.connected) return Promise.resolve(0);
    const id = ++calls;
    return new Promise((resolve) => {
      // A predecessor that does not respond counts as gone.
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
