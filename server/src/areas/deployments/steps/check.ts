import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Built } from '../artifact.ts';
import { StepError } from '../model.ts';
import { httpAnswers, tcpAnswers } from '../probes.ts';
import { isReadOnlyByDefault } from '../release-spec.ts';
import { updateStep } from '../step-store.ts';
import { startWritable } from '../writable-root.ts';
import type { Recipe } from './detect.ts';
import type { Step, StepContext } from './step.ts';

type Address = { host: string; port: number };

// What has served before has less to prove, and what fell over once has more.
const stayAliveMs = { release: 800, rollback: 300, afterFall: 4000 };
const lookMs = 100;
const mostRestarts = 2;
const readOnlyHint = (slug: string) =>
  `Its file system is read-only. If the app has to write there: mooring project set ${slug} resources.readOnly=false.`;

/** Health before switch-over: it must answer, and then stay up for a moment. One that falls over meanwhile begins again. */
export const check: Step = {
  name: 'check',
  // It may be started once more.
  deadlineMs: ({ parts, config }) => 2 * startMs(parts, config) + 60_000,
  async run(context) {
    const started = context.results['start'] as Address & { static?: boolean };
    if (started.static) return { static: true };
    if (!(await comesUpReadOnly(context, started))) await comesUp(context, await startToWrite(context));
    return { answeredAt: Date.now() };
  },
};

/** False for what has to write to its file system and may not, by a rule of ours alone: that must not be its end. */
async function comesUpReadOnly(context: StepContext, started: Address): Promise<boolean> {
  const isOurRule = isReadOnlyByDefault({ config: context.config, recipe: context.results['detect'] as Recipe });
  const wasRefused = async () => (await context.parts.runtime.find(context.deployment.id))?.wasRefusedWrites === true;
  try {
    await comesUp(context, started);
    return !isOurRule || !(await wasRefused());
  } catch (error) {
    if (!isOurRule || !(error instanceof StepError)) throw error;
    // Why an app ends is not always to be seen in what it prints.
    if (error.code !== 'crashed' && !(await wasRefused())) throw error;
    return false;
  }
}

async function startToWrite(context: StepContext): Promise<Address> {
  const { db, parts, deployment, config, results, log } = context;
  log(
    'It may have to write to its file system, which is read-only: it is started once more with one that it can',
    'warn',
  );
  await context.checkLease();
  const made = { deployment, config, recipe: results['detect'] as Recipe, built: results['build'] as Built };
  const { instance, recipe } = await startWritable({ db, parts }, made);
  const started = { host: instance.host, port: instance.port };
  Object.assign(results, { detect: recipe, start: started });
  await updateStep(db, deployment.id, 'start', { result: JSON.stringify(started) });
  return started;
}

async function comesUp(context: StepContext, started: Address): Promise<void> {
  const end = Date.now() + startMs(context.parts, context.config);
  let watchMs = context.deployment.rollback_of ? stayAliveMs.rollback : stayAliveMs.release;
  for (;;) {
    const answering = await untilItAnswers(context, started, end);
    context.log('It answers; watching whether it stays up');
    if (answering.restarts) watchMs = stayAliveMs.afterFall;
    if (await staysUp(context, answering, watchMs)) return;
    watchMs = stayAliveMs.afterFall;
  }
}

async function untilItAnswers(context: StepContext, at: Address, end: number): Promise<Instance> {
  const { healthCheck } = context.config;
  const probe = healthCheck.type === 'tcp' ? tcpAnswers : httpAnswers(healthCheck.path);
  for (;;) {
    const instance = await requireAlive(context);
    const outcome = await probe(context.parts.openPort, at, context.signal);
    if (outcome === true) return instance;
    if (Date.now() > end) {
      const within = startMs(context.parts, context.config) / 1000;
      const message = `it did not answer on port ${at.port} within ${within} s: ${outcome}`;
      throw await failure(context, 'check_failed', message);
    }
    await sleep(50, undefined, { signal: context.signal });
  }
}

/** False when its process ended and was started again: what has answered is gone. On a machine that is too busy to let us
 * look in time the app is too busy to fall over in time, so the watch lasts longer by what we are late. */
async function staysUp(context: StepContext, { startedAt }: Instance, watchMs: number): Promise<boolean> {
  for (let leftMs = watchMs; leftMs > 0; leftMs -= lookMs) {
    await sleep(lookMs, undefined, { signal: context.signal });
    const now = await requireAlive(context);
    if (now.startedAt !== startedAt || now.state !== 'running') return false;
  }
  return true;
}

const startMs = (parts: StepContext['parts'], config: StepContext['config']) =>
  config.healthCheck.timeoutSeconds ? config.healthCheck.timeoutSeconds * 1000 : parts.timeouts.startMs;

async function requireAlive(context: StepContext): Promise<Instance> {
  const instance = await context.parts.runtime.find(context.deployment.id);
  if (!instance || instance.state === 'missing') throw await failure(context, 'crashed', 'it is gone');
  if (instance.restarts <= mostRestarts && instance.state !== 'exited') return instance;
  const how =
    instance.exitSignal ?? (instance.exitCode === null ? 'an unknown reason' : `exit code ${instance.exitCode}`);
  throw await failure(context, 'crashed', `it ended again and again, last with ${how}`);
}

/** With the last lines of the app, which mostly say why. */
async function failure(context: StepContext, code: string, message: string): Promise<StepError> {
  const { parts, deployment, config, results, log } = context;
  const lines = await parts.runtime.logs(deployment.id, { tail: 20 });
  for (const { line, stream } of lines) log(line, 'error', stream);
  const tail = lines
    .map(({ line }) => line.trim())
    .filter(Boolean)
    .slice(-3)
    .join(' / ');
  const hint =
    code === 'crashed'
      ? 'Its last lines mostly say why. The release before keeps serving.'
      : 'The app must listen on the port in PORT and answer its health check.';
  const isSuspect =
    isReadOnlyByDefault({ config, recipe: results['detect'] as Recipe }) ||
    (await parts.runtime.find(deployment.id))?.wasRefusedWrites;
  const more = isSuspect ? ` ${readOnlyHint(config.slug)}` : '';
  return new StepError(code, tail ? `${message}. Its last lines: ${tail}` : message, hint + more);
}
