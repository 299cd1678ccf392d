import { madeOf, reachOfApp } from '../rollout/route.ts';
import { type EdgeProject, type EdgeRoute, StaleFenceError } from '../../../drivers/edge/edge.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Names } from '../../domains/names.ts';
import { areSame } from '../release/addresses.ts';
import { configPlace, type DeploymentConfig, edgeKey } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import {
  type DeploymentRow,
  fenceForActive,
  isBeingChanged,
  isUnderWay,
  selectActiveOn,
  selectDeployment,
} from '../model/store.ts';
import { releaseSpec } from '../release/release-spec.ts';
import type { Restarts } from './restart.ts';
import { isOnFixedPort } from '../rollout/previous-release.ts';
import { noteUrls } from '../model/note-urls.ts';
import { isSite } from '../model/recipe.ts';
import type { Surroundings } from './surroundings.ts';

const graceMs = 10_000;

type On = { db: Db; parts: Parts; sealer: Sealer; log: Log; owner: string; around: Surroundings; restarts: Restarts };

/** After a reboot, `npm run stop` or a prune of containers the active releases do not run any more. They are started again
 * as they were. One whose supervisor was killed gets another one. */
export async function revive({ db, parts, sealer, log, owner, around, restarts }: On): Promise<void> {
  await forEachActive({ db, parts, owner, around }, async (deployment, instance) => {
    // Of a site there is none; a container that somebody has removed is made anew.
    if (instance ? isWell(instance) : !deployment.image) return;
    // One that is being restarted is away for a moment; what was seen may be of one that was.
    if (restarts.isUnderWay(deployment.id) || isWell(await parts.runtime.find(deployment.id))) return;
    // Its successor needs its port.
    if (instance && (await isMakingRoom({ db, sealer }, deployment, instance))) return;
    try {
      if (instance?.isOrphan) log.warn(`${deployment.id} runs without its supervisor and gets another one`);
      await startAgain({ db, parts, sealer }, deployment);
    } catch (error) {
      if (error instanceof EngineAwayError) throw error;
      log.error(`the release ${deployment.id} does not start again: ${(error as Error).message}`);
    }
  });
}

async function isMakingRoom({ db, sealer }: Pick<On, 'db' | 'sealer'>, deployment: DeploymentRow, instance: Instance) {
  const config = JSON.parse(sealer.open(deployment.config, configPlace(deployment.id))) as DeploymentConfig;
  return isOnFixedPort(instance, config) && (await isBeingChanged(db, deployment.id));
}

const isWell = (instance: Instance | undefined): boolean =>
  (instance?.state === 'running' || instance?.state === 'restarting') && !instance.isOrphan;

/** An engine that is away does not keep us from looking after what needs none. */
async function forEachActive(
  { db, parts, owner, around }: Pick<On, 'db' | 'parts' | 'owner' | 'around'>,
  lookAt: (deployment: DeploymentRow, instance: Instance | undefined) => Promise<void>,
): Promise<DeploymentRow[]> {
  const active = await selectActiveOn(db, { owner, server: parts.server });
  const running = await around.look();
  // Those of several services are looked after elsewhere.
  for (const deployment of active.filter(({ stack }) => stack === null)) {
    if (deployment.image !== null && around.away) continue;
    await lookAt(deployment, running.appOf(deployment)).catch((error: unknown) => around.notice(error));
  }
  return active;
}

/** Starts an active release as it was. Undefined when it is not active any more, or needs no process. */
export async function startAgain(
  { db, parts, sealer }: Pick<On, 'db' | 'parts' | 'sealer'>,
  deployment: DeploymentRow,
): Promise<Instance | undefined> {
  const { config, recipe, built } = await madeOf(db, sealer, deployment);
  if (isSite(recipe) || !(await isActive(db, deployment))) return undefined;
  const instance = await parts.runtime.start(await releaseSpec(parts, { deployment, config, recipe }, built));
  if (await isActive(db, deployment)) return instance;
  // Another release took its place a moment ago and stopped it before we started it.
  await parts.runtime.stop(deployment.id, graceMs);
  return undefined;
}

const isActive = async (db: Db, { id, organization_id }: DeploymentRow): Promise<boolean> =>
  (await selectDeployment(db, organization_id, id))?.active === 1;

/** The edge serves what is marked as active, under the names of now, also after it lost its routes, or a switch or a change of
 * names whose end nobody saw. Gives the duty of a round; it remembers which names were seen to be right. */
export function repointing(): (on: On) => Promise<void> {
  const known = new Map<string, string>();
  return async (on) => {
    const { db, parts, log, owner, around } = on;
    const pointed = new Map((await parts.edge.list()).map((project) => [project.key, project]));
    const namesOf = await parts.names.all();
    const troubles: unknown[] = [];
    const active = await forEachActive({ db, parts, owner, around }, async (deployment, seen) => {
      const project = pointed.get(edgeKey(deployment));
      const names = textOf(namesOf(deployment), project?.routes ?? []);
      if (known.get(deployment.id) === names && serves(project, deployment, seen)) return;
      // One that cannot be pointed does not hold up the others: a name may be free once somebody else was.
      const isRight = await setRight(on, deployment, project).catch((error: unknown) => {
        if (error instanceof EngineAwayError) throw error;
        troubles.push(error);
        return false;
      });
      if (isRight) known.set(deployment.id, names);
    });
    for (const id of known.keys()) if (!active.some((each) => each.id === id)) known.delete(id);
    const wanted = new Set(active.map(edgeKey));
    for (const key of pointed.keys()) if (!wanted.has(key)) await forget(db, parts, log, key);
    if (troubles.length) throw troubles[0];
  };
}

/** Everything that routes and addresses depend on, beside the release itself. */
const textOf = (names: Names, routes: readonly EdgeRoute[]): string => {
  const own = names.own.map((each) => ({ ...each, problem: null }));
  const hosts = [...routes.map(({ host }) => host), ...own.map(({ redirectTo }) => redirectTo ?? '')];
  return JSON.stringify([own, hosts.filter((host) => names.isSecure(host))]);
};

/** Whether everything about it was right, or is by now. */
async function setRight(on: On, deployment: DeploymentRow, project: EdgeProject | undefined): Promise<boolean> {
  const { db, parts, log } = on;
  const reach = await reachOfApp(on, deployment);
  if (!reach) return false;
  if (!areSame(project?.routes ?? [], reach.routes)) {
    const fence = await fenceForActive(db, deployment);
    if (fence === undefined) return false;
    log.warn(`pointing the edge at ${deployment.id} again`);
    try {
      await parts.edge.point({ key: edgeKey(deployment), fence, routes: reach.routes });
    } catch (error) {
      // A worker has begun meanwhile; it points the edge itself.
      if (error instanceof StaleFenceError) return false;
      throw error;
    }
  }
  await noteUrls(on, deployment, reach.urls);
  return true;
}

function serves(
  project: EdgeProject | undefined,
  { id }: DeploymentRow,
  running: { host: string; port: number } | undefined,
): boolean {
  const routes = project?.routes ?? [];
  if (!routes.length || routes.some(({ deploymentId }) => deploymentId !== id)) return false;
  return routes.every(({ target }) => target.type !== 'upstream' || !running || target.port === running.port);
}

async function forget(db: Db, parts: Parts, log: Log, key: string): Promise<void> {
  const [projectId = '', environment = ''] = key.split('/');
  if (await isUnderWay(db, projectId, environment)) return;
  log.warn(`the edge has routes of ${key}, where nothing is active; they are removed`);
  await parts.edge.remove(key);
}
