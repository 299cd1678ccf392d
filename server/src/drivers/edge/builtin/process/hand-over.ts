import type { ChildProcess } from 'node:child_process';
import type { Server } from 'node:net';
import { type EdgeLog, logFailure } from '../log.ts';
import type { FromPredecessor, Predecessor, ToPredecessor } from './predecessor.ts';
import type { EdgeSettings } from '../protocol.ts';
import type { Traffic } from '../traffic.ts';
import { type Rest, restOf } from '../rest.ts';
import { HandedOverError } from '../routes.ts';
import { startProcess } from './start.ts';

type Parts = {
  settings: EdgeSettings;
  traffic: Traffic;
  listener: Server;
  /** Null while there is no certificate. */
  tlsListener: Server | null;
  /** The edge before this one, which may still serve its open connections. */
  predecessor: Predecessor | null;
  log: EdgeLog;
};

/** Starts a successor on the same listening sockets and waits until it serves; it owns the routes from then on.
 * Returns the function that sends it the final counts. */
export function handOver(parts: Parts, execPath: string, program: string): Promise<() => Promise<void>> {
  const { settings, traffic, listener, tlsListener, predecessor, log } = parts;
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
    answerSuccessor(successor, traffic, predecessor, log);
    log(`handed over to ${successor.pid}`);
    return () =>
      new Promise((resolve) => {
        const last: FromPredecessor = { call: null, left: 0, minutes: counts.takeNews() };
        if (successor.connected) successor.send(last, () => resolve());
        else resolve();
      });
  });
}

/** Forwards the successor's calls to our own predecessor while that still serves. */
function answerSuccessor(
  successor: ChildProcess,
  traffic: Traffic,
  predecessor: Predecessor | null,
  log: EdgeLog,
): void {
  const { routes, holds, upstreams, counts } = traffic;
  const rest = restOf(traffic, predecessor);
  const reply = (message: FromPredecessor) =>
    successor.send(message, (error) => error && logFailure(log, 'the successor does not listen')(error));
  successor.on('message', (message: ToPredecessor) => {
    const { call } = message;
    if (message.type === 'table') {
      routes.adopt(message.projects);
      upstreams.keepOnly(routes.table);
      holds.lookAgain();
      void (predecessor?.useTable(message.projects) ?? Promise.resolve()).then(() => reply({ call, left: 0 }));
      return undefined;
    }
    if (message.type === 'counts') return reply({ call, left: 0, minutes: counts.takeNews() });
    void bringToRest(rest, message).then((left) => reply({ call, left }));
    return undefined;
  });
}

async function bringToRest(rest: Rest, message: Exclude<ToPredecessor, { type: 'table' | 'counts' }>): Promise<number> {
  const { deploymentId } = message;
  if (message.type === 'drain') return rest.drain(deploymentId, message.withinMs);
  if (message.type === 'hold') return rest.hold(deploymentId, message);
  await rest.resume(deploymentId);
  return 0;
}
