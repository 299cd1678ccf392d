import type { Listener } from './listener.ts';
import { type Log, logFailure } from './log.ts';
import type { FromPredecessor, ToPredecessor } from './predecessor.ts';
import type { EdgeSettings } from './protocol.ts';
import type { Traffic } from './proxy.ts';
import { type Rest, restOf } from './rest.ts';
import { HandedOverError } from './routes.ts';
import { startProcess } from './start-process.ts';

type Parts = { settings: EdgeSettings; traffic: Traffic; listener: Listener; log: Log };

/** Starts a successor on the same listening socket. Returns when it serves; from then on it keeps the routes. */
export function handOver({ settings, traffic, listener, log }: Parts, execPath: string, program: string) {
  const { routes, holds, upstreams } = traffic;
  const rest = restOf(traffic, null);
  // Nothing changes meanwhile, so the successor reads from disk what we serve.
  return routes.alone(async () => {
    if (routes.handedOver) throw new HandedOverError('another edge has taken over');
    const successor = await startProcess({ execPath, program, settings, listener: listener.server });
    routes.handOver();
    const reply = (message: FromPredecessor) =>
      successor.send(message, (error) => error && logFailure(log, 'the successor does not listen')(error));
    successor.on('message', (message: ToPredecessor) => {
      if (message.type === 'table') {
        routes.adopt(message.projects);
        upstreams.keepOnly(routes.table);
        holds.lookAgain();
        return reply({ call: message.call, left: 0 });
      }
      void bringToRest(rest, message).then((left) => reply({ call: message.call, left }));
      return undefined;
    });
    log(`handed over to ${successor.pid}`);
  });
}

async function bringToRest(rest: Rest, message: Exclude<ToPredecessor, { type: 'table' }>): Promise<number> {
  const { deploymentId } = message;
  if (message.type === 'drain') return rest.drain(deploymentId, message.withinMs);
  if (message.type === 'hold') return rest.hold(deploymentId, message);
  await rest.resume(deploymentId);
  return 0;
}
