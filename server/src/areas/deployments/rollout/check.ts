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
  stayMs: number;
}

// A service without a check only has its uptime to show, and a rollback has served before.
export const stayAliveMs = { release: 800, rollback: 300, unasked: 1500, afterFall: 4000 };
const askMs = 50;
const lookMs = 100;
const mostRestarts = 2;
const mostLooks = 30;

type Target = Pick<StepContext, 'parts' | 'signal'> & {
  deploymentId: string;
  service: string;
  replica?: number;
  log: (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') => void;
  words: ServiceMessages;
};
type Looking = Target & { proof: HealthCriteria; since: number };

/**
 * Checks health before the switch-over: the service must respond and then stay up for a moment. If it crashes
 * meanwhile, the check starts over. Returns whether it runs or has completed. `onWorking` is called once it responds.
 */
export async function untilProvenHealthy(
  target: Target,
  proof: HealthCriteria,
  onWorking: () => void = () => {},
): Promise<'running' | 'completed'> {
  const looking = { ...target, proof, since: Date.now() };
  const end = looking.since + proof.withinMs;
  if (proof.isOneOff) return untilItEnds(looking, end);
  for (let watchMs = proof.stayMs; ; watchMs = stayAliveMs.afterFall) {
    const answering = await untilItWorks(looking, end);
    if (answering === 'completed') return 'completed';
    onWorking();
    if (answering.restarts) watchMs = stayAliveMs.afterFall;
    if (await staysUp(looking, answering, watchMs)) return 'running';
  }
}

async function untilItEnds(looking: Looking, end: number): Promise<'completed'> {
  for (;;) {
    const instance = await found(looking);
    if (instance.state === 'exited') {
      if (instance.exitCode === 0) return 'completed';
      throw await failure(looking, 'crashed', `exited (${exitText(instance)})`);
    }
    if (Date.now() > end) throw await failure(looking, 'check_failed', 'did not finish in time');
    await sleep(lookMs, undefined, { signal: looking.signal });
  }
}

async function untilItWorks(looking: Looking, end: number): Promise<Instance | 'completed'> {
  const { parts, deploymentId, service, proof, words } = looking;
  const watched = { runtime: parts.runtime, deploymentId, service, isApp: words.isApp };
  const ports = new PortWatch(watched, (trouble) => tellOrFollow(looking, trouble));
  for (;;) {
    const instance = await found(looking);
    if (hasEndedWell(instance, proof)) return 'completed';
    await requireAlive(looking, instance);
    const outcome = instance.state === 'running' ? await works(looking, instance) : 'it is restarting';
    if (outcome === true) return instance;
    // A stopped container counts as unhealthy too, but why it exited says more.
    if (proof.hasHealthcheck && instance.health === 'unhealthy' && instance.state === 'running')
      throw await failure(looking, 'check_failed', 'its health check fails');
    const certain = proof.answers && instance.port !== 0 && !isBadStatus(outcome) ? await ports.certain() : undefined;
    if (certain && (await follows(looking, certain.onlyPort)))
      looking.log(
        `The app ignores PORT. Requests go to port ${certain.onlyPort}, the only one that it listens on. ` +
          `To skip this wait, let it listen on $PORT, or set the project's port to ${certain.onlyPort}`,
      );
    else if (certain) throw await failure(looking, 'check_failed', certain.sentence, { trouble: certain });
    if (Date.now() > end) throw await late(looking, instance, outcome, ports);
    await sleep(askMs, undefined, { signal: looking.signal });
  }
}

/** An app that ignores PORT may listen on the port that its project names, or where its previous release listened; a
 * process is then reached there. */
async function tellOrFollow(looking: Looking, trouble: PortTrouble): Promise<void> {
  const { fixedPort } = looking.proof;
  const isThere = fixedPort !== null && trouble.ports.includes(fixedPort);
  if (isThere && (await follows(looking, fixedPort))) looking.log(`The app listens on port ${fixedPort}, as expected`);
  else looking.log(trouble.sentence, 'warn');
}

const follows = async ({ parts, deploymentId }: Looking, port: number | undefined): Promise<boolean> =>
  port !== undefined && (await parts.runtime.follow?.(deploymentId, port)) !== undefined;

async function late(looking: Looking, instance: Instance, outcome: string, ports: PortWatch): Promise<StepError> {
  // On a slow machine it may not have crashed often enough yet.
  if (instance.restarts > 0 || instance.state === 'restarting') return crashed(looking, instance);
  const within = `${Math.round(looking.proof.withinMs / 1000)} s`;
  if (isBadStatus(outcome)) return failure(looking, 'check_failed', `${outcome} for ${within}`);
  const { trouble } = ports;
  const sentence = trouble?.sentence ?? looking.words.unanswered(instance.port, within, outcome);
  return failure(looking, 'check_failed', sentence, { trouble });
}

/** Returns true, or the reason. */
async function works(looking: Looking, instance: Instance): Promise<true | string> {
  const { parts, signal, proof } = looking;
  if (proof.hasHealthcheck && instance.health !== 'healthy')
    return `the health check is ${instance.health ?? 'unknown'}`;
  if (!proof.answers || instance.port === 0) return true;
  if (proof.answers.type === 'tcp') return tcpAnswers(parts.openPort, instance, signal);
  return httpAnswers(proof.answers, (status) => warnOfRefusal(looking, status))(parts.openPort, instance, signal);
}

/** An app that refuses the host name of its visitors passes a check without a path, and serves nobody. */
function warnOfRefusal({ proof: { answers }, replica = 1, log }: Looking, status: number): void {
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
async function staysUp(looking: Looking, { startedAt }: Instance, watchMs: number): Promise<boolean> {
  let lookTook = 0;
  for (let leftMs = watchMs; leftMs > 0; leftMs -= lookMs) {
    await sleep(Math.max(lookMs - lookTook, 0), undefined, { signal: looking.signal });
    const began = performance.now();
    const now = await found(looking);
    lookTook = performance.now() - began;
    if (hasEndedWell(now, looking.proof)) return false;
    await requireAlive(looking, now);
    if (now.startedAt !== startedAt || now.state !== 'running') return false;
  }
  return true;
}

async function found(looking: Looking): Promise<Instance> {
  const instance = await looking.parts.runtime.find(looking.deploymentId, looking.service, looking.replica ?? 1);
  if (!instance || instance.state === 'missing')
    throw await failure(looking, 'crashed', looking.words.removed, { isKilled: true });
  return instance;
}

async function requireAlive(looking: Looking, instance: Instance): Promise<void> {
  if (instance.restarts <= mostRestarts && instance.state !== 'exited') return;
  throw await crashed(looking, instance);
}

async function crashed(looking: Looking, instance: Instance): Promise<StepError> {
  const last = await ended(looking, instance);
  const sentence = looking.words.crashed(crashSentence(last, looking.since));
  return failure(looking, 'crashed', sentence, {
    isKilled: last.exitSignal !== null,
    isDone: last.exitCode === 0,
  });
}

/** A container that runs again does not report how it exited, but it is about to exit again. */
async function ended(looking: Looking, instance: Instance): Promise<Instance> {
  let last = instance;
  for (let looks = 0; last.exitCode === null && looks < mostLooks; looks++) {
    await sleep(lookMs, undefined, { signal: looking.signal });
    last = await found(looking);
  }
  return last;
}

/** Adds the output line that explains the failure. */
async function failure(
  looking: Looking,
  code: string,
  message: string,
  {
    isKilled = false,
    isDone = false,
    trouble,
  }: { isKilled?: boolean; isDone?: boolean; trouble?: PortTrouble | undefined } = {},
): Promise<StepError> {
  const { parts, deploymentId, service, log, words } = looking;
  const excerpt = await reportOutput(parts.runtime, { deploymentId, service }, log);
  // An app that does not respond often prints nothing about it.
  const isTelling = code === 'crashed' || excerpt?.isError === true;
  const hint = await words.hint({ isTelling, excerpt, isKilled, isDone, message, trouble });
  return isTelling
    ? new StepError(code, withReason(message, excerpt), hint, excerpt?.lines)
    : new StepError(code, message, hint);
}
