import { EngineAwayError } from '../../../../drivers/runtime/errors.ts';
import { StepError } from '../../model/model.ts';
import type { ServiceState } from '../../model/stack.ts';
import { createServiceContainer } from '../start-service.ts';
import type { StepContext } from '../../model/step.ts';
import { bringOriginalsBack, holdOriginals, requireKept, warnOfWrittenFiles } from './hand-over.ts';
import { leaveOldNetworks, joinOriginalNetworks } from './original-networks.ts';

/** Whether it replaces containers that existed before Mooring: it has a strategy, but no previous version of ours. */
export const isTakeOver = ({ before, strategy }: Pick<ServiceState, 'before' | 'strategy'>): boolean =>
  before === null && strategy !== null;

/** Replaces a service's originals. If it does not become healthy, they are restored right away. */
export async function takeOver(context: StepContext, state: ServiceState, put: () => Promise<void>): Promise<void> {
  const { name, strategy } = state;
  await requireKept(context, name);
  await warnOfWrittenFiles(context, name);
  const isStoppedFirst = strategy === 'stop_first';
  // The container is created in advance, so that the downtime of `stop_first` is only a stop and a start.
  await createServiceContainer(context, name, true);
  await joinOriginalNetworks(context, name, isStoppedFirst);
  if (!isStoppedFirst) {
    await put();
    await joinOriginalNetworks(context, name, true);
    await holdOriginals(context, name);
    return;
  }
  await holdOriginals(context, name);
  try {
    await put();
    // Its container may have been recreated.
    await joinOriginalNetworks(context, name, true);
  } catch (error) {
    // Any other error ends the whole attempt, which restores the originals itself or continues later.
    if (!(error instanceof StepError)) throw error;
    await context.checkLease();
    await context.parts.runtime.remove(context.deployment.id, name);
    context.log(`${name} goes back to the original container`, 'warn', 'stdout', name);
    await bringOriginalsBack(context, name);
    throw error;
  }
}

/**
 * Ensures the edge of the server before any original is stopped: the first time it is sent there, and its port may be
 * taken. If an original has the port, an edge that waits for it would prevent the original from coming back.
 */
export async function prepareTakeOvers({ parts, stack, log }: StepContext): Promise<void> {
  const { server, edge } = parts;
  if (!server || !stack.states.all().some(isTakeOver)) return;
  try {
    await edge.ensure((what) => log(what));
  } catch (error) {
    if (error instanceof EngineAwayError) throw error;
    // The hint has the command; the edge only names the setting.
    const why = (error as Error).message.replace(/; choose a(nother)? port [^;.\n]*/, '');
    throw new StepError(
      'edge_not_ready',
      `the edge on ${server.name} does not start: ${why}`,
      'No container was stopped. If another program has the port, choose others for the edge: ' +
        `mooring server update ${server.name} --edge-port <n> --edge-tls-port <n>.`,
    );
  }
}

/** Leaves the old networks once all takeovers are done. */
export const settleTakeOvers = async (context: StepContext): Promise<void> =>
  context.stack.states.all().some(isTakeOver) ? leaveOldNetworks(context) : undefined;

/** A killed worker may have started the new container without stopping the originals. */
export const finishTakeOver = async (context: StepContext, state: ServiceState): Promise<void> =>
  isTakeOver(state) ? holdOriginals(context, state.name) : undefined;
