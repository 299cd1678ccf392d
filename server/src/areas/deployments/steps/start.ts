import { join } from 'node:path';
import type { ReleaseSpec } from '../../../drivers/runtime/runtime.ts';
import type { DeploymentConfig } from '../model.ts';
import type { Parts } from '../parts.ts';
import type { DeploymentRow } from '../store.ts';
import type { Recipe } from './detect.ts';
import type { Step } from './step.ts';

/** Starts the new release beside the old one. */
export const start: Step = {
  name: 'start',
  deadlineMs: () => 60_000,
  async run(context) {
    const { parts, config, deployment, results } = context;
    const recipe = results['detect'] as Recipe;
    if (!recipe.startCommand) return { static: true };
    await context.checkLease();
    const instance = await parts.runtime.start(releaseSpec(parts, deployment, config, recipe));
    for (const notice of instance.notices) context.log(notice, 'warn');
    context.log(`Started on port ${instance.port}`);
    return { host: instance.host, port: instance.port };
  },
};

/** Everything that the runtime needs to start the release, now or after a reboot. */
export function releaseSpec(
  parts: Parts,
  deployment: DeploymentRow,
  config: DeploymentConfig,
  recipe: Recipe,
): ReleaseSpec {
  return {
    owner: {
      instanceId: parts.instanceId,
      organizationId: deployment.organization_id,
      projectId: deployment.project_id,
      deploymentId: deployment.id,
      service: 'app',
      fence: deployment.fence,
    },
    kind: 'folder',
    folder: join(parts.folders.release(deployment.artifact_id), config.rootDirectory),
    command: recipe.startCommand!,
    env: { NODE_ENV: 'production', ...Object.fromEntries(config.variables.map(({ key, value }) => [key, value])) },
    secretKeys: config.variables.filter(({ secret }) => secret).map(({ key }) => key),
    projectNumber: config.projectNumber,
    ...(config.memoryBytes && { memoryBytes: config.memoryBytes }),
  };
}
