import { type ComposeService, startOrder } from '../../../compose/index.ts';
import { StepError } from '../model/model.ts';
import { finishTakeOver, prepareTakeOvers, settleTakeOvers } from './originals/take-over.ts';
import type { StepContext } from '../model/step.ts';
import { TrafficSwitch } from './traffic-switch.ts';
import { isSwitched } from '../model/stack.ts';
import { type ServiceSwitch, switchService } from './switch-service.ts';

/** Settles when the container runs, when it responds, and when it has proven to stay up. */
type Progress = { started: Promise<boolean>; working: Promise<boolean>; done: Promise<boolean> };

/**
 * Rolls out every changed service as soon as its dependencies are ready, independent ones at the same time. A failed
 * service keeps its previous version, and so do services that need the new one. Returns the failures.
 */
export async function rollOut(
  context: StepContext,
  trafficSwitch = new TrafficSwitch(context),
): Promise<Map<string, StepError>> {
  await prepareTakeOvers(context);
  const { services } = context.stack.wanted.project;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const under = new Map<string, Progress>();
  const failures = new Map<string, StepError>();
  const byName = new Map(services.map((service) => [service.name, service]));
  for (const name of startOrder(services).flat())
    under.set(name, begin(byName.get(name)!, { context, trafficSwitch, signal, under, failures }));
  const ends = [...under.values()].map(({ done }) => done);
  // An error that no service caused aborts the others; all are awaited.
  for (const done of ends) done.catch((error: unknown) => stop.abort(error));
  const outcomes = await Promise.allSettled(ends);
  context.signal.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
  const broken = outcomes.find(({ status }) => status === 'rejected');
  if (broken?.status === 'rejected') throw broken.reason;
  await settleTakeOvers(context);
  return failures;
}

type Deps = {
  context: StepContext;
  trafficSwitch: TrafficSwitch;
  signal: AbortSignal;
  under: Map<string, Progress>;
  failures: Map<string, StepError>;
};

function begin(service: ComposeService, deps: Deps): Progress {
  const started = Promise.withResolvers<boolean>();
  const working = Promise.withResolvers<boolean>();
  const done = roll(service, deps, { onStarted: () => started.resolve(true), onWorking: () => working.resolve(true) });
  for (const { resolve } of [started, working]) void done.then(resolve, () => resolve(false));
  return { started: started.promise, working: working.promise, done };
}

type Told = Pick<ServiceSwitch, 'onStarted' | 'onWorking'>;

/** Returns whether the service is available in the end. */
async function roll(service: ComposeService, deps: Deps, told: Told): Promise<boolean> {
  const { context, trafficSwitch, signal } = deps;
  const { states } = context.stack;
  const { name } = service;
  const state = states.of(name);
  if (state.change === 'unchanged') return true;
  if (isSwitched(state)) {
    await finishTakeOver(context, state);
    return true;
  }
  if (state.status === 'failed') return false;
  const missing = await missingOf(service, deps);
  if (missing !== undefined) {
    const message = `it needs ${missing}, which failed`;
    context.log(`${name} is unchanged: ${message}`, 'warn', 'stdout', name);
    await states.set(name, { status: 'skipped', error: { code: 'dependency_failed', message, hint: null } });
    return false;
  }
  signal.throwIfAborted();
  try {
    await switchService({ context, trafficSwitch, state: states.of(name), signal, ...told });
    return true;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    deps.failures.set(name, error);
    return false;
  }
}

/** Returns the first dependency that did not reach the required state. */
async function missingOf(service: ComposeService, { under, context }: Deps): Promise<string | undefined> {
  const needs = service.dependsOn.map(({ service: name, condition, isRequired }) => ({ name, condition, isRequired }));
  const borrowed = service.networkMode?.startsWith('service:') ? [service.networkMode.slice('service:'.length)] : [];
  // Its network gets its name only once it has replaced the previous version.
  for (const name of borrowed) needs.push({ name, condition: 'service_healthy', isRequired: true });
  for (const { name, condition, isRequired } of needs) {
    const progress = under.get(name);
    const isThere = await (progress && whenOf(progress, condition));
    if (isThere !== false || !isRequired) continue;
    // `service_started` only needs something to run, and the previous version does.
    const runsBefore = context.stack.states.of(name).runsOf !== null;
    if (condition !== 'service_started' || !runsBefore) return name;
  }
  return undefined;
}

function whenOf({ started, working, done }: Progress, condition: string): Promise<boolean> {
  if (condition === 'service_started') return started;
  return condition === 'service_healthy' ? working : done;
}
