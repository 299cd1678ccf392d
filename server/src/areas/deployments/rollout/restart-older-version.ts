import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { requireContainers } from '../model/artifact.ts';
import { StepError } from '../model/model.ts';
import { serviceLog, type StepContext } from '../model/step.ts';
import { type DeploymentRow, selectDeployment } from '../model/store.ts';
import { untilHealthy } from './check.ts';
import { messagesOf } from './service-messages.ts';
import { isSiteState, type ServiceState, type Stack } from '../model/stack.ts';
import type { TrafficSwitch } from './traffic-switch.ts';
import { healthCriteriaOf } from './health-criteria.ts';
import { layOutFiles, prepareRelease } from '../release/prepare-release.ts';
import { startError } from './start-service.ts';

/**
 * Restarts the container of an older deployment, waits until it is healthy, and gives it its service's names back. A
 * one-off that has completed does not run again.
 */
export async function restartOlderVersion(
  context: StepContext,
  trafficSwitch: Pick<TrafficSwitch, 'promote'>,
  deploymentId: string,
  name: string,
): Promise<void> {
  const { parts, db, deployment, stack } = context;
  const older = await selectDeployment(db, deployment.organizationId, deploymentId);
  const made = older && stack.of(older);
  const then = made?.states.find((state) => state.name === name);
  if (then && (then.status === 'completed' || isSiteState(then))) return;
  // The project's start settings and health check may have changed since.
  const config = older ? stack.configOf(older, context.config) : context.config;
  const found = await parts.runtime.find(deploymentId, name);
  if (made) await layOutFiles(parts, older, made.stack, name);
  const instance = await back(context, found, name, older && made && { deployment: older, config, ...made });
  const log = serviceLog({ context, state: { name } });
  const { deploymentId: broughtBack } = instance.owner;
  const words = messagesOf(context);
  const looking = { parts, signal: context.signal, deploymentId: broughtBack, service: name, log, words };
  const known = made ?? { stack: stack.wanted, states: [] };
  await untilHealthy(looking, await healthCriteriaOf({ config, parts, deployment, ...known }, name));
  await trafficSwitch.promote(instance.owner.deploymentId, name);
}

/** Restores the old files in folders that both versions write to. */
export async function restoreOldFiles(
  { parts, db, deployment, stack }: StepContext,
  deploymentId: string,
  name: string,
) {
  const older = await selectDeployment(db, deployment.organizationId, deploymentId);
  const made = older && stack.of(older);
  if (made) await layOutFiles(parts, older, made.stack, name);
}

type MadeThen = {
  deployment: DeploymentRow;
  config: StepContext['config'];
  stack: Stack;
  states: readonly ServiceState[];
};

async function back(
  context: StepContext,
  found: Instance | undefined,
  name: string,
  made: MadeThen | undefined,
): Promise<Instance> {
  const { parts } = context;
  const inTheirWords = (error: Error): never => {
    throw startError(error, messagesOf(context));
  };
  // A previous worker may have died just before stopping it, so what runs now may still exit.
  if (found && found.state !== 'missing' && found.imageId !== undefined) {
    const { services } = requireContainers(parts);
    const running = await services.ensureRunning(found.owner.deploymentId, name).catch(inTheirWords);
    if (running) return running;
  }
  if (!made)
    throw new StepError('gone', 'its previous version no longer exists', 'Redeploy an older deployment instead.');
  return parts.runtime.start(await prepareRelease(parts, made, name, false)).catch(inTheirWords);
}
