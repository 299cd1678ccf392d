import type { Db } from '../../db/database.ts';
import { type EdgeRoute, StaleFenceError } from '../../drivers/edge/edge.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import { reachOfApp } from './active-releases.ts';
import type { Parts } from './parts.ts';
import { reachOfStack } from './stack/upkeep-routes.ts';
import { edgeKey } from './steps/route.ts';
import { type DeploymentRow, isUnderWay, selectActiveOn, updateDeployment } from './store.ts';

type On = { db: Db; parts: Parts; sealer: Sealer; log: Log; owner: string };
type Holder = { projectId: string; environment: string };

/** Where a release is reached by now. */
export type ReleaseReach = { routes: EdgeRoute[]; urls: string[] };

/** Names of a project have changed, or there is a certificate for one: what is active answers there at once. What a worker is about to
 * switch over it points itself, with the names of that moment; and what is missed here the next round of upkeep sets right. */
export async function followNames(on: On, { projectId, environment }: Holder): Promise<void> {
  const { db, parts, log, owner } = on;
  const key = `${projectId}/${environment}`;
  const active = (await selectActiveOn(db, owner)).find((row) => edgeKey(row) === key);
  if (!active) return;
  // Before we look at what is deployed: who points it after this has a newer fence, and ours is refused.
  const pointed = (await parts.edge.list()).find((project) => project.key === key);
  if (!pointed || (await isUnderWay(db, projectId, environment, ['deploying', 'partial_failure']))) return;
  const reach = active.stack === null ? await reachOfApp(on, active) : await reachOfStack(on, active);
  if (!reach || !isServed(active, pointed.routes)) return;
  const { routes, urls } = reach;
  try {
    await parts.edge.point({ key, fence: pointed.fence, routes });
  } catch (error) {
    if (error instanceof StaleFenceError) return;
    throw error;
  }
  if (active.urls === JSON.stringify(urls)) return;
  await updateDeployment(db, active.organization_id, active.id, { urls: JSON.stringify(urls) });
  log.info(`${active.id} answers at ${urls.join(', ')}`);
}

/** An app has been switched over when the edge says so, a moment before the database does. */
const isServed = ({ id, stack }: DeploymentRow, routes: readonly EdgeRoute[]): boolean =>
  stack !== null || routes.every(({ deploymentId }) => deploymentId === id);
