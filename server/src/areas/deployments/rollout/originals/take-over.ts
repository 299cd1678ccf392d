import { StepError } from '../../model/model.ts';
import type { ServiceState } from '../../model/stack.ts';
import { makeService } from '../start-service.ts';
import type { StepContext } from '../../model/step.ts';
import { bringOriginalsBack, holdOriginals, requireKept } from './hand-over.ts';
import { leaveOldNetworks, standIn } from './stand-in.ts';

/** Whether it takes the place of containers that were there before us: there is nothing of ours to replace, and still a way to do
 * it. */
export const isTakeOver = ({ before, strategy }: Pick<ServiceState, 'before' | 'strategy'>): boolean =>
  before === null && strategy !== null;

/** Puts a service in the place of what ran before us. If it does not come up, that is back before anything else happens. */
export async function takeOver(context: StepContext, state: ServiceState, put: () => Promise<void>): Promise<void> {
  const { name, strategy } = state;
  await requireKept(context, name);
  const isStoppedFirst = strategy === 'stop_first';
  // Whatever takes time and can be done beforehand: between two that cannot run at once only an end and a start are left.
  await makeService(context, name, true);
  await standIn(context, name, isStoppedFirst);
  if (!isStoppedFirst) {
    await put();
    await standIn(context, name, true);
    await holdOriginals(context, name);
    return;
  }
  await holdOriginals(context, name);
  try {
    await put();
    // Where its container had to be made anew.
    await standIn(context, name, true);
  } catch (error) {
    // Whoever ends the whole attempt brings it back too, or goes on with it.
    if (!(error instanceof StepError)) throw error;
    await context.checkLease();
    await context.parts.runtime.remove(context.deployment.id, name);
    context.log(`${name} goes back to the original container`, 'warn', 'stdout', name);
    await bringOriginalsBack(context, name);
    throw error;
  }
}

/** When all of them have taken over that could. */
export const settleTakeOvers = async (context: StepContext): Promise<void> =>
  context.stack.states.all().some(isTakeOver) ? leaveOldNetworks(context) : undefined;

/** A worker that was killed may have come to the new one, and not to the end of the old one. */
export const finishTakeOver = async (context: StepContext, state: ServiceState): Promise<void> =>
  isTakeOver(state) ? holdOriginals(context, state.name) : undefined;
