import type { DeploymentRow } from '../model/store.ts';
import { EdgeError, NameSwitch } from './name-switch.ts';
import { previousHint } from './previous-release.ts';
import { appService, inOneSentence, isBroken, type ServiceState } from '../model/stack.ts';
import { noteServices, reserveForServices } from '../limits/reserve.ts';
import { CancelledError, StepError } from '../model/model.ts';
import type { Step, StepContext } from '../model/step.ts';
import { updateHeld } from '../model/queue.ts';
import { resetSteps } from '../model/step-store.ts';
import { keepInEngine } from '../release/carry-over.ts';
import { warnAboutNames } from '../release/name-warnings.ts';
import { restoreServices } from './restore.ts';
import { planStep } from './plan-step.ts';
import { patience } from './proof.ts';
import { rollOut } from './roll-out.ts';

export type RolloutOutcome = { outcome: 'ready' | 'partial'; urls: string[]; failure: string | null };

/** All of them serve, or some of them: then somebody has to decide. */
export function afterServices({ outcome, urls, failure }: RolloutOutcome): Partial<DeploymentRow> {
  if (outcome === 'ready') return { status: 'ready', active: 1, urls: JSON.stringify(urls), finishedAt: Date.now() };
  const hint = 'Keep the services that succeeded, or reject the deployment to roll all of them back.';
  const error = JSON.stringify({ code: 'partial_failure', step: 'services', message: failure, hint });
  return { status: 'partial_failure', decision: 'pending', urls: JSON.stringify(urls), error };
}

/** Exchanges the services that change. All services fail, and the deployment has failed; some, and somebody has to decide. */
export const services: Step = {
  name: 'services',
  // A service that only runs to its end has as long as a build. One that serves is checked on top of that, so that its own
  // limit is what ends it and says why.
  deadlineMs: ({ parts, config }) =>
    parts.timeouts.buildMs + patience(null, config.healthCheck.timeoutSeconds, parts.timeouts.startMs),
  async run(context): Promise<RolloutOutcome> {
    const { states, isApp } = context.stack;
    // A stack has a step of its own for that, and so has an app that takes the place of one.
    if (isApp && states.all().every(({ change }) => change === null)) await planStep.run(context);
    await reserveForServices(context);
    const pointing = new NameSwitch(context);
    const failures = await rollOut(context, pointing).catch(async (error: Error) => {
      throw isApp ? await inWordsOfEdge(context, error) : error;
    });
    const broken = states.all().filter(isBroken);
    // One that is as it was is one that works.
    const wanted = states.all().filter(({ change }) => change !== 'remove');
    if (broken.length && broken.length === wanted.length)
      throw isApp ? appFailed(broken[0]!, failures) : allFailed(broken);
    await noWayBack(context);
    if (!broken.length) await dropRemoved(context);
    const urls = await pointing.settle({ isWhole: !broken.length });
    for (const url of urls) context.log(`Serving at ${url}`);
    const there = context.stack.wanted.project.services.map(({ name }) => name);
    warnAboutNames(context, await context.parts.names.of(context.deployment), isApp ? undefined : there);
    if (!broken.length) {
      // Last: until here the previous release may come back to the volumes that it had.
      if (isApp && states.of(appService).image) await keepInEngine(context.parts, madeOf(context));
      return { outcome: 'ready', urls, failure: null };
    }
    const failure = inOneSentence(broken);
    await noteServices(context);
    context.log(`${failure}. Keep the services that succeeded, or reject the deployment`, 'warn');
    return { outcome: 'partial', urls, failure };
  },
};

/** Undoes what a deployment has changed that somebody decided against. Its containers are stopped by `retire`, once the
 * deployment is rejected: some take their time to end. */
export const restore: Step = {
  name: 'restore',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { left } = await restoreServices(context);
    // It may have been done before the decision, for what the deployment had replaced.
    await resetSteps(context.db, context.deployment.id, ['retire']);
    return { left };
  },
};

const madeOf = ({ deployment, stack }: StepContext) => ({ deployment, stack: stack.wanted });

/** Services that the file no longer has. Their volumes stay. */
async function dropRemoved({ stack }: StepContext): Promise<void> {
  for (const { name, change, runsOf } of stack.states.all())
    if (change === 'remove' && runsOf !== null) await stack.states.set(name, { status: 'removed', runsOf: null });
}

/** A cancel that came before this moment counts; after it there is nothing left to cancel. */
async function noWayBack({ db, deployment, checkLease }: StepContext): Promise<void> {
  await updateHeld(db, deployment.id, deployment.fence, { switching: 1 });
  // One that was asked for in between is heard here.
  await checkLease().catch(async (error: unknown) => {
    if (error instanceof CancelledError) await updateHeld(db, deployment.id, deployment.fence, { switching: 0 });
    throw error;
  });
}

/** Of an attempt that was cut short only what was written down is known. */
const appFailed = ({ name, error }: ServiceState, failures: Map<string, StepError>): StepError =>
  failures.get(name) ?? new StepError(error?.code ?? 'failed', error?.message ?? 'unknown', error?.hint ?? null);

const allFailed = (broken: ServiceState[]): StepError =>
  new StepError(
    broken.find(({ status }) => status === 'failed')?.error?.code ?? 'failed',
    inOneSentence(broken),
    'All services are back at their previous versions. See the log of each service for details.',
  );

/** Nobody knows whether an edge that does not answer has switched: the app stays, and the edge is asked again. */
async function inWordsOfEdge(context: StepContext, error: Error): Promise<Error> {
  if (!(error instanceof EdgeError)) return error;
  const { server, instanceId } = context.parts;
  const log = server
    ? `edge.log in the volume mooring-edge-${instanceId} on ${server.name}`
    : 'edge.log in the data folder';
  const hint = `Redeploy when the edge responds again; see ${log}.${await previousHint(context)}`;
  return new StepError('switch_failed', `the edge did not switch: ${error.message}`, hint);
}
