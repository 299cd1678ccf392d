import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ListenerOwner, Listeners } from './listeners.ts';

/** Opens a connection to a port from the machine on which the app runs. */
export type OpenPort = (
  at: { host: string; port: number; listener?: ListenerOwner },
  signal: AbortSignal,
) => Promise<Duplex>;

const withinMs = 2000;

const listeners = new Listeners();

/** Connects only to the expected listener, if one is given. */
export const openPortHere: OpenPort = async ({ host, port, listener }, signal) => {
  const isSame = listener ? await listeners.require({ host, port, listener }) : () => true;
  const socket = await connected(host, port, signal);
  if (isSame()) return socket;
  socket.destroy();
  throw new Error(`the listener on port ${port} has changed`);
};

const connected = (host: string, port: number, signal: AbortSignal): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal, timeout: withinMs });
    socket.once('timeout', () => socket.destroy(new Error('no answer'))).once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
