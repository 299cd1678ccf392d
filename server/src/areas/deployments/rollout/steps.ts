import type { DeploymentRow } from '../model/store.ts';
import { EdgeError, TrafficSwitch } from './traffic-switch.ts';
import { hasNoPublicService } from '../../projects/port.ts';
import { noPublicServiceText } from '../stack/endpoints/public-services.ts';
import { previousHint } from './previous-release.ts';
import { appService, failedServicesSentence, isBroken, type ServiceState } from '../model/stack.ts';
import { noteServices, reserveForServices } from '../limits/reserve.ts';
import { CancelledError } from '../../../events/lease.ts';
import { StepError } from '../model/model.ts';
import type { Step, StepContext } from '../model/step.ts';
import { updateUnderFence } from '../model/queue.ts';
import { resetSteps } from '../model/step-store.ts';
import { keepInEngine } from '../release/carry-over.ts';
import { warnAboutNames } from '../release/name-warnings.ts';
import { fetchMissingContents } from '../source/missing-contents.ts';
import { restoreServices } from './restore.ts';
import { planStep } from './plan-step.ts';
import { healthCheckLimitMs } from './health-criteria.ts';
import { rollOut } from './roll-out.ts';

export type RolloutOutcome = { outcome: 'ready' | 'partial'; urls: string[]; failure: string | null };

/** Returns the row after the rollout: ready, or waiting for a decision if only some services succeeded. */
export function afterServices({ outcome, urls, failure }: RolloutOutcome): Partial<DeploymentRow> {
  if (outcome === 'ready') return { status: 'ready', active: 1, urls: JSON.stringify(urls), finishedAt: Date.now() };
  const hint = 'Keep the services that succeeded, or reject the deployment to roll all of them back.';
  const error = JSON.stringify({ code: 'partial_failure', step: 'services', message: failure, hint });
  return { status: 'partial_failure', decision: 'pending', urls: JSON.stringify(urls), error };
}

/** Replaces the changed services. If all fail, the deployment fails; if some fail, it waits for a decision. */
export const services: Step = {
  name: 'services',
  // A one-off may take as long as a build. The health check time is added, so that a serving service fails by its own
  // limit, with a reason.
  deadlineMs: ({ parts, config }) =>
    parts.timeouts.buildMs + healthCheckLimitMs(null, config.healthCheck.timeoutSeconds, parts.timeouts.startMs),
  async run(context): Promise<RolloutOutcome> {
    const { states, isApp } = context.stack;
    // A stack has its own plan step, and so has an app that replaces a stack.
    if (isApp && states.all().every(({ change }) => change === null)) await planStep.run(context);
    await reserveForServices(context);
    await fetchMissingContents(context);
    const trafficSwitch = new TrafficSwitch(context);
    const failures = await rollOut(context, trafficSwitch).catch(async (error: Error) => {
      throw await inWordsOfEdge(context, error);
    });
    const broken = states.all().filter(isBroken);
    // An unchanged service counts as working.
    const wanted = states.all().filter(({ change }) => change !== 'remove');
    if (broken.length && broken.length === wanted.length)
      throw isApp ? appFailed(broken[0]!, failures) : allFailed(broken);
    await noWayBack(context);
    if (!broken.length) await dropRemoved(context);
    const urls = await trafficSwitch.settle({ isWhole: !broken.length });
    for (const url of urls) context.log(`Serving at ${url}`);
    if (!urls.length && !broken.length) tellNothingReachable(context);
    const there = context.stack.wanted.project.services.map(({ name }) => name);
    warnAboutNames(context, await context.parts.names.of(context.deployment), isApp ? undefined : there);
    if (!broken.length) {
      // Last, because until here the previous release may still return to its volumes.
      if (isApp && states.of(appService).image) await keepInEngine(context.parts, madeOf(context));
      return { outcome: 'ready', urls, failure: null };
    }
    const failure = failedServicesSentence(broken);
    await noteServices(context);
    context.log(`${failure}. Keep the services that succeeded, or reject the deployment`, 'warn');
    return { outcome: 'partial', urls, failure };
  },
};

/** Rolls back a rejected deployment. `retire` stops its containers later, because some take long to exit. */
export const restore: Step = {
  name: 'restore',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { left } = await restoreServices(context);
    // `retire` may have run before the decision, for the containers that the deployment had replaced.
    await resetSteps(context.db, context.deployment.id, ['retire']);
    return { left };
  },
};

const madeOf = ({ deployment, stack }: StepContext) => ({ deployment, stack: stack.wanted });

function tellNothingReachable({ config: { slug, publicEndpoints = [] }, stack, log }: StepContext): void {
  if (hasNoPublicService(publicEndpoints)) return;
  const silent = stack.states.all().find(({ isSilent }) => isSilent);
  log(noPublicServiceText(slug, silent?.name), 'warn');
}

/** Marks services that the file no longer has as removed. Their volumes stay. */
async function dropRemoved({ stack }: StepContext): Promise<void> {
  for (const { name, change, runsOf } of stack.states.all())
    if (change === 'remove' && runsOf !== null) await stack.states.set(name, { status: 'removed', runsOf: null });
}

/** From here on the deployment cannot be cancelled. */
async function noWayBack({ db, deployment, checkLease }: StepContext): Promise<void> {
  await updateUnderFence(db, deployment.id, deployment.fence, { switching: 1 });
  // Catches a cancel that arrived in between.
  await checkLease().catch(async (error: unknown) => {
    if (error instanceof CancelledError) await updateUnderFence(db, deployment.id, deployment.fence, { switching: 0 });
    throw error;
  });
}

/** After an interrupted attempt, only the stored error is known. */
const appFailed = ({ name, error }: ServiceState, failures: Map<string, StepError>): StepError =>
  failures.get(name) ?? new StepError(error?.code ?? 'failed', error?.message ?? 'unknown', error?.hint ?? null);

const allFailed = (broken: ServiceState[]): StepError =>
  new StepError(
    broken.find(({ status }) => status === 'failed')?.error?.code ?? 'failed',
    failedServicesSentence(broken),
    'All services are back at their previous versions. See the log of each service for details.',
  );

/** An unresponsive edge may or may not have switched, so the app keeps running and the edge is retried. */
async function inWordsOfEdge(context: StepContext, error: Error): Promise<Error> {
  if (!(error instanceof EdgeError)) return error;
  const { server, instanceId } = context.parts;
  const log = server
    ? `edge.log in the volume mooring-edge-${instanceId} on ${server.name}`
    : 'edge.log in the data folder';
  const hint = `Redeploy when the edge responds again; see ${log}.${await previousHint(context)}`;
  return new StepError('switch_failed', `the edge did not switch: ${error.message}`, hint);
}
