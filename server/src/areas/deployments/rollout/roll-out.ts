import { type ComposeService, startOrder } from '../../../compose/index.ts';
import { StepError } from '../model/model.ts';
import { finishTakeOver, settleTakeOvers } from './originals/take-over.ts';
import type { StepContext } from '../model/step.ts';
import { NameSwitch } from './name-switch.ts';
import { isSwitched } from '../model/stack.ts';
import { type Switching, switchService } from './switch-service.ts';

/** When its container runs, when it works, and when it has shown that it will go on so. */
type Progress = { started: Promise<boolean>; working: Promise<boolean>; done: Promise<boolean> };

/** Brings every service that changes to its new version: each as soon as what it depends on is there, all others at the same
 * time. What fails keeps its previous version, and so does what needs the new one to work. Gives why they failed. */
export async function rollOut(
  context: StepContext,
  pointing = new NameSwitch(context),
): Promise<Map<string, StepError>> {
  const { services } = context.stack.wanted.project;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const under = new Map<string, Progress>();
  const failures = new Map<string, StepError>();
  const byName = new Map(services.map((service) => [service.name, service]));
  for (const name of startOrder(services).flat())
    under.set(name, begin(byName.get(name)!, { context, pointing, signal, under, failures }));
  const ends = [...under.values()].map(({ done }) => done);
  // One that ends by something that is not its own doing ends the others; all are waited for.
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
  pointing: NameSwitch;
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

type Told = Pick<Switching, 'onStarted' | 'onWorking'>;

/** Gives whether it is there in the end. */
async function roll(service: ComposeService, deps: Deps, told: Told): Promise<boolean> {
  const { context, pointing, signal } = deps;
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
    await switchService({ context, pointing, state: states.of(name), signal, ...told });
    return true;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    deps.failures.set(name, error);
    return false;
  }
}

/** The first of what it needs that did not come to where it is needed. */
async function missingOf(service: ComposeService, { under, context }: Deps): Promise<string | undefined> {
  const needs = service.dependsOn.map(({ service: name, condition, isRequired }) => ({ name, condition, isRequired }));
  const borrowed = service.networkMode?.startsWith('service:') ? [service.networkMode.slice('service:'.length)] : [];
  // Before it has taken the place of the one before, its network is not known by its name.
  for (const name of borrowed) needs.push({ name, condition: 'service_healthy', isRequired: true });
  for (const { name, condition, isRequired } of needs) {
    const progress = under.get(name);
    const isThere = await (progress && whenOf(progress, condition));
    if (isThere !== false || !isRequired) continue;
    // Something of it has to run, no more: its previous version does.
    const runsBefore = context.stack.states.of(name).runsOf !== null;
    if (condition !== 'service_started' || !runsBefore) return name;
  }
  return undefined;
}

function whenOf({ started, working, done }: Progress, condition: string): Promise<boolean> {
  if (condition === 'service_started') return started;
  return condition === 'service_healthy' ? working : done;
}
