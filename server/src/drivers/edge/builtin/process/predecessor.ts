import type { Server } from 'node:net';
import type { TrafficMinute } from '../../edge.ts';
import { type Companion, companionOver, ownChannel } from './companion.ts';

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

export type InheritedSocket = { fd: number };

/** The edge before this one, which still serves its open connections. */
export interface Predecessor extends Companion {
  /** Counts of the predecessor so far. */
  inherited: { run: string; minutes: TrafficMinute[] };
  listener: InheritedSocket;
  tlsListener: InheritedSocket | null;
  /** Resolves when the predecessor has closed its last connection. */
  gone: Promise<void>;
}

const silentMs = 1000;

/** Waits for the predecessor's first message on the IPC channel. */
export async function meetPredecessor(): Promise<Predecessor> {
  const first = await firstMessage<FirstMessage>();
  return {
    ...companionOver(ownChannel, { silentMs }),
    inherited: first,
    listener: inheritedSockets.listener,
    tlsListener: first.hasTls ? inheritedSockets.tlsListener : null,
    gone: new Promise((resolve) => (process.connected ? process.once('disconnect', () => resolve()) : resolve())),
  };
}

/** Node keeps the messages that follow until somebody listens again. */
export const firstMessage = <T>(): Promise<T> => new Promise((resolve) => process.once('message', resolve));
