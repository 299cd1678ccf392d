import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { StaleFenceError } from '../../../drivers/runtime/stale-fence.ts';
import { engineFull, isEngineFull } from '../failure.ts';
import { StepError } from '../model.ts';
import type { StepContext } from '../steps/step.ts';
import { type DeploymentRow, selectDeployment } from '../store.ts';
import { provesItself } from './check-service.ts';
import type { ServiceState, Stack } from './model.ts';
import { proofOf } from './proof.ts';
import { releaseOf } from './release-of.ts';

/** Starts the container of one service of this deployment. */
export async function startService(context: StepContext, name: string, isNamedAtOnce: boolean): Promise<Instance> {
  const { parts, deployment, config, stack } = context;
  const states = stack.states.all();
  const spec = await releaseOf(parts, { deployment, config, stack: stack.wanted, states }, name, isNamedAtOnce);
  return parts.runtime.start(spec).catch((error: Error) => {
    throw inWords(error);
  });
}

/** Brings the container of an older deployment back that was stopped for a newer one, and waits until it works. */
export async function wake(context: StepContext, deploymentId: string, name: string): Promise<Instance> {
  const { parts, db, deployment, config, stack } = context;
  const found = await parts.runtime.find(deploymentId, name);
  const older = await selectDeployment(db, deployment.organization_id, deploymentId);
  const made = older && stack.of(older);
  const instance = await back(context, found, name, older && made && { deployment: older, config, ...made });
  const log = (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') =>
    context.log(line, level, stream, name);
  const looking = { parts, signal: context.signal, deploymentId: instance.owner.deploymentId, service: name, log };
  const known = made ?? { stack: stack.wanted, states: [] };
  await provesItself(looking, proofOf({ config, parts, environment: deployment.environment, ...known }, name));
  return (await parts.runtime.find(instance.owner.deploymentId, name)) ?? instance;
}

type MadeThen = {
  deployment: DeploymentRow;
  config: StepContext['config'];
  stack: Stack;
  states: readonly ServiceState[];
};

async function back(
  { parts }: StepContext,
  found: Instance | undefined,
  name: string,
  made: MadeThen | undefined,
): Promise<Instance> {
  if (found && (found.state === 'running' || found.state === 'restarting')) return found;
  if (found && found.state !== 'missing') return parts.runtime.restart(found.owner.deploymentId, name);
  if (!made)
    throw new StepError('gone', 'its version before is not there any more', 'Redeploy an older deployment instead.');
  return parts.runtime.start(await releaseOf(parts, made, name, false)).catch((error: Error) => {
    throw inWords(error);
  });
}

/** What the engine says of a container that it cannot start is about the service, mostly. */
function inWords(error: Error): Error {
  if (error instanceof EngineAwayError || error instanceof StaleFenceError) return error;
  if (isEngineFull(error)) return engineFull();
  return new StepError(
    'start_failed',
    `its container does not start: ${error.message}`,
    'Check its image, its command, its user and what it mounts.',
  );
}
