import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { StaleFenceError } from '../../../drivers/runtime/stale-fence.ts';
import { requireContainers } from '../model/artifact.ts';
import { engineFull, isEngineFull } from '../model/failure.ts';
import { StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { releaseOf } from '../release/release-of.ts';

/** Starts the container of one service of this deployment. */
export async function startService(context: StepContext, name: string, isNamedAtOnce: boolean): Promise<Instance> {
  const spec = await specOf(context, name, isNamedAtOnce);
  return context.parts.runtime.start(spec).catch((error: Error) => {
    throw inWords(error);
  });
}

/** Makes it, and does not start it yet. */
export async function makeService(context: StepContext, name: string, isNamedAtOnce: boolean): Promise<void> {
  await context.checkLease();
  const spec = await specOf(context, name, isNamedAtOnce);
  await requireContainers(context.parts)
    .services.make(spec)
    .catch((error: Error) => {
      throw inWords(error);
    });
}

function specOf({ parts, deployment, config, stack }: StepContext, name: string, isNamedAtOnce: boolean) {
  const made = { deployment, config, stack: stack.wanted, states: stack.states.all() };
  return releaseOf(parts, made, name, isNamedAtOnce);
}

/** What the engine says of a container that it cannot start is about the service, mostly. */
export function inWords(error: Error): Error {
  if (error instanceof EngineAwayError || error instanceof StaleFenceError) return error;
  if (isEngineFull(error)) return engineFull();
  return new StepError(
    'start_failed',
    `its container does not start: ${error.message}`,
    'Check its image, its command, its user and what it mounts.',
  );
}
