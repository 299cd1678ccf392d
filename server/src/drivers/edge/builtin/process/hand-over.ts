import type { Server } from 'node:net';
import type { EdgeLog } from '../log.ts';
import type { EdgeSettings } from '../protocol.ts';
import { HandedOverError } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import { answerCalls, sendLastCounts } from './answer-calls.ts';
import type { Companion } from './companion.ts';
import { startProcess } from './start.ts';

type Parts = {
  settings: EdgeSettings;
  traffic: Traffic;
  listener: Server;
  /** Null while there is no certificate. */
  tlsListener: Server | null;
  /** The other processes of this edge, which may still serve their open connections. */
  companions: () => Companion[];
  log: EdgeLog;
};

/** Starts a successor on the same listening sockets and waits until it serves; it owns the routes from then on.
 * Returns the function that sends it the final counts. */
export function handOver(parts: Parts, execPath: string, program: string): Promise<() => Promise<void>> {
  const { settings, traffic, listener, tlsListener, companions, log } = parts;
  const { routes, counts } = traffic;
  // Holding the lock keeps the state on disk unchanged while the successor reads it.
  return routes.alone(async () => {
    if (routes.handedOver) throw new HandedOverError('another edge has taken over');
    const inheritance = { listener, tlsListener, run: counts.run, minutes: counts.beginNews() };
    const successor = await startProcess({ execPath, program, settings, inheritance }).catch((error: unknown) => {
      counts.forgetNews();
      throw error;
    });
    routes.handOver();
    answerCalls(successor, traffic, companions, log);
    log(`handed over to ${successor.pid}`);
    return () => sendLastCounts(successor, traffic);
  });
}
