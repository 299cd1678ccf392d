import { StaleFenceError } from '../../../drivers/stale-fence.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { EdgeRoute } from '../../../drivers/edge/edge.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { stillOwn } from '../release/addresses.ts';
import { noteUrls } from '../model/note-urls.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import { reachOfStack } from './service-routes.ts';
import { edgeKey } from '../model/model.ts';
import { type DeploymentRow, isUnderWay, selectActiveOn, selectMachinesOf } from '../model/store.ts';

type Deps = { db: Db; machines: Machines; sealer: Sealer; log: Log; owner: string };
/** Whoever changed a name waits no longer for a machine that is away. */
const patienceMs = 2000;

type Holder = { projectId: string; environment: string };

/** Where a release is reached by now. */
export type ReleaseReach = { routes: EdgeRoute[]; urls: string[] };

/** Gives who follows names: one change of a project after the other, since who looked first may be the last to point. Trouble is left
 * to `later`: the names are the project's already. What takes long goes on when nobody waits for it any more. */
export function createNameSync(deps: Deps, later: () => void): (holder: Holder) => Promise<void> {
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

/** Whichever machine it is on. */
async function followEverywhere({ machines, ...on }: Deps, holder: Holder): Promise<void> {
  const { projectId, environment } = holder;
  for (const where of await selectMachinesOf(on.db, projectId, environment))
    await followNames({ ...on, parts: await machines.of(where) }, holder);
}

const edgeKeyOf = ({ projectId, environment }: Holder) => edgeKey({ projectId, environment });

/** Names of a project have changed, or there is a certificate for one: what is active answers there at once. What a worker is about to
 * switch over it points itself, with the names of that moment; and what is missed here the next round of upkeep sets right. */
async function followNames(
  deps: Omit<Deps, 'machines'> & { parts: Parts },
  { projectId, environment }: Holder,
): Promise<void> {
  const { db, parts, owner } = deps;
  const key = edgeKeyOf({ projectId, environment });
  // In this order: who points it after this has a newer fence, and ours is refused; and who has ended before this is what is active.
  const pointed = (await parts.edge.list()).find((project) => project.key === key);
  if (!pointed || (await isUnderWay(db, projectId, environment, ['deploying', 'partial_failure']))) return;
  const active = (await selectActiveOn(db, { owner, server: parts.server })).find((row) => edgeKey(row) === key);
  if (!active || !isServed(active, pointed.routes)) return;
  const reach = active.stack === null ? undefined : await reachOfStack(deps, active);
  // What does not run has to let go of names all the same: they may be somebody else's by now.
  const routes =
    reach?.routes.map((route) => withTargetOf(pointed.routes, route)) ??
    stillOwn(pointed.routes, await parts.names.of(active), parts.baseDomain);
  try {
    await parts.edge.point({ key, fence: pointed.fence, routes });
  } catch (error) {
    if (error instanceof StaleFenceError) return;
    throw error;
  }
  if (reach) await noteUrls(deps, active, reach.urls);
}

/** Names have changed and not the upstreams: a replica that runs already may not have shown yet that it works. */
function withTargetOf(pointed: readonly EdgeRoute[], route: EdgeRoute): EdgeRoute {
  const same = pointed.find(
    ({ deploymentId, target }) => deploymentId === route.deploymentId && target.type === 'upstream',
  );
  return same && route.target.type === 'upstream' ? { ...route, target: same.target } : route;
}

/** An app has been switched over when the edge says so, a moment before the database does. */
const isServed = ({ id, stack }: DeploymentRow, routes: readonly EdgeRoute[]): boolean =>
  stack !== null || routes.every(({ deploymentId }) => deploymentId === id);
