import { StaleFenceError } from '../../../drivers/stale-fence.ts';
import { type ServiceMessages, messagesOf } from './service-messages.ts';
import { RegistryError } from '../../../drivers/images/registry/image-registry.ts';
import { EngineAwayError, ImageMissingError, SubnetTakenError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { requireContainers } from '../model/artifact.ts';
import { engineFull, isEngineFull, registryFailed } from '../model/failure.ts';
import { StepError } from '../model/model.ts';
import { serviceLog, type StepContext } from '../model/step.ts';
import { prepareRelease, replicaOfRelease } from '../release/prepare-release.ts';
import { subnetTaken } from './subnets.ts';

/** Starts one replica of a service of this deployment. Names resolve to the first one. */
export async function startService(
  context: StepContext,
  name: string,
  { isNamedAtOnce, replica }: { isNamedAtOnce: boolean; replica: number },
): Promise<Instance> {
  const spec = replicaOfRelease(await specOf(context, name, isNamedAtOnce && replica === 1), replica);
  const tell = serviceLog({ context, state: { name } });
  return context.parts.runtime
    .start(spec, (line) => tell(line))
    .catch((error: Error) => {
      // A process that cannot be started is an internal error.
      throw spec.kind === 'image' ? startError(error, messagesOf(context)) : error;
    });
}

/** Creates the container without starting it. */
export async function createServiceContainer(
  context: StepContext,
  name: string,
  isNamedAtOnce: boolean,
): Promise<void> {
  await context.checkLease();
  const spec = await specOf(context, name, isNamedAtOnce);
  if (spec.kind !== 'image') throw new Error(`${name} has no image`);
  await requireContainers(context.parts)
    .services.make(spec)
    .catch((error: Error) => {
      throw startError(error, messagesOf(context));
    });
}

function specOf({ parts, deployment, config, stack }: StepContext, name: string, isNamedAtOnce: boolean) {
  const made = { deployment, config, stack: stack.wanted, states: stack.states.all() };
  return prepareRelease(parts, made, name, isNamedAtOnce);
}

/** An engine error about starting a container is usually about the service: its command or its user. */
export function startError(error: Error, words: ServiceMessages): Error {
  if ([EngineAwayError, ImageMissingError, StaleFenceError].some((kind) => error instanceof kind)) return error;
  if (error instanceof RegistryError) return registryFailed(error);
  if (isEngineFull(error)) return engineFull();
  if (error instanceof SubnetTakenError)
    return subnetTaken({ network: error.network, subnet: error.subnet, isOwn: false });
  const { message, hint } = words.notStarted(error.message);
  return new StepError('start_failed', message, hint);
}
