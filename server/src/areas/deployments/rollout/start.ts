import { StaleFenceError } from '../../../drivers/runtime/stale-fence.ts';
import { EngineAwayError, ImageMissingError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Built } from '../model/artifact.ts';
import { engineFull, isEngineFull } from '../model/failure.ts';
import { reserveForApp } from '../limits/reserve.ts';
import { StepError } from '../model/model.ts';
import { freeFixedPort } from './previous-release.ts';
import { releaseSpec } from '../release/release-spec.ts';
import { isSite, type Recipe } from '../model/recipe.ts';
import { keepOnlySite } from './keep-site.ts';
import type { Step, StepContext } from '../model/step.ts';

/** Starts the new release beside the old one. */
export const start: Step = {
  name: 'start',
  deadlineMs: () => 60_000,
  async run(context) {
    const { parts, config, deployment, results } = context;
    const recipe = results['detect'] as Recipe;
    if (isSite(recipe)) {
      await dropSources(context);
      return { static: true };
    }
    await context.checkLease();
    await reserveForApp(context);
    await freeFixedPort(context);
    const built = results['build'] as Built | undefined;
    const spec = await releaseSpec(parts, { deployment, config, recipe }, built);
    const instance = await parts.runtime.start(spec).catch((error: Error) => {
      throw built?.kind === 'image' ? inWords(error) : error;
    });
    for (const notice of instance.notices) context.log(notice, 'warn');
    context.log(`Started on port ${instance.port}`);
    return reachedOn(instance);
  },
};

/** Where an instance is asked, and who may answer there. */
export const reachedOn = ({ host, port, listener }: Instance) => ({ host, port, ...(listener && { listener }) });

/** Not before the build's result is stored: a build that runs again needs its sources. A folder that another deployment built may
 * be serving at this moment, so it stays as it is. */
async function dropSources({ parts, deployment, results }: StepContext): Promise<void> {
  const built = results['build'] as Built | undefined;
  const isOwn = deployment.artifact_id === deployment.id;
  if (!isOwn || built?.kind !== 'folder' || !built.site || built.site === '.') return;
  await keepOnlySite(parts.folders, deployment.artifact_id, built.site);
}

/** What the engine says of a container that it cannot start is about the app, mostly: its command, its user. */
function inWords(error: Error): Error {
  if ([EngineAwayError, ImageMissingError, StaleFenceError].some((kind) => error instanceof kind)) return error;
  if (isEngineFull(error)) return engineFull();
  return new StepError(
    'start_failed',
    `the container does not start: ${error.message}`,
    'Check the start command, and what the Dockerfile says of ENTRYPOINT, CMD and USER.',
  );
}
