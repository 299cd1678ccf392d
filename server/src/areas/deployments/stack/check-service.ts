import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { StepError } from '../model.ts';
import { httpAnswers, tcpAnswers } from '../probes.ts';
import type { StepContext } from '../steps/step.ts';

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

type Looking = Pick<StepContext, 'parts' | 'signal'> & {
  deploymentId: string;
  service: string;
  log: (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') => void;
};

/** Health before switch-over, for one service. Gives what it came to: it runs, or it has ended as it should. `onWorking` is
 * called when it works for the first time; whether it stays up is seen after that. */
export async function provesItself(
  looking: Looking,
  proof: Proof,
  onWorking: () => void = () => {},
): Promise<'running' | 'completed'> {
  const end = Date.now() + proof.withinMs;
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
      throw await failure(looking, 'crashed', `it ended with ${endOf(instance)}`);
    }
    if (Date.now() > end) throw await failure(looking, 'check_failed', 'it did not come to its end in time');
    await sleep(lookMs, undefined, { signal: looking.signal });
  }
}

async function untilItWorks(looking: Looking, proof: Proof, end: number): Promise<Instance | 'completed'> {
  for (;;) {
    const instance = await found(looking);
    if (hasEndedWell(instance, proof)) return 'completed';
    await requireAlive(looking, instance);
    const outcome = instance.state === 'running' ? await works(looking, proof, instance) : 'it is being restarted';
    if (outcome === true) return instance;
    // One that does not run at the moment is called unhealthy too; why it ended says more.
    if (proof.hasHealthcheck && instance.health === 'unhealthy' && instance.state === 'running')
      throw await failure(looking, 'check_failed', 'its health check fails');
    if (Date.now() > end)
      throw await failure(
        looking,
        'check_failed',
        `it did not come up within ${Math.round(proof.withinMs / 1000)} s: ${outcome}`,
      );
    await sleep(lookMs, undefined, { signal: looking.signal });
  }
}

/** Or why not. */
async function works({ parts, signal }: Looking, proof: Proof, instance: Instance): Promise<true | string> {
  if (proof.hasHealthcheck && instance.health !== 'healthy')
    return `its health check says ${instance.health ?? 'nothing'}`;
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
  if (!instance || instance.state === 'missing') throw await failure(looking, 'crashed', 'its container is gone');
  return instance;
}

async function requireAlive(looking: Looking, instance: Instance): Promise<void> {
  if (instance.restarts <= mostRestarts && instance.state !== 'exited') return;
  const often = instance.restarts ? 'it ended again and again, last with' : 'it ended with';
  throw await failure(looking, 'crashed', `${often} ${endOf(await ended(looking, instance))}`);
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

const endOf = ({ exitSignal, exitCode }: Instance): string =>
  exitSignal ?? (exitCode === null ? 'an unknown reason' : `exit code ${exitCode}`);

/** With its last lines, which mostly say why. */
async function failure(looking: Looking, code: string, message: string): Promise<StepError> {
  const { parts, deploymentId, service } = looking;
  const lines = await parts.runtime.logs(deploymentId, { tail: 20, service });
  for (const { line, stream } of lines) looking.log(line, 'error', stream);
  // One that is started again and again says the same again and again.
  const different = new Set(lines.map(({ line }) => line.trim()).filter(Boolean));
  const tail = [...different].slice(-3).join(' / ');
  const hint = 'Its last lines mostly say why. Its version before, if there is one, keeps running.';
  return new StepError(code, tail ? `${message}. Its last lines: ${tail}` : message, hint);
}
