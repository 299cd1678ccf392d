import { StaleFenceError } from '../../../drivers/stale-fence.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { EdgeRoute } from '../../../drivers/edge/edge.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { routesStillOwned } from '../release/addresses.ts';
import { storeUrls } from '../model/note-urls.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import { routesAndUrlsOf } from './service-routes.ts';
import { edgeKey } from '../model/model.ts';
import { type DeploymentRow, isUnderWay, selectActiveOn, selectMachinesOf } from '../model/store.ts';

type Deps = { db: Db; machines: Machines; sealer: Sealer; log: Log; owner: string };
/** A request that changes a domain waits at most this long for an unreachable machine. */
const patienceMs = 2000;

type Holder = { projectId: string; environment: string };

/** Current routes and URLs of a release. */
export type ReleaseRoutes = { routes: EdgeRoute[]; urls: string[] };

/**
 * Returns a function that applies domain changes. Changes of one project are serialized, because a slow one could
 * overwrite a newer one. Errors are retried by `later`, since the domains are already the project's; slow changes
 * continue in the background.
 */
export function createDomainSync(deps: Deps, later: () => void): (holder: Holder) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return (holder) => {
    const key = edgeKeyOf(holder);
    const turn = (last.get(key) ?? Promise.resolve())
      .then(() => followEverywhere(deps, holder))
      .catch((error: Error) => {
        deps.log.warn(`addresses of ${key} are retried later: ${error.message}`);
        later();
      })
      .finally(() => last.get(key) === turn && last.delete(key));
    last.set(key, turn);
    return Promise.race([turn, sleep(patienceMs, undefined, { ref: false })]);
  };
}

/** Applies the change on every machine of the project. */
async function followEverywhere({ machines, ...on }: Deps, holder: Holder): Promise<void> {
  const { projectId, environment } = holder;
  for (const where of await selectMachinesOf(on.db, projectId, environment))
    await applyDomainChange({ ...on, parts: await machines.of(where) }, holder);
}

const edgeKeyOf = ({ projectId, environment }: Holder) => edgeKey({ projectId, environment });

/**
 * Routes changed domains to the active release at once, also when a certificate was issued. A worker that is switching
 * over applies the current domains itself, and the next round of upkeep corrects whatever is missed here.
 */
async function applyDomainChange(
  deps: Omit<Deps, 'machines'> & { parts: Parts },
  { projectId, environment }: Holder,
): Promise<void> {
  const { db, parts, owner } = deps;
  const key = edgeKeyOf({ projectId, environment });
  // The order matters: a later switch has a newer fence, so the edge rejects ours; an earlier one is already active.
  const pointed = (await parts.edge.list()).find((project) => project.key === key);
  if (!pointed || (await isUnderWay(db, projectId, environment, ['deploying', 'partial_failure']))) return;
  const active = (await selectActiveOn(db, { owner, server: parts.server })).find((row) => edgeKey(row) === key);
  if (!active || !isServed(active, pointed.routes)) return;
  const reach = active.stack === null ? undefined : await routesAndUrlsOf(deps, active);
  // A stopped release must release its domains too: another project may own them by now.
  const routes =
    reach?.routes.map((route) => withTargetOf(pointed.routes, route)) ??
    routesStillOwned(pointed.routes, await parts.names.of(active), parts.baseDomain);
  try {
    await parts.edge.point({ key, fence: pointed.fence, routes });
  } catch (error) {
    if (error instanceof StaleFenceError) return;
    throw error;
  }
  if (reach) await storeUrls(deps, active, reach.urls);
}

/** Keeps the upstreams, because only domains changed: a running replica may not be healthy yet. */
function withTargetOf(pointed: readonly EdgeRoute[], route: EdgeRoute): EdgeRoute {
  const same = pointed.find(
    ({ deploymentId, target }) => deploymentId === route.deploymentId && target.type === 'upstream',
  );
  return same && route.target.type === 'upstream' ? { ...route, target: same.target } : route;
}

/** An app counts as switched when the edge has switched, a moment before the database. */
const isServed = ({ id, stack }: DeploymentRow, routes: readonly EdgeRoute[]): boolean =>
  stack !== null || routes.every(({ deploymentId }) => deploymentId === id);
