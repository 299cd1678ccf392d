import { join } from 'node:path';
import { StepError } from '../model.ts';
import { run } from './command.ts';
import type { Step } from './step.ts';

/** The release command, before the new release is started: a migration of the database, mostly. It runs once, unless the
 * service ends during it: nobody can tell how far it came, so it runs again. */
export const release: Step = {
  name: 'release',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { config, parts, deployment } = context;
    const command = config.releaseCommand!;
    const folder = parts.folders.release(deployment.artifact_id);
    if (context.attempt > 1)
      context.log(
        `The service ended during this step: the release command runs again (attempt ${context.attempt})`,
        'warn',
      );
    context.log(`$ ${command}`);
    const { code, signal } = await run(context, command, {
      step: 'release',
      cwd: join(folder, config.rootDirectory),
      home: parts.folders.home(deployment.project_id),
      user: parts.userOf(config.projectNumber),
      variables: config.variables,
    });
    if (code !== 0)
      throw new StepError(
        'release_failed',
        `the release command ended with ${signal ?? `exit code ${code}`}`,
        'The old release keeps serving. Mend the command and redeploy.',
      );
    return {};
  },
};
