import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { crashSentence, endOf, reportOutput, withReason } from '../build/crash-report.ts';
import { StepError } from '../model/model.ts';
import { PortWatch } from './port-trouble.ts';
import { httpAnswers, isAnswer, tcpAnswers } from './probes.ts';
import type { StepContext } from '../model/step.ts';

/** What tells that a service works. */
export interface Proof {
  /** It runs to its end, and its end is what is waited for. */
  isOneOff: boolean;
  /** The engine asks it by a command. */
  hasHealthcheck: boolean;
  /** It has to answer where we reach it: by HTTP under this path, or by taking connections. Null: it has only to stay up. */
  answers: { type: 'http'; path: string | null } | { type: 'tcp' } | null;
  withinMs: number;
}

// One that nobody can ask has only that to show.
const stayAliveMs = { release: 800, unasked: 1500, afterFall: 4000 };
const lookMs = 100;
const mostRestarts = 2;
const mostLooks = 30;

type Target = Pick<StepContext, 'parts' | 'signal'> & {
  deploymentId: string;
  service: string;
  log: (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') => void;
};
type Looking = Target & { since: number };

/** Health before switch-over, for one service. Gives what it came to: it runs, or it has ended as it should. `onWorking` is
 * called when it works for the first time; whether it stays up is seen after that. */
export async function provesItself(
  target: Target,
  proof: Proof,
  onWorking: () => void = () => {},
): Promise<'running' | 'completed'> {
  const looking = { ...target, since: Date.now() };
  const end = looking.since + proof.withinMs;
  if (proof.isOneOff) return untilItEnds(looking, end);
  const isAsked = proof.hasHealthcheck || proof.answers !== null;
  for (let watchMs = stayAliveMs[isAsked ? 'release' : 'unasked']; ; watchMs = stayAliveMs.afterFall) {
    const answering = await untilItWorks(looking, proof, end);
    if (answering === 'completed') return 'completed';
    onWorking();
    if (answering.restarts) watchMs = stayAliveMs.afterFall;
    if (await staysUp(looking, proof, answering, watchMs)) return 'running';
  }
}

async function untilItEnds(looking: Looking, end: number): Promise<'completed'> {
  for (;;) {
    const instance = await found(looking);
    if (instance.state === 'exited') {
      if (instance.exitCode === 0) return 'completed';
      throw await failure(looking, 'crashed', `exited (${endOf(instance)})`);
    }
    if (Date.now() > end) throw await failure(looking, 'check_failed', 'did not finish in time');
    await sleep(lookMs, undefined, { signal: looking.signal });
  }
}

async function untilItWorks(looking: Looking, proof: Proof, end: number): Promise<Instance | 'completed'> {
  const { parts, deploymentId, service, log } = looking;
  const ports = new PortWatch({ runtime: parts.runtime, deploymentId, service }, ({ sentence }) =>
    log(sentence, 'warn'),
  );
  for (;;) {
    const instance = await found(looking);
    if (hasEndedWell(instance, proof)) return 'completed';
    await requireAlive(looking, instance);
    const outcome = instance.state === 'running' ? await works(looking, proof, instance) : 'it is restarting';
    if (outcome === true) return instance;
    // One that does not run at the moment is called unhealthy too; why it ended says more.
    if (proof.hasHealthcheck && instance.health === 'unhealthy' && instance.state === 'running')
      throw await failure(looking, 'check_failed', 'its health check fails');
    const certain = proof.answers && instance.port !== 0 && !isAnswer(outcome) ? await ports.certain() : undefined;
    if (certain) throw await failure(looking, 'check_failed', certain.sentence);
    if (Date.now() > end) throw await failure(looking, 'check_failed', lateSentence(proof, outcome, ports));
    await sleep(lookMs, undefined, { signal: looking.signal });
  }
}

function lateSentence({ withinMs }: Proof, outcome: string, { trouble }: PortWatch): string {
  const within = `${Math.round(withinMs / 1000)} s`;
  if (isAnswer(outcome)) return `${outcome} for ${within}`;
  return trouble?.sentence ?? `did not come up within ${within}: ${outcome}`;
}

/** Or why not. */
async function works({ parts, signal }: Looking, proof: Proof, instance: Instance): Promise<true | string> {
  if (proof.hasHealthcheck && instance.health !== 'healthy')
    return `the health check is ${instance.health ?? 'unknown'}`;
  if (!proof.answers || instance.port === 0) return true;
  const probe = proof.answers.type === 'http' ? httpAnswers(proof.answers.path) : tcpAnswers;
  return probe(parts.openPort, instance, signal);
}

/** Nobody expects anything of it but that it does its work. */
const hasEndedWell = ({ state, exitCode }: Instance, { answers, hasHealthcheck }: Proof): boolean =>
  state === 'exited' && exitCode === 0 && !answers && !hasHealthcheck;

async function staysUp(looking: Looking, proof: Proof, { startedAt }: Instance, watchMs: number): Promise<boolean> {
  for (let leftMs = watchMs; leftMs > 0; leftMs -= lookMs) {
    await sleep(lookMs, undefined, { signal: looking.signal });
    const now = await found(looking);
    if (hasEndedWell(now, proof)) return false;
    await requireAlive(looking, now);
    if (now.startedAt !== startedAt || now.state !== 'running') return false;
  }
  return true;
}

async function found(looking: Looking): Promise<Instance> {
  const instance = await looking.parts.runtime.find(looking.deploymentId, looking.service);
  if (!instance || instance.state === 'missing') throw await failure(looking, 'crashed', 'the container was removed');
  return instance;
}

async function requireAlive(looking: Looking, instance: Instance): Promise<void> {
  if (instance.restarts <= mostRestarts && instance.state !== 'exited') return;
  throw await failure(looking, 'crashed', crashSentence(await ended(looking, instance), looking.since));
}

/** One that runs again at this moment does not say how it ended; it will have ended again in a moment. */
async function ended(looking: Looking, instance: Instance): Promise<Instance> {
  let last = instance;
  for (let looks = 0; last.exitCode === null && looks < mostLooks; looks++) {
    await sleep(lookMs, undefined, { signal: looking.signal });
    last = await found(looking);
  }
  return last;
}

/** With the line of its output that explains it. */
async function failure(looking: Looking, code: string, message: string): Promise<StepError> {
  const { parts, deploymentId, service, log } = looking;
  const excerpt = await reportOutput(parts.runtime, { deploymentId, service }, log);
  // One that does not answer has often nothing to say about it.
  const isTelling = code === 'crashed' || excerpt?.isError === true;
  const hint = 'See the log of the service. Its previous version, if there is one, keeps running.';
  return isTelling
    ? new StepError(code, withReason(message, excerpt), hint, excerpt?.lines)
    : new StepError(code, message, hint);
}
