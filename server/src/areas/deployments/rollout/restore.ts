import { startOrder } from '../../../compose/index.ts';
import { containerKey, type ServiceState, type Stack } from '../model/stack.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningRoom } from '../limits/reserve.ts';
import { roomColumns } from '../limits/room.ts';
import { StepError } from '../model/model.ts';
import { bringOriginalsBack } from './originals/hand-over.ts';
import { isTakeOver } from './originals/take-over.ts';
import { serviceLog, type StepContext } from '../model/step.ts';
import { type DeploymentRow, selectActive, updateDeployment } from '../model/store.ts';
import { restartOlderVersion } from './restart-older-version.ts';
import { withServicesLeft } from './kept-stack.ts';
import { TrafficSwitch } from './traffic-switch.ts';

const holdMs = 30_000;
const drainMs = 10_000;
const graceMs = 10_000;
const lingerMs = 3000;

/**
 * Services in `left` could not be rolled back and stay. Containers of `replaced` get no requests any more but still
 * run.
 */
export type RestoredServices = { left: string[]; replaced: string[] };

/**
 * Rolls back every service that this deployment has changed: the previous version starts first, then gets the
 * requests. Dependencies go first, and independent services go at the same time.
 */
export async function restoreServices(context: StepContext): Promise<RestoredServices> {
  const { states } = context.stack;
  // Before the plan nothing was changed, and the running versions are not recorded.
  if (states.all().every(({ change }) => change === null)) return { left: [], replaced: [] };
  if (isUnswitchedApp(context)) return { left: [], replaced: [] };
  const { db, deployment } = context;
  const active = await selectActive(db, deployment.organizationId, deployment.projectId, deployment.environment);
  const on: Restoring = { context, trafficSwitch: new TrafficSwitch(context), left: [], replaced: [] };
  for (const wave of restoreWaves(context.stack.wanted, active && context.stack.of(active)?.stack)) {
    const touched = states.all().filter((state) => wave.includes(state.name) && isTouched(state, deployment.id));
    const outcomes = await Promise.allSettled(touched.map((state) => tryToRestore(on, state)));
    // An error that no service caused is thrown once all of them have settled.
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
  if (on.left.length && active) await noteLeft(context, active, on.left);
  await on.trafficSwitch.settleBack();
  return { left: on.left, replaced: on.replaced };
}

/**
 * Until the switch, the previous release of an app that starts first is untouched. Asking the engine about it would
 * only make a cancelled deployment wait for an engine that hangs.
 */
function isUnswitchedApp({ stack, deployment }: StepContext): boolean {
  if (!stack.isApp || deployment.switching === 1) return false;
  return stack.states.all().every((state) => state.runsOf !== deployment.id && !endsBeforeRejected(state));
}

type Restoring = RestoredServices & { context: StepContext; trafficSwitch: TrafficSwitch };

/** A failed rollback of one service does not stop the others. */
async function tryToRestore({ context, trafficSwitch, left, replaced }: Restoring, state: ServiceState): Promise<void> {
  const { name } = state;
  try {
    await restoreOne(context, trafficSwitch, state);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    serviceLog({ context, state })(`${name} does not go back: ${error.message}`, 'error');
    const { code, message, hint } = error;
    await context.stack.states.set(name, { error: { code, message, hint } });
    left.push(name);
    return;
  }
  if (!endsBeforeRejected(state)) replaced.push(name);
}

/** Both versions cannot run at once, or the service replaces an original container that must be alone again. */
const endsBeforeRejected = (state: ServiceState): boolean => state.strategy === 'stop_first' || isTakeOver(state);

/** Stops this deployment's replaced containers, all at the same time. */
export async function stopServices(context: StepContext, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => stopService(context, name)));
}

async function stopService({ parts, deployment, stack, checkLease }: StepContext, name: string): Promise<void> {
  // Callers cache its address for a moment and finish their requests.
  if (!stack.isApp) await sleep(lingerMs);
  await parts.edge.drain(containerKey(deployment.id, name), drainMs);
  await checkLease();
  await parts.runtime.stop(deployment.id, graceMs, name);
}

/**
 * Records in the previous release that services of this deployment keep serving, so that they are not stopped or
 * removed and the next deployment compares with them.
 */
async function noteLeft(
  { db, deployment, stack, parts, checkLease }: StepContext,
  active: DeploymentRow,
  left: string[],
) {
  const { organizationId, id } = deployment;
  const ours = left.filter((name) => stack.states.of(name).runsOf === id);
  const release = stack.of(active);
  if (!release || !ours.length) return;
  const noted = withServicesLeft(release, { stack: stack.wanted, states: stack.states.all() }, new Set(ours));
  await checkLease();
  await updateDeployment(db, organizationId, active.id, {
    stack: stack.sealed(noted.stack, active.id),
    services: JSON.stringify(noted.states),
    ...(parts.limits && roomColumns(runningRoom(noted.states))),
  });
}

const isTouched = ({ status, runsOf }: ServiceState, deploymentId: string): boolean =>
  runsOf === deploymentId || ['starting', 'checking', 'ready', 'completed'].includes(status);

async function restoreOne(context: StepContext, trafficSwitch: TrafficSwitch, state: ServiceState): Promise<void> {
  const { parts, deployment, stack } = context;
  const { name, before, strategy } = state;
  const ours = containerKey(deployment.id, name);
  await context.checkLease();
  if (before === null) {
    await stack.states.set(name, { runsOf: null });
    await trafficSwitch.giveBack(name, null);
    // If both can run at once, there is no downtime.
    if (strategy === 'start_first') await bringOriginalsBack(context, name);
    if (endsBeforeRejected(state)) {
      await parts.edge.drain(ours, drainMs);
      await parts.runtime.remove(deployment.id, name);
    }
    if (strategy === 'stop_first') await bringOriginalsBack(context, name);
  } else if (strategy === 'stop_first') await restoreStopFirst(context, trafficSwitch, state);
  else {
    await restartOlderVersion(context, trafficSwitch, before, name);
    await stack.states.set(name, { runsOf: before });
    await trafficSwitch.giveBack(name, before);
  }
  await stack.states.set(name, { status: 'rolled_back', error: null });
  if (context.stack.isApp) return;
  serviceLog({ context, state })(
    before === null && !isTakeOver(state) ? `${name} is removed again` : `${name} is back at its previous version`,
  );
}

/** For services whose versions cannot run at the same time: requests are held during the exchange. */
async function restoreStopFirst(
  context: StepContext,
  trafficSwitch: TrafficSwitch,
  { name, before }: ServiceState,
): Promise<void> {
  const { parts, deployment, stack } = context;
  // Either of the two may be getting the requests.
  const both = [containerKey(deployment.id, name), containerKey(before!, name)];
  await Promise.all(both.map((key) => parts.edge.hold(key, { withinMs: holdMs, drainMs })));
  try {
    await parts.runtime.stop(deployment.id, graceMs, name);
    await restartOlderVersion(context, trafficSwitch, before!, name);
    await stack.states.set(name, { runsOf: before });
    await trafficSwitch.giveBack(name, before);
  } catch (error) {
    // A service of ours is better than none, even if it never became healthy.
    if (error instanceof StepError) {
      await parts.runtime.restart(deployment.id, name);
      await stack.states.set(name, { runsOf: deployment.id });
      await trafficSwitch.giveBack(name, deployment.id);
    }
    throw error;
  } finally {
    await Promise.all(both.map((key) => parts.edge.resume(key)));
  }
}

/**
 * Returns the waves in which services are rolled back. Dependencies come from the previous version, or from the
 * service itself if it is new.
 */
function restoreWaves({ project }: Pick<Stack, 'project'>, before: Pick<Stack, 'project'> | undefined): string[][] {
  const old = new Map(before?.project.services.map((service) => [service.name, service]));
  const waves = startOrder(project.services.map((service) => old.get(service.name) ?? service));
  // Old and new definitions together may form a cycle.
  const ordered = new Set(waves.flat());
  const rest = project.services.map(({ name }) => name).filter((name) => !ordered.has(name));
  return [...waves, ...rest.map((name) => [name])];
}
