import type { ChildProcess } from 'node:child_process';
import type { EdgeProject, TrafficMinute } from '../../edge.ts';
import type { TrafficControl } from '../traffic-control.ts';
import type { SavedSettings } from '../state.ts';

/** One end of the IPC channel between two processes of an edge. */
export type Channel = Pick<ChildProcess, 'connected' | 'send' | 'on' | 'once'>;

/** The end of a process that another edge process started. */
export const ownChannel = process as unknown as Channel;

/** Calls to another process that serves connections of the same edge. */
export type CompanionCall =
  | { type: 'table'; projects: readonly EdgeProject[] }
  | { type: 'drain'; deploymentId: string; withinMs: number }
  | { type: 'hold'; deploymentId: string; withinMs: number; drainMs: number }
  | { type: 'resume'; deploymentId: string }
  | { type: 'counts' };

/** Calls to a worker, besides those to every companion. */
export type WorkerCall =
  | { type: 'settings'; saved: SavedSettings }
  | { type: 'certificate'; host: string }
  | { type: 'tickets' }
  /** Stop accepting connections, serve the open ones for a while, and exit. */
  | { type: 'leave' }
  /** Answer the requests in flight and exit. */
  | { type: 'end' };

/** `minutes`: counts since the last report. `call` is null for the final report before exit. */
export type CompanionReply = { call: number | null; left: number; minutes?: TrafficMinute[] };

/** Another process that serves connections of the same edge: a worker, or the predecessor. */
export interface Companion {
  /** Resolves once requests on its connections follow these routes too. */
  useTable(projects: readonly EdgeProject[]): Promise<void>;
  /** Resolves once it has sent its counts. */
  tellCounts(): Promise<void>;
  /** Registers the receiver of the counts. */
  onCounts(take: (minutes: TrafficMinute[]) => void): void;
  rest: TrafficControl;
}

type Patience = { silentMs: number; onSilent?: () => void };

/** A process that does not respond within `silentMs` counts as gone; `onSilent` makes sure that it is. */
export function companionOver(channel: Channel, patience: Patience) {
  const open = new Map<number, (left: number) => void>();
  let calls = 0;
  let take: (minutes: TrafficMinute[]) => void = () => {};
  channel.once('disconnect', () => open.forEach((resolve) => resolve(0)));
  channel.on('message', ({ call: id, left, minutes }: CompanionReply) => {
    // Counts are sent only once, so accept them even after the call timed out.
    if (minutes) take(minutes);
    if (id !== null) open.get(id)?.(left);
  });
  const call = (message: CompanionCall | WorkerCall, withinMs = 0): Promise<number> => {
    if (!channel.connected) return Promise.resolve(0);
    const id = ++calls;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        patience.onSilent?.();
        finish(0);
      }, withinMs + patience.silentMs);
      const finish = (left: number) => {
        clearTimeout(timer);
        open.delete(id);
        resolve(left);
      };
      open.set(id, finish);
      channel.send({ ...message, call: id }, (error) => error && finish(0));
    });
  };
  const companion: Companion = {
    useTable: (projects) => call({ type: 'table', projects }).then(() => undefined),
    tellCounts: () => call({ type: 'counts' }).then(() => undefined),
    onCounts: (taker) => void (take = taker),
    rest: {
      drain: (deploymentId, withinMs) => call({ type: 'drain', deploymentId, withinMs }, withinMs),
      hold: (deploymentId, times) => call({ type: 'hold', deploymentId, ...times }, times.drainMs),
      resume: (deploymentId) => call({ type: 'resume', deploymentId }).then(() => undefined),
    },
  };
  return { ...companion, call };
}
