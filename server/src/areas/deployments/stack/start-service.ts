import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { StaleFenceError } from '../../../drivers/runtime/stale-fence.ts';
import { engineFull, isEngineFull } from '../failure.ts';
import { StepError } from '../model.ts';
import type { StepContext } from '../steps/step.ts';
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
