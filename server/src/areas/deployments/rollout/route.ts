import type { Db } from '../../../db/database.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { selectSteps } from '../model/step-store.ts';
import { configPlace, type DeploymentConfig, edgeKey, StepError } from '../model/model.ts';
import { isSite, type Recipe } from '../model/recipe.ts';
import { join } from 'node:path';
import type { EdgeRoute, EdgeTarget } from '../../../drivers/edge/edge.ts';
import type { ListenerOwner } from '../../../drivers/host/listeners.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { hostLabel } from '../../projects/host-names/host-names.ts';
import type { Names } from '../../domains/names.ts';
import { addressesOf, routesAt, urlsOf } from '../release/addresses.ts';
import type { Built } from '../model/artifact.ts';
import type { Parts } from '../model/parts.ts';
import { previousHint } from './previous-release.ts';
import type { DeploymentRow } from '../model/store.ts';
import { tellNames } from '../release/tell-names.ts';
import type { Step } from '../model/step.ts';

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

type RouteDeps = { db: Db; parts: Parts; sealer: Sealer };

/** Where the app answers that serves at the moment; nothing where several services do, or nothing. */
export async function routesOfApp(on: RouteDeps, active: DeploymentRow | undefined): Promise<EdgeRoute[]> {
  if (!active || active.stack !== null) return [];
  return (await reachOfApp(on, active))?.routes ?? [];
}

/** Where an active app is reached; undefined when it does not run. */
export async function reachOfApp({ db, parts, sealer }: RouteDeps, active: DeploymentRow) {
  const made = await madeOf(db, sealer, active);
  const running = isSite(made.recipe) ? undefined : await parts.runtime.find(active.id);
  if (!isSite(made.recipe) && !running) return undefined;
  return reachedAt(parts, active, made, running, await parts.names.of(active));
}

export async function madeOf(db: Db, sealer: Sealer, { id, config }: DeploymentRow): Promise<MadeOf> {
  const steps = await selectSteps(db, id);
  const resultOf = (step: string) => steps.find(({ name }) => name === step)?.result;
  const built = resultOf('build');
  return {
    recipe: JSON.parse(resultOf('detect') ?? '{}') as Recipe,
    built: built ? (JSON.parse(built) as Built) : undefined,
    config: JSON.parse(sealer.open(config, configPlace(id))) as DeploymentConfig,
  };
}
