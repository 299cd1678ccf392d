import { setTimeout as sleep } from 'node:timers/promises';
import { startOrder } from '../../../compose/index.ts';
import { StepError } from '../model.ts';
import type { StepContext } from '../steps/step.ts';
import { selectActive, updateDeployment } from '../store.ts';
import { bringBack } from './bring-back.ts';
import { containerKey, type ServiceState, statesOf } from './model.ts';
import { Pointing } from './pointing.ts';

const holdMs = 30_000;
const drainMs = 10_000;
const graceMs = 10_000;
const lingerMs = 3000;

/** Brings every service that this deployment has changed back to what ran before: first that is started, then requests go to
 * it, then ours goes. Gives the names of those that could not go back; what serves there stays. */
export async function restoreServices(context: StepContext): Promise<string[]> {
  const { states, wanted } = context.stack;
  // Before it is planned nothing was changed, and nobody has noted what runs.
  if (states.all().every(({ change }) => change === null)) return [];
  const pointing = new Pointing(context);
  const order = startOrder(wanted.project.services).flat();
  const left: string[] = [];
  const ends: Promise<void>[] = [];
  for (const name of order) {
    const state = states.all().find((each) => each.name === name);
    if (!state || !isTouched(state, context.deployment.id)) continue;
    try {
      await restoreOne(context, pointing, state);
      // Some take their time to end: the next ones need not wait for that.
      if (state.before !== null && state.strategy !== 'stop_first') ends.push(end(context, name));
      // What goes wrong is heard of below.
      ends.at(-1)?.catch(() => {});
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      context.log(`${name} does not go back: ${error.message}`, 'error', 'stdout', name);
      const { code, message, hint } = error;
      await states.set(name, { error: { code, message, hint } });
      left.push(name);
    }
  }
  if (left.length) await noteLeft(context, left);
  await pointing.settleBack();
  await Promise.all(ends);
  return left;
}

/** Its version before has taken its place. */
async function end({ parts, deployment, checkLease }: StepContext, name: string): Promise<void> {
  // Services that call it know its address for a moment longer, and finish what they have begun.
  await sleep(lingerMs);
  await parts.edge.drain(containerKey(deployment.id, name), drainMs);
  await checkLease();
  await parts.runtime.stop(deployment.id, graceMs, name);
}

/** The release before goes on with what serves in place of its own: nobody may stop that. */
async function noteLeft({ db, deployment, stack }: StepContext, left: string[]): Promise<void> {
  const { organization_id, project_id, environment, id } = deployment;
  const active = await selectActive(db, organization_id, project_id, environment);
  if (!active) return;
  const isOurs = (name: string) => left.includes(name) && stack.states.of(name).runsOf === id;
  const states = statesOf(active).map((state) => (isOurs(state.name) ? { ...state, runsOf: id } : state));
  await updateDeployment(db, organization_id, active.id, { services: JSON.stringify(states) });
}

const isTouched = ({ status, runsOf }: ServiceState, deploymentId: string): boolean =>
  runsOf === deploymentId || ['starting', 'checking', 'ready', 'completed'].includes(status);

async function restoreOne(context: StepContext, pointing: Pointing, state: ServiceState): Promise<void> {
  const { parts, deployment, stack } = context;
  const { name, before, strategy } = state;
  const ours = containerKey(deployment.id, name);
  await context.checkLease();
  if (before === null) {
    await stack.states.set(name, { runsOf: null });
    await pointing.settle();
    await parts.edge.drain(ours, drainMs);
    await parts.runtime.remove(deployment.id, name);
  } else if (strategy === 'stop_first') await exchange(context, pointing, state);
  else {
    await bringBack(context, pointing, before, name);
    await stack.states.set(name, { runsOf: before });
    await pointing.settle();
  }
  await stack.states.set(name, { status: 'rolled_back', error: null });
  context.log(
    before === null ? `${name} is gone again` : `${name} is back at its version before`,
    'info',
    'stdout',
    name,
  );
}

/** Where two cannot run at once, requests wait for the moment. */
async function exchange(context: StepContext, pointing: Pointing, { name, before }: ServiceState): Promise<void> {
  const { parts, deployment, stack } = context;
  // Whichever of the two it is that requests go to.
  const both = [containerKey(deployment.id, name), containerKey(before!, name)];
  await Promise.all(both.map((key) => parts.edge.hold(key, { withinMs: holdMs, drainMs })));
  try {
    await parts.runtime.stop(deployment.id, graceMs, name);
    await bringBack(context, pointing, before!, name);
    await stack.states.set(name, { runsOf: before });
    await pointing.settle();
  } catch (error) {
    // Better ours than none.
    if (error instanceof StepError) await parts.runtime.restart(deployment.id, name);
    throw error;
  } finally {
    await Promise.all(both.map((key) => parts.edge.resume(key)));
  }
}
