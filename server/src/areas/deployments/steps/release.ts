import { join } from 'node:path';
import { type Built, type BuiltImage, requireContainers } from '../artifact.ts';
import { engineFull, isEngineFull } from '../failure.ts';
import { reserveForApp } from '../limits/reserve.ts';
import { StepError } from '../model.ts';
import { onceSpec } from '../release-spec.ts';
import { run } from './command.ts';
import type { Recipe } from './detect.ts';
import type { Step, StepContext } from './step.ts';

/** The release command, before the new release is started: a migration of the database, mostly. It runs once, unless the
 * service or the engine ends during it: nobody can tell how far it came, so it runs again. */
export const release: Step = {
  name: 'release',
  isNeeded: (results) => Boolean((results['detect'] as Recipe).releaseCommand),
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { results, log, attempt } = context;
    const command = (results['detect'] as Recipe).releaseCommand!;
    await reserveForApp(context);
    if (attempt > 1) log(`This step was cut short: the release command runs again (attempt ${attempt})`, 'warn');
    log(`$ ${command}`);
    const built = results['build'] as Built | undefined;
    const end = await (built?.kind === 'image' ? inContainer(context, built, command) : inFolder(context, command));
    if (end !== 'exit code 0')
      throw new StepError(
        'release_failed',
        `the release command ended with ${end}`,
        'The old release keeps serving. Mend the command and redeploy.',
      );
    return {};
  },
};

/** How it ended, in words. */
async function inFolder(context: StepContext, command: string): Promise<string> {
  const { config, parts, deployment } = context;
  const { code, signal } = await run(context, command, {
    step: 'release',
    cwd: join(parts.folders.release(deployment.artifact_id), config.rootDirectory),
    home: parts.folders.home(deployment.project_id),
    user: await parts.userOf(deployment.project_id),
    variables: config.variables,
  });
  return signal ?? `exit code ${code}`;
}

async function inContainer(context: StepContext, built: BuiltImage, command: string): Promise<string> {
  const { parts, deployment, config, results, signal, log } = context;
  const recipe = results['detect'] as Recipe;
  await context.checkLease();
  const { exitCode } = await requireContainers(parts)
    .runOnce(onceSpec(parts, { deployment, config, recipe }, built, command), {
      signal,
      deadlineMs: parts.timeouts.buildMs,
      onLine: (line, stream) => log(line, 'info', stream),
    })
    .catch((error: Error) => {
      throw isEngineFull(error) ? engineFull() : error;
    });
  return `exit code ${exitCode}`;
}
