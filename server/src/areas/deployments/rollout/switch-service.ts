import { serviceLog, type StepContext } from '../model/step.ts';
import { selectDeployment } from '../model/store.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { StepError } from '../model/model.ts';
import { isTakeOver, takeOver } from './originals/take-over.ts';
import { restartOlderVersion, restoreOldFiles } from './restart-older-version.ts';
import { type HealthCriteria, untilHealthy } from './check.ts';
import { keepOnlySite } from './keep-site.ts';
import { messagesOf } from './service-messages.ts';
import { containerKey, isSiteState, type ServiceState } from '../model/stack.ts';
import { replicaNumbers, effectiveReplicas } from '../model/scale.ts';
import { healthCriteriaOf } from './health-criteria.ts';
import type { TrafficSwitch } from './traffic-switch.ts';
import { startService } from './start-service.ts';

const holdMs = 30_000;
const drainMs = 10_000;
const usualGraceMs = 10_000;

export type ServiceSwitch = {
  context: StepContext;
  trafficSwitch: TrafficSwitch;
  state: ServiceState;
  signal: AbortSignal;
  /** Its container runs, but may not be healthy yet. */
  onStarted: () => void;
  /**
   * It responds, but has not proven to stay up. Called only without a previous version: dependents that wait for the
   * new version must not reach the old one.
   */
  onWorking: () => void;
};

/** Replaces one service with its new version, or leaves it unchanged and throws the reason. */
export async function switchService(switching: ServiceSwitch): Promise<void> {
  const { context, state } = switching;
  const { states } = context.stack;
  const log = serviceLog(switching);
  try {
    await states.set(state.name, { status: 'starting', error: null });
    if (isSiteState(state)) await switchSite(switching);
    else if (isTakeOver(state)) await takeOver(context, state, () => startFirst(switching));
    else await (state.strategy === 'stop_first' && state.before ? stopFirst(switching) : startFirst(switching));
  } catch (error) {
    // An error that the service did not cause ends the whole attempt.
    if (!(error instanceof StepError)) throw error;
    const { code, message, hint } = error;
    if (!context.stack.isApp) log(`${state.name} failed: ${message}`, 'error');
    await context.checkLease();
    await context.parts.runtime.remove(context.deployment.id, state.name);
    if (state.before !== null) await restoreOldFiles(context, state.before, state.name);
    await states.set(state.name, { status: 'failed', error: { code, message, hint } });
    throw error;
  }
}

/** Nothing starts: the edge serves the folder. */
async function switchSite(switching: ServiceSwitch): Promise<void> {
  const { context, state, trafficSwitch } = switching;
  for (const name of ['start', 'check'] as const) await context.phase(name, { isSkipped: true });
  await keepOutput(context, state);
  await context.phase('route');
  await context.checkLease();
  await trafficSwitch.switchTo(state.name, undefined);
  await context.stack.states.set(state.name, { status: 'ready', runsOf: context.deployment.id, error: null });
}

/**
 * Runs after the build's result is stored, because a repeated build needs its sources. A folder built by another
 * deployment may be serving right now, so it is left alone.
 */
async function keepOutput({ parts, deployment }: StepContext, { folder }: ServiceState): Promise<void> {
  const isOwn = deployment.artifactId === deployment.id;
  if (isOwn && folder?.site && folder.site !== '.')
    await keepOnlySite(parts.folders, deployment.artifactId, folder.site);
}

/** Starts the new version beside the old one, then switches without downtime. */
async function startFirst(switching: ServiceSwitch): Promise<void> {
  const { context, trafficSwitch, state, onStarted } = switching;
  const { parts, deployment } = context;
  const isNamed = state.before === null || (await hasOlderCallers(context, state.name));
  const instance = await started(switching, isNamed);
  onStarted();
  const outcome = await proves(switching);
  await context.checkLease();
  if (state.before !== null) await trafficSwitch.promote(deployment.id, state.name);
  await arrived(switching, outcome, instance);
  // A listening service may still be answering requests; without a port, two versions would do the same work twice.
  if (state.before === null || instance.port !== 0) return;
  await parts.runtime.stop(state.before, graceOf(switching), state.name);
}

/**
 * Stops the old version first. Requests are held meanwhile; if the new version does not start, the old one comes back.
 */
async function stopFirst(switching: ServiceSwitch): Promise<void> {
  const { context, trafficSwitch, state, onStarted } = switching;
  const { parts } = context;
  const old = containerKey(state.before!, state.name);
  await context.checkLease();
  await parts.edge.hold(old, { withinMs: holdMs, drainMs });
  try {
    await parts.runtime.stop(state.before!, graceOf(switching), state.name);
    const instance = await started(switching, true);
    onStarted();
    await arrived(switching, await proves(switching), instance);
  } catch (error) {
    // Any other error ends the attempt, and its recovery restores a version that responds; until then requests are
    // held.
    if (!(error instanceof StepError)) throw error;
    await context.checkLease();
    await parts.runtime.stop(context.deployment.id, graceOf(switching), state.name);
    if (!context.stack.isApp) serviceLog(switching)(`${state.name} goes back to its previous version`, 'warn');
    try {
      await restartOlderVersion(context, trafficSwitch, state.before!, state.name);
    } finally {
      await parts.edge.resume(old);
    }
    if (!context.stack.isApp) throw error;
    const { code, message, hint, excerpt } = error;
    throw new StepError(code, message, `${hint ?? ''} The previous release serves again.`.trim(), excerpt);
  }
  await parts.edge.resume(old);
}

const versionOf = ({ stack }: StepContext) => ({ stack: stack.wanted, states: stack.states.all() });

/** Starts all replicas and returns the first. */
async function started(switching: ServiceSwitch, isNamedAtOnce: boolean): Promise<Instance> {
  const { context, state } = switching;
  const [first, ...others] = replicaNumbers(versionOf(context), state.name);
  const instance = await startedOne(switching, isNamedAtOnce, first!);
  for (const replica of others) await startedOne(switching, false, replica);
  return instance;
}

/** A killed worker may have started it already, or even switched to it; then it is reused. */
async function startedOne(switching: ServiceSwitch, isNamedAtOnce: boolean, replica: number): Promise<Instance> {
  const { context, state } = switching;
  const { parts, deployment, attempt } = context;
  const left = attempt > 1 ? await parts.runtime.find(deployment.id, state.name, replica) : undefined;
  const isOver = left?.exitCode === 0 && !context.stack.isApp;
  if (left && (left.state === 'running' || isOver)) return left;
  await context.phase('start');
  await context.checkLease();
  const instance = await startService(context, state.name, { isNamedAtOnce, replica });
  for (const notice of instance.notices) serviceLog(switching)(notice, 'warn');
  const which = effectiveReplicas(versionOf(context), state.name) > 1 ? `Replica ${replica} started` : 'Started';
  if (context.stack.isApp) context.log(`${which} on port ${instance.port}`);
  return instance;
}

async function proves(switching: ServiceSwitch): Promise<'running' | 'completed'> {
  const { context, state, signal } = switching;
  await context.phase('check');
  await context.stack.states.set(state.name, { status: 'checking' });
  const { parts, deployment, config, stack } = context;
  const log = serviceLog(switching);
  const looking = { parts, signal, deploymentId: deployment.id, service: state.name, log, words: messagesOf(context) };
  const made = { ...versionOf(context), isRollback: deployment.rollbackOf !== null };
  const { guess, ...criteria } = await healthCriteriaOf({ parts, config, deployment, ...made }, state.name);
  let hasAnswered = false;
  const all = (criteria: HealthCriteria) =>
    replicaNumbers(made, state.name).map((replica) =>
      untilHealthy({ ...looking, replica }, criteria, () => {
        if (replica > 1) return;
        if (stack.isApp && !hasAnswered) log('The app answers. Checking that it stays up');
        hasAnswered = true;
        if (state.before === null) switching.onWorking();
      }),
    );
  const first = await Promise.all(all(guess ? { ...criteria, answers: guess } : criteria)).catch((error: unknown) => {
    if (guess && error instanceof StepError && error.code === 'check_failed') return error;
    throw error;
  });
  if (!(first instanceof StepError)) return first[0]!;
  // A wrong guess is no reason to fail: without an address, the service must only be healthy.
  const [outcome] = await Promise.all(all(criteria));
  log(`${state.name} gets no address: Mooring took it for the public service, but it ${first.message}`, 'warn');
  await stack.states.set(state.name, { isSilent: true });
  return outcome!;
}

/** Makes it the serving version. */
async function arrived(switching: ServiceSwitch, outcome: 'running' | 'completed', started: Instance): Promise<void> {
  const { context, trafficSwitch, state } = switching;
  // A process may listen on another port than the assigned one.
  const instance = (await context.parts.runtime.find(context.deployment.id, state.name)) ?? started;
  const status = outcome === 'completed' ? 'completed' : 'ready';
  await context.phase('route');
  await context.checkLease();
  await trafficSwitch.switchTo(state.name, outcome === 'running' ? instance : undefined);
  await context.stack.states.set(state.name, {
    status,
    runsOf: context.deployment.id,
    isOver: outcome === 'completed',
    error: null,
  });
  const sentence = outcome === 'completed' ? `${state.name} has finished` : `${state.name} is up`;
  if (!context.stack.isApp) serviceLog(switching)(sentence);
}

const graceOf = ({ context, state }: ServiceSwitch): number =>
  context.stack.wanted.project.services.find(({ name }) => name === state.name)?.stopGraceMs ?? usualGraceMs;

/**
 * Whether a container that still runs was started before this service existed: it resolves the name only through the
 * engine, which assigns names when a container starts and never later.
 */
async function hasOlderCallers({ db, deployment, stack }: StepContext, name: string): Promise<boolean> {
  const others = stack.states.all().filter((state) => state.name !== name && state.runsOf !== deployment.id);
  for (const runsOf of new Set(others.flatMap((state) => state.runsOf ?? []))) {
    const row = await selectDeployment(db, deployment.organizationId, runsOf);
    const known = row && stack.of(row);
    if (known && !known.stack.project.services.some((service) => service.name === name)) return true;
  }
  return false;
}
