import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Opens a connection to a port as the machine reaches it on which something runs. */
export type OpenPort = (at: { host: string; port: number }, signal: AbortSignal) => Promise<Duplex>;

const withinMs = 2000;

export const openPortHere: OpenPort = ({ host, port }, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal, timeout: withinMs });
    socket.once('timeout', () => socket.destroy(new Error('no answer'))).once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
