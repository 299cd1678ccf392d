import { join } from 'node:path';
import type { EdgeRoute, EdgeTarget } from '../../../drivers/edge/edge.ts';
import type { ListenerOwner } from '../../../drivers/host/listeners.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { hostLabel } from '../../projects/host-names/host-names.ts';
import type { Names } from '../../domains/names.ts';
import { addressesOf, routesAt, urlsOf } from '../addresses.ts';
import type { Built } from '../artifact.ts';
import { type DeploymentConfig, StepError } from '../model.ts';
import type { Parts } from '../parts.ts';
import { previousHint } from '../previous-release.ts';
import type { DeploymentRow } from '../store.ts';
import type { Recipe } from './detect.ts';
import { tellNames } from '../tell-names.ts';
import type { Step } from './step.ts';

/** Points the project's names at the new release. From here on it serves. */
export const route: Step = {
  name: 'route',
  deadlineMs: () => 30_000,
  async run(context) {
    const { parts, deployment, config, results } = context;
    const started = results['start'] as Reached & { static?: boolean };
    const made = { config, recipe: results['detect'] as Recipe, built: results['build'] as Built | undefined };
    const names = await parts.names.of(deployment);
    const { routes, urls } = reachedAt(parts, deployment, made, started.static ? undefined : started, names);
    await context.checkLease();
    await parts.edge
      .point({ key: edgeKey(deployment), fence: deployment.fence, routes })
      .catch(async (error: Error) => {
        throw notSwitched(parts, error, await previousHint(context));
      });
    for (const url of urls) context.log(`Serving at ${url}`);
    tellNames(context, names);
    return { urls };
  },
};

function notSwitched({ server, instanceId }: Parts, error: Error, previous: string): Error {
  // A server that is away is another matter than its edge.
  if (error instanceof EngineAwayError) return error;
  const log = server
    ? `edge.log in the volume mooring-edge-${instanceId} on ${server.name}`
    : 'edge.log in the data folder';
  const hint = `Redeploy when the edge answers again; see ${log}.${previous}`;
  return new StepError('switch_failed', `the edge was not switched: ${error.message}`, hint);
}

export const edgeKey = ({ project_id, environment }: { project_id: string; environment: string }) =>
  `${project_id}/${environment}`;

type Reached = { host: string; port: number; listener?: ListenerOwner };

/** What a release was made of. */
export type MadeOf = { config: DeploymentConfig; recipe: Recipe; built: Built | undefined };

/** Where a release answers: what runs, or the folder of a site that needs nothing to run. */
export function reachedAt(
  parts: Parts,
  deployment: DeploymentRow,
  made: MadeOf,
  running: Reached | undefined,
  names: Names,
): { routes: EdgeRoute[]; urls: string[] } {
  const { baseDomain, edge } = parts;
  const host = `${hostLabel(made.config.slug, deployment.environment)}.${baseDomain}`;
  const target: EdgeTarget = running
    ? {
        type: 'upstream',
        host: running.host,
        port: running.port,
        ...(running.listener && { listener: running.listener }),
      }
    : siteOf(parts, deployment, made);
  const wanted = made.config.publicEndpoints ?? [];
  const addresses = addressesOf([{ service: null, host, isPrimary: true }], { baseDomain, wanted, names });
  const on = { names, edge };
  return { routes: routesAt(addresses, { deploymentId: deployment.id, target }, on), urls: urlsOf(addresses, on) };
}

function siteOf(parts: Parts, { artifact_id }: DeploymentRow, { config, recipe, built }: MadeOf): EdgeTarget {
  const within = parts.folders.release(artifact_id);
  const noted = built?.kind === 'folder' ? built.site : undefined;
  const folder = join(within, noted ?? join(config.rootDirectory, recipe.outputDirectory ?? ''));
  return { type: 'static', folder, fallback: recipe.fallback, within };
}
