import { join } from 'node:path';
import type { EdgeTarget } from '../../../drivers/edge/edge.ts';
import type { Recipe } from './detect.ts';
import type { Step, StepContext } from './step.ts';

/** Points the project's names at the new release. From here on it serves. */
export const route: Step = {
  name: 'route',
  deadlineMs: () => 30_000,
  async run(context) {
    const { parts, deployment, config } = context;
    const host = hostOf(config.slug, deployment.environment, parts.baseDomain);
    await context.checkLease();
    await parts.edge.point({
      key: edgeKey(deployment),
      fence: deployment.fence,
      routes: [{ host, path: '/', deploymentId: deployment.id, target: targetOf(context) }],
    });
    const url = parts.edge.url(host);
    context.log(`Serving at ${url}`);
    return { urls: [url] };
  },
};

export const edgeKey = ({ project_id, environment }: { project_id: string; environment: string }) =>
  `${project_id}/${environment}`;

export const hostOf = (slug: string, environment: string, baseDomain: string) =>
  `${environment === 'production' ? slug : `${slug}-${environment}`}.${baseDomain}`;

function targetOf({ results, parts, deployment, config }: StepContext): EdgeTarget {
  const started = results['start'] as { static?: boolean; host: string; port: number };
  if (!started.static) return { type: 'upstream', host: started.host, port: started.port };
  const { outputDirectory, fallback } = results['detect'] as Recipe;
  const within = parts.folders.release(deployment.artifact_id);
  const folder = join(within, config.rootDirectory, outputDirectory ?? '');
  return { type: 'static', folder, fallback, within };
}
