import { setTimeout as sleep } from 'node:timers/promises';
import type { ListenerOwner } from '../../../drivers/host/listeners.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { crashSentence, reportOutput, withReason } from '../build/crash-report.ts';
import { StepError } from '../model/model.ts';
import { type PortTrouble, PortWatch } from './port-trouble.ts';
import { previousHint } from './previous-release.ts';
import { httpAnswers, isAnswer, tcpAnswers } from './probes.ts';
import { updateStep } from '../model/step-store.ts';
import type { Step, StepContext } from '../model/step.ts';
import { reachedOn } from './start.ts';

type Address = { host: string; port: number; listener?: ListenerOwner };

// What has served before has less to prove, and what fell over once has more.
const stayAliveMs = { release: 800, rollback: 300, afterFall: 4000 };
const lookMs = 100;
const mostRestarts = 2;
const readOnlyHint = (slug: string) =>
  'The file system of its container is read-only. If the app has to write there: ' +
  `mooring project set ${slug} resources.readOnly=false.`;

/** Health before switch-over: it must answer, and then stay up for a moment. One that falls over meanwhile begins again. */
export const check: Step = {
  name: 'check',
  deadlineMs: ({ parts, config }) => startMs(parts, config) + 60_000,
  async run(context) {
    const started = context.results['start'] as Address & { static?: boolean };
    if (started.static) return { static: true };
    await comesUp(context);
    return { answeredAt: Date.now() };
  },
};

async function comesUp(step: StepContext): Promise<void> {
  const context = { ...step, since: Date.now() };
  const end = context.since + startMs(context.parts, context.config);
  let watchMs = context.deployment.rollback_of ? stayAliveMs.rollback : stayAliveMs.release;
  for (;;) {
    const answering = await untilItAnswers(context, end);
    context.log('The app answers. Checking that it stays up');
    if (answering.restarts) watchMs = stayAliveMs.afterFall;
    if (await staysUp(context, answering, watchMs)) return;
    watchMs = stayAliveMs.afterFall;
  }
}

type Checking = StepContext & { since: number };

async function untilItAnswers(context: Checking, end: number): Promise<Instance> {
  const { config, deployment, parts, log } = context;
  const { type, path } = config.healthCheck;
  const probe = type === 'tcp' ? tcpAnswers : httpAnswers(path);
  let at = context.results['start'] as Address;
  const ports = new PortWatch({ runtime: parts.runtime, deploymentId: deployment.id }, async (trouble) => {
    const followed = await followPort(context, trouble.ports);
    if (followed) at = followed;
    else log(trouble.sentence, 'warn');
  });
  for (;;) {
    const instance = await requireAlive(context);
    const outcome = await probe(parts.openPort, at, context.signal);
    if (outcome === true) return instance;
    const certain = isAnswer(outcome) ? undefined : await ports.certain();
    if (certain) throw await failure(context, 'check_failed', certain.sentence, certain);
    // On a slow machine it may not have ended often enough by now.
    const hasCrashed = instance.restarts > 0 || instance.state === 'restarting';
    if (Date.now() > end && hasCrashed) throw await crashed(context, instance);
    if (Date.now() > end)
      throw await failure(context, 'check_failed', lateSentence(context, at, outcome, ports), ports.trouble);
    await sleep(50, undefined, { signal: context.signal });
  }
}

/** An app that does not go by PORT may listen on the port that its project names: as a process it is reached there. */
async function followPort(context: StepContext, ports: number[]): Promise<Address | undefined> {
  const { parts, config, deployment, db, results, log } = context;
  if (config.port === null || !ports.includes(config.port)) return undefined;
  const instance = await parts.runtime.follow?.(deployment.id, config.port);
  if (!instance) return undefined;
  log(`The app listens on port ${config.port}, the port of the project, and is reached there`);
  const started = reachedOn(instance);
  results['start'] = started;
  await updateStep(db, deployment.id, 'start', { result: JSON.stringify(started) });
  return started;
}

function lateSentence({ parts, config }: StepContext, { port }: Address, outcome: string, ports: PortWatch): string {
  const within = `${startMs(parts, config) / 1000} s`;
  if (isAnswer(outcome)) return `${outcome} for ${within}`;
  return ports.trouble?.sentence ?? `The app did not answer on port ${port} within ${within}: ${outcome}`;
}

/** False when its process ended and was started again: what has answered is gone. On a machine that is too busy to let us
 * look in time the app is too busy to fall over in time, so the watch lasts longer by what we are late. */
async function staysUp(context: Checking, { startedAt }: Instance, watchMs: number): Promise<boolean> {
  for (let leftMs = watchMs; leftMs > 0; leftMs -= lookMs) {
    await sleep(lookMs, undefined, { signal: context.signal });
    const now = await requireAlive(context);
    if (now.startedAt !== startedAt || now.state !== 'running') return false;
  }
  return true;
}

const startMs = (parts: StepContext['parts'], config: StepContext['config']) =>
  config.healthCheck.timeoutSeconds ? config.healthCheck.timeoutSeconds * 1000 : parts.timeouts.startMs;

async function requireAlive(context: Checking): Promise<Instance> {
  const instance = await context.parts.runtime.find(context.deployment.id);
  if (!instance || instance.state === 'missing') throw await failure(context, 'crashed', 'The app was removed');
  if (instance.restarts <= mostRestarts && instance.state !== 'exited') return instance;
  throw await crashed(context, instance);
}

const crashed = (context: Checking, instance: Instance): Promise<StepError> =>
  failure(context, 'crashed', `The app ${crashSentence(instance, context.since)}`);

/** With the line of the app's output that explains it. */
async function failure(context: StepContext, code: string, message: string, trouble?: PortTrouble): Promise<StepError> {
  const { parts, deployment, config, log } = context;
  const excerpt = await reportOutput(parts.runtime, { deploymentId: deployment.id }, log);
  // An app that does not answer has often nothing to say about it.
  const isTelling = code === 'crashed' || excerpt?.isError === true;
  const hints = [
    isTelling ? 'Fix the error and deploy again.' : unansweredHint(config, message, trouble),
    ...(config.readOnly ? [readOnlyHint(config.slug)] : []),
  ];
  const hint = hints.join(' ') + (await previousHint(context));
  return isTelling
    ? new StepError(code, withReason(message, excerpt), hint, excerpt?.lines)
    : new StepError(code, message, hint);
}

function unansweredHint({ slug, healthCheck }: StepContext['config'], message: string, trouble?: PortTrouble): string {
  if (message.includes(' answered '))
    return (
      `The check wants ${healthCheck.path ? 'a status below 400' : 'a status below 500'}. ` +
      `To check another path: mooring project set ${slug} healthCheck.path=/healthz.`
    );
  if (!trouble) return 'The app must listen on 0.0.0.0:$PORT and answer.';
  const hint = 'Read the port from the variable PORT, and the address from HOST.';
  return trouble.nameable
    ? `${hint} Or name the app's port: mooring project set ${slug} port=${trouble.nameable}.`
    : hint;
}
