import { join } from 'node:path';
import type { EdgeRoute, EdgeTarget } from '../../../drivers/edge/edge.ts';
import { hostLabel } from '../../projects/host-names/host-names.ts';
import type { DeploymentConfig } from '../model.ts';
import type { Parts } from '../parts.ts';
import type { DeploymentRow } from '../store.ts';
import type { Recipe } from './detect.ts';
import type { Step } from './step.ts';

/** Points the project's names at the new release. From here on it serves. */
export const route: Step = {
  name: 'route',
  deadlineMs: () => 30_000,
  async run(context) {
    const { parts, deployment, config, results } = context;
    const started = results['start'] as { static?: boolean; host: string; port: number };
    const recipe = results['detect'] as Recipe;
    const routes = routesOf(parts, deployment, config, recipe, started.static ? undefined : started);
    await context.checkLease();
    await parts.edge.point({ key: edgeKey(deployment), fence: deployment.fence, routes });
    const urls = routes.map(({ host }) => parts.edge.url(host));
    for (const url of urls) context.log(`Serving at ${url}`);
    return { urls };
  },
};

export const edgeKey = ({ project_id, environment }: { project_id: string; environment: string }) =>
  `${project_id}/${environment}`;

/** Where a release answers: the process that runs, or the folder of a site that needs none. */
export function routesOf(
  parts: Parts,
  deployment: DeploymentRow,
  config: DeploymentConfig,
  recipe: Recipe,
  running: { host: string; port: number } | undefined,
): EdgeRoute[] {
  const host = `${hostLabel(config.slug, deployment.environment)}.${parts.baseDomain}`;
  const target: EdgeTarget = running
    ? { type: 'upstream', host: running.host, port: running.port }
    : siteOf(parts, deployment, config, recipe);
  return [{ host, path: '/', deploymentId: deployment.id, target }];
}

function siteOf(parts: Parts, { artifact_id }: DeploymentRow, config: DeploymentConfig, recipe: Recipe): EdgeTarget {
  const within = parts.folders.release(artifact_id);
  const folder = join(within, config.rootDirectory, recipe.outputDirectory ?? '');
  return { type: 'static', folder, fallback: recipe.fallback, within };
}
