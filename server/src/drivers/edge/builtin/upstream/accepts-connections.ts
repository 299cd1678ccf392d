import { connect } from 'node:net';
import type { Upstream } from '../../edge.ts';
import { lookup } from './lookup.ts';

/** With other replicas at hand: how long the machine of one may be silent. A lost packet is sent again after a second. */
export const silentMs = 2000;

/** The machine refuses the connection, or this one cannot open any, which says nothing about the other. */
const otherErrors = new Set(['ECONNREFUSED', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);

/** Tells a slow app from a machine that is gone: a system that is there accepts a connection or refuses it. An app that
 * shuts down refuses connections while it finishes its requests. */
export function acceptsConnections({ host, port }: Pick<Upstream, 'host' | 'port'>): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ host, port, lookup });
    const end = (isThere: boolean): void => {
      clearTimeout(late);
      probe.destroy();
      resolve(isThere);
    };
    // After a pause of the whole process, what has arrived meanwhile is read first.
    const late = setTimeout(() => setImmediate(() => end(false)), silentMs);
    probe.once('connect', () => end(true));
    probe.once('error', ({ code }: NodeJS.ErrnoException) => end(otherErrors.has(code!)));
  });
}
