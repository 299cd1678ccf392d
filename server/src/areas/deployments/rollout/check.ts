import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { crashSentence, exitText, reportOutput, withReason } from '../build/crash-report.ts';
import { StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { type PortTrouble, PortWatch } from './port-trouble.ts';
import { httpAnswers, type HttpCheck, isBadStatus, tcpAnswers } from './probes.ts';
import type { ServiceMessages } from './service-messages.ts';

/** Criteria for a healthy service. */
export interface HealthCriteria {
  /** A one-off: wait until it exits. */
  isOneOff: boolean;
  /** The engine runs a health check command. */
  hasHealthcheck: boolean;
  /** It must respond on its port: to HTTP requests, or to connections. Null: it only has to stay up. */
  answers: ({ type: 'http' } & HttpCheck) | { type: 'tcp' } | null;
  withinMs: number;
  /** Exiting with code 0 is success, because nobody relies on it. */
  mayEnd: boolean;
  /** A port that the app may listen on instead of the assigned one. */
  fixedPort: number | null;
  /** How long it must stay up once it responds. */
  watchMs: number;
}

/** How long a release must stay up once it responds, before it gets requests (docs/contributing/decisions.md). A
 * rollback has served before, and a service without a check only has its uptime to show. */
export const watchTimesMs = { release: 800, rollback: 300, withoutCheck: 1500, afterCrash: 4000 };
const probePollMs = 50;
const statePollMs = 100;
const maxRestarts = 2;
const maxExitPolls = 30;

type Target = Pick<StepContext, 'parts' | 'signal'> & {
  deploymentId: string;
  service: string;
  replica?: number;
  log: (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') => void;
  words: ServiceMessages;
};
type HealthWatch = Target & { criteria: HealthCriteria; since: number };

/**
 * Checks health before the switch-over: the service must respond and then stay up for a moment. If it crashes
 * meanwhile, the check starts over. Returns whether it runs or has completed. `onWorking` is called once it responds.
 */
export async function untilHealthy(
  target: Target,
  criteria: HealthCriteria,
  onWorking: () => void = () => {},
): Promise<'running' | 'completed'> {
  const watch = { ...target, criteria, since: Date.now() };
  const end = watch.since + criteria.withinMs;
  if (criteria.isOneOff) return untilExited(watch, end);
  for (let watchMs = criteria.watchMs; ; watchMs = watchTimesMs.afterCrash) {
    const answering = await untilResponding(watch, end);
    if (answering === 'completed') return 'completed';
    onWorking();
    if (answering.restarts) watchMs = watchTimesMs.afterCrash;
    if (await staysUp(watch, answering, watchMs)) return 'running';
  }
}

async function untilExited(watch: HealthWatch, end: number): Promise<'completed'> {
  for (;;) {
    const instance = await found(watch);
    if (instance.state === 'exited') {
      if (instance.exitCode === 0) return 'completed';
      throw await failure(watch, 'crashed', `exited (${exitText(instance)})`);
    }
    if (Date.now() > end) throw await failure(watch, 'check_failed', 'did not finish in time');
    await sleep(statePollMs, undefined, { signal: watch.signal });
  }
}

async function untilResponding(watch: HealthWatch, end: number): Promise<Instance | 'completed'> {
  const { parts, deploymentId, service, criteria, words } = watch;
  const watched = { runtime: parts.runtime, deploymentId, service, isApp: words.isApp };
  const ports = new PortWatch(watched, (trouble) => tellOrFollow(watch, trouble));
  for (;;) {
    const instance = await found(watch);
    if (hasEndedWell(instance, criteria)) return 'completed';
    await requireAlive(watch, instance);
    const outcome = instance.state === 'running' ? await works(watch, instance) : 'it is restarting';
    if (outcome === true) return instance;
    // A stopped container counts as unhealthy too, but why it exited says more.
    if (criteria.hasHealthcheck && instance.health === 'unhealthy' && instance.state === 'running')
      throw await failure(watch, 'check_failed', 'its health check fails');
    const certain =
      criteria.answers && instance.port !== 0 && !isBadStatus(outcome) ? await ports.certain() : undefined;
    if (certain && (await follows(watch, certain.onlyPort)))
      watch.log(
        `The app ignores PORT. Requests go to port ${certain.onlyPort}, the only one that it listens on. ` +
          `To skip this wait, let it listen on $PORT, or set the project's port to ${certain.onlyPort}`,
      );
    else if (certain) throw await failure(watch, 'check_failed', certain.sentence, { trouble: certain });
    if (Date.now() > end) throw await late(watch, instance, outcome, ports);
    await sleep(probePollMs, undefined, { signal: watch.signal });
  }
}

/** An app that ignores PORT may listen on the port that its project names, or where its previous release listened; a
 * process is then reached there. */
async function tellOrFollow(watch: HealthWatch, trouble: PortTrouble): Promise<void> {
  const { fixedPort } = watch.criteria;
  const isThere = fixedPort !== null && trouble.ports.includes(fixedPort);
  if (isThere && (await follows(watch, fixedPort))) watch.log(`The app listens on port ${fixedPort}, as expected`);
  else watch.log(trouble.sentence, 'warn');
}

const follows = async ({ parts, deploymentId }: HealthWatch, port: number | undefined): Promise<boolean> =>
  port !== undefined && (await parts.runtime.follow?.(deploymentId, port)) !== undefined;

async function late(watch: HealthWatch, instance: Instance, outcome: string, ports: PortWatch): Promise<StepError> {
  // On a slow machine it may not have crashed often enough yet.
  if (instance.restarts > 0 || instance.state === 'restarting') return crashed(watch, instance);
  const within = `${Math.round(watch.criteria.withinMs / 1000)} s`;
  if (isBadStatus(outcome)) return failure(watch, 'check_failed', `${outcome} for ${within}`);
  const { trouble } = ports;
  const sentence = trouble?.sentence ?? watch.words.unanswered(instance.port, within, outcome);
  return failure(watch, 'check_failed', sentence, { trouble });
}

/** Returns true, or the reason. */
async function works(watch: HealthWatch, instance: Instance): Promise<true | string> {
  const { parts, signal, criteria } = watch;
  if (criteria.hasHealthcheck && instance.health !== 'healthy')
    return `the health check is ${instance.health ?? 'unknown'}`;
  if (!criteria.answers || instance.port === 0) return true;
  if (criteria.answers.type === 'tcp') return tcpAnswers(parts.openPort, instance, signal);
  return httpAnswers(criteria.answers, (status) => warnOfRefusal(watch, status))(parts.openPort, instance, signal);
}

/** An app that refuses the host name of its visitors passes a check without a path, and serves nobody. */
function warnOfRefusal({ criteria: { answers }, replica = 1, log }: HealthWatch, status: number): void {
  if (status !== 400 || replica > 1 || answers?.type !== 'http' || answers.path || !answers.hostName) return;
  log(
    `/ answered 400 (Bad Request). If the app refuses the host name ${answers.hostName}, allow it there, ` +
      'for example in ALLOWED_HOSTS of Django.',
    'warn',
  );
}

const hasEndedWell = ({ state, exitCode }: Instance, { mayEnd }: HealthCriteria): boolean =>
  state === 'exited' && exitCode === 0 && mayEnd;

/**
 * Returns false if the process exited and was restarted. If the machine is too busy for a timely check, the app is
 * also too busy to crash in time, so the watch counts checks instead of time.
 */
async function staysUp(watch: HealthWatch, { startedAt }: Instance, watchMs: number): Promise<boolean> {
  let pollTook = 0;
  for (let leftMs = watchMs; leftMs > 0; leftMs -= statePollMs) {
    await sleep(Math.max(statePollMs - pollTook, 0), undefined, { signal: watch.signal });
    const began = performance.now();
    const now = await found(watch);
    pollTook = performance.now() - began;
    if (hasEndedWell(now, watch.criteria)) return false;
    await requireAlive(watch, now);
    if (now.startedAt !== startedAt || now.state !== 'running') return false;
  }
  return true;
}

async function found(watch: HealthWatch): Promise<Instance> {
  const instance = await watch.parts.runtime.find(watch.deploymentId, watch.service, watch.replica ?? 1);
  if (!instance || instance.state === 'missing')
    throw await failure(watch, 'crashed', watch.words.removed, { isKilled: true });
  return instance;
}

async function requireAlive(watch: HealthWatch, instance: Instance): Promise<void> {
  if (instance.restarts <= maxRestarts && instance.state !== 'exited') return;
  throw await crashed(watch, instance);
}

async function crashed(watch: HealthWatch, instance: Instance): Promise<StepError> {
  const last = await ended(watch, instance);
  const sentence = watch.words.crashed(crashSentence(last, watch.since));
  return failure(watch, 'crashed', sentence, {
    isKilled: last.exitSignal !== null,
    isDone: last.exitCode === 0,
  });
}

/** A container that runs again does not report how it exited, but it is about to exit again. */
async function ended(watch: HealthWatch, instance: Instance): Promise<Instance> {
  let last = instance;
  for (let polls = 0; last.exitCode === null && polls < maxExitPolls; polls++) {
    await sleep(statePollMs, undefined, { signal: watch.signal });
    last = await found(watch);
  }
  return last;
}

/** Adds the output line that explains the failure. */
async function failure(
  watch: HealthWatch,
  code: string,
  message: string,
  {
    isKilled = false,
    isDone = false,
    trouble,
  }: { isKilled?: boolean; isDone?: boolean; trouble?: PortTrouble | undefined } = {},
): Promise<StepError> {
  const { parts, deploymentId, service, log, words } = watch;
  const excerpt = await reportOutput(parts.runtime, { deploymentId, service }, log);
  // An app that does not respond often prints nothing about it.
  const isTelling = code === 'crashed' || excerpt?.isError === true;
  const hint = await words.hint({ isTelling, excerpt, isKilled, isDone, message, trouble });
  return isTelling
    ? new StepError(code, withReason(message, excerpt), hint, excerpt?.lines)
    : new StepError(code, message, hint);
}
