import { logOf, type StepContext } from '../model/step.ts';
import { selectDeployment } from '../model/store.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { StepError } from '../model/model.ts';
import { isTakeOver, takeOver } from './originals/take-over.ts';
import { bringBack, putFilesBack } from './bring-back.ts';
import { provesItself } from './check.ts';
import { keepOnlySite } from './keep-site.ts';
import { wordsOf } from './service-words.ts';
import { containerKey, isSiteState, type ServiceState } from '../model/stack.ts';
import { replicaNumbers, replicasOf } from '../model/scale.ts';
import { proofOf } from './proof.ts';
import type { NameSwitch } from './name-switch.ts';
import { startService } from './start-service.ts';

const holdMs = 30_000;
const drainMs = 10_000;
const usualGraceMs = 10_000;

export type Switching = {
  context: StepContext;
  pointing: NameSwitch;
  state: ServiceState;
  signal: AbortSignal;
  /** Its container runs; whether it works is another question. */
  onStarted: () => void;
  /** It works, though it has not shown yet that it stays up. Only told of one that has no version before: whoever waits for
   * the new version of something must not find the old one. */
  onWorking: () => void;
};

/** Puts the new version of one service in place, or leaves everything of it as it was and says why. */
export async function switchService(switching: Switching): Promise<void> {
  const { context, state } = switching;
  const { states } = context.stack;
  const log = logOf(switching);
  try {
    await states.set(state.name, { status: 'starting', error: null });
    if (isSiteState(state)) await switchSite(switching);
    else if (isTakeOver(state)) await takeOver(context, state, () => startFirst(switching));
    else await (state.strategy === 'stop_first' && state.before ? stopFirst(switching) : startFirst(switching));
  } catch (error) {
    // What is not the service's own doing ends the whole attempt.
    if (!(error instanceof StepError)) throw error;
    const { code, message, hint } = error;
    if (!context.stack.isApp) log(`${state.name} failed: ${message}`, 'error');
    await context.checkLease();
    await context.parts.runtime.remove(context.deployment.id, state.name);
    if (state.before !== null) await putFilesBack(context, state.before, state.name);
    await states.set(state.name, { status: 'failed', error: { code, message, hint } });
    throw error;
  }
}

/** Nothing has to be started: the edge serves the folder. */
async function switchSite(switching: Switching): Promise<void> {
  const { context, state, pointing } = switching;
  for (const name of ['start', 'check'] as const) await context.phase(name, { isSkipped: true });
  await keepOutput(context, state);
  await context.phase('route');
  await context.checkLease();
  await pointing.switchTo(state.name, undefined);
  await context.stack.states.set(state.name, { status: 'ready', runsOf: context.deployment.id, error: null });
}

/** Not before the build's result is stored: a build that runs again needs its sources. A folder that another deployment built may
 * be serving at this moment, so it stays as it is. */
async function keepOutput({ parts, deployment }: StepContext, { folder }: ServiceState): Promise<void> {
  const isOwn = deployment.artifactId === deployment.id;
  if (isOwn && folder?.site && folder.site !== '.')
    await keepOnlySite(parts.folders, deployment.artifactId, folder.site);
}

/** The new one beside the old one, then the switch; nobody notices. */
async function startFirst(switching: Switching): Promise<void> {
  const { context, pointing, state, onStarted } = switching;
  const { parts, deployment } = context;
  const isNamed = state.before === null || (await hasOlderCallers(context, state.name));
  const instance = await started(switching, isNamed);
  onStarted();
  const outcome = await proves(switching);
  await context.checkLease();
  if (state.before !== null) await pointing.promote(deployment.id, state.name);
  await arrived(switching, outcome, instance);
  // Others may be in the middle of something with what listens; of what does not, two would do the same work twice.
  if (state.before === null || instance.port !== 0) return;
  await parts.runtime.stop(state.before, graceOf(switching), state.name);
}

/** The old one makes room first. Requests wait meanwhile; if the new one does not come up, the old one comes back. */
async function stopFirst(switching: Switching): Promise<void> {
  const { context, pointing, state, onStarted } = switching;
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
    // Whoever ends the whole attempt, or goes on with it, brings something back that answers: until then requests wait.
    if (!(error instanceof StepError)) throw error;
    await context.checkLease();
    await parts.runtime.stop(context.deployment.id, graceOf(switching), state.name);
    if (!context.stack.isApp) logOf(switching)(`${state.name} goes back to its previous version`, 'warn');
    try {
      await bringBack(context, pointing, state.before!, state.name);
    } finally {
      await parts.edge.resume(old);
    }
    throw error;
  }
  await parts.edge.resume(old);
}

const versionOf = ({ stack }: StepContext) => ({ stack: stack.wanted, states: stack.states.all() });

/** All replicas. Gives the first of them. */
async function started(switching: Switching, isNamedAtOnce: boolean): Promise<Instance> {
  const { context, state } = switching;
  const [first, ...others] = replicaNumbers(versionOf(context), state.name);
  const instance = await startedOne(switching, isNamedAtOnce, first!);
  for (const replica of others) await startedOne(switching, false, replica);
  return instance;
}

/** A worker that was killed may have started it already, and even switched over to it: that one is gone on with. */
async function startedOne(switching: Switching, isNamedAtOnce: boolean, replica: number): Promise<Instance> {
  const { context, state } = switching;
  const { parts, deployment, attempt } = context;
  const left = attempt > 1 ? await parts.runtime.find(deployment.id, state.name, replica) : undefined;
  const isOver = left?.exitCode === 0 && !context.stack.isApp;
  if (left && (left.state === 'running' || isOver)) return left;
  await context.phase('start');
  await context.checkLease();
  const instance = await startService(context, state.name, { isNamedAtOnce, replica });
  for (const notice of instance.notices) logOf(switching)(notice, 'warn');
  const which = replicasOf(versionOf(context), state.name) > 1 ? `Replica ${replica} started` : 'Started';
  if (context.stack.isApp) context.log(`${which} on port ${instance.port}`);
  return instance;
}

async function proves(switching: Switching): Promise<'running' | 'completed'> {
  const { context, state, signal } = switching;
  await context.phase('check');
  await context.stack.states.set(state.name, { status: 'checking' });
  const { parts, deployment, config, stack } = context;
  const log = logOf(switching);
  const looking = { parts, signal, deploymentId: deployment.id, service: state.name, log, words: wordsOf(context) };
  const { environment, rollbackOf } = deployment;
  const made = { ...versionOf(context), isRollback: rollbackOf !== null };
  const proof = proofOf({ parts, config, environment, ...made }, state.name);
  const [outcome] = await Promise.all(
    replicaNumbers(made, state.name).map((replica) =>
      provesItself({ ...looking, replica }, proof, () => {
        if (replica > 1) return;
        if (stack.isApp) log('The app answers. Checking that it stays up');
        if (state.before === null) switching.onWorking();
      }),
    ),
  );
  return outcome!;
}

/** From here on it is what serves. */
async function arrived(switching: Switching, outcome: 'running' | 'completed', started: Instance): Promise<void> {
  const { context, pointing, state } = switching;
  // A process may listen on another port than it was given.
  const instance = (await context.parts.runtime.find(context.deployment.id, state.name)) ?? started;
  const status = outcome === 'completed' ? 'completed' : 'ready';
  await context.phase('route');
  await context.checkLease();
  await pointing.switchTo(state.name, outcome === 'running' ? instance : undefined);
  await context.stack.states.set(state.name, {
    status,
    runsOf: context.deployment.id,
    isOver: outcome === 'completed',
    error: null,
  });
  const sentence = outcome === 'completed' ? `${state.name} has finished` : `${state.name} is up`;
  if (!context.stack.isApp) logOf(switching)(sentence);
}

const graceOf = ({ context, state }: Switching): number =>
  context.stack.wanted.project.services.find(({ name }) => name === state.name)?.stopGraceMs ?? usualGraceMs;

/** Whether something runs on that was started before there was a service of this name: it knows the name only by the engine,
 * which gives names to containers at their start and never later. */
async function hasOlderCallers({ db, deployment, stack }: StepContext, name: string): Promise<boolean> {
  const others = stack.states.all().filter((state) => state.name !== name && state.runsOf !== deployment.id);
  for (const runsOf of new Set(others.flatMap((state) => state.runsOf ?? []))) {
    const row = await selectDeployment(db, deployment.organizationId, runsOf);
    const known = row && stack.of(row);
    if (known && !known.stack.project.services.some((service) => service.name === name)) return true;
  }
  return false;
}
