import { StaleFenceError } from '../../../drivers/stale-fence.ts';
import { type EdgeRoute, instanceKey } from '../../../drivers/edge/edge.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { DomainNames } from '../../domains/port.ts';
import { type ReleaseAddress, areSameRoutes, routesAt, urlsOfAddresses } from '../release/addresses.ts';
import { requireContainers } from '../model/artifact.ts';
import { edgeKey } from '../model/model.ts';
import { edgeTargetOf } from '../release/target.ts';
import { fenceForStack, selectFinishedStacks } from '../model/stack-store.ts';
import { storeUrls } from '../model/note-urls.ts';
import { isUndoing } from '../model/originals-store.ts';
import { type DeploymentRow, isUnderWay, selectActive, selectActiveOn, selectOfProject } from '../model/store.ts';
import { addressesOfStack } from '../release/endpoints-of-stack.ts';
import { containersInUse } from '../release/in-use.ts';
import { containerKey } from '../model/stack.ts';
import { withoutReplacedRoutes, routesBefore } from '../rollout/routes-before.ts';
import {
  type MachineStacks,
  type OpenedDeployment,
  openDeployment,
  type RestingStack,
  stacksOfRound,
  type UpkeepDeps,
} from './resting-stacks.ts';
import { byContainerKey } from './services.ts';

const drainAtOnceMs = 1000;
const graceMs = 10_000;

/** Routes the edge to the running services, also after it lost its routes or a container changed its address. */
export async function repointServices(deps: UpkeepDeps): Promise<void> {
  const { parts, around, replicas } = deps;
  const running = byContainerKey((await around.look()).all.filter((each) => replicas?.isReady(each) ?? true));
  const pointed = new Map((await parts.edge.list()).map(({ key, routes }) => [key, routes]));
  const namesOf = await parts.names.all({ recent: Boolean(parts.server) });
  const troubles: unknown[] = [];
  for (const resting of (await stacksOfRound(deps)).resting) {
    const { row } = resting;
    // While the engine is away, the state of containers is unknown.
    if (around.away && resting.states.some(({ folder }) => !folder)) continue;
    const are = pointed.get(edgeKey(row)) ?? [];
    const before = await beforeDecision(deps, resting);
    const wantedBy = (names: DomainNames) => {
      const own = routesTo(deps, resting, running, names);
      const urls = row.active === 1 ? urlsTo(deps, resting, own, names) : undefined;
      return { routes: [...own, ...withoutReplacedRoutes(before, own)], urls };
    };
    const isAsWanted = ({ routes, urls }: ReturnType<typeof wantedBy>) =>
      areSameRoutes(are, routes) && (!urls || JSON.stringify(urls) === row.urls);
    if (isAsWanted(wantedBy(namesOf(row)))) continue;
    // A problem with one deployment does not block the others.
    try {
      // The names may have changed since they were read.
      const { routes, urls } = wantedBy(await parts.names.of(row));
      if ((await setRight(deps, row, are, routes)) && urls) await storeUrls(deps, row, urls);
    } catch (error) {
      troubles.push(error);
    }
  }
  await forgetOthers(deps, [...pointed.keys()]);
  if (troubles.length) throw troubles[0];
}

/** Removes routes of projects without an active release. */
async function forgetOthers(deps: UpkeepDeps, keys: readonly string[]): Promise<void> {
  const { db, parts, log, owner } = deps;
  const seen = new Set((await stacksOfRound(deps)).rows.filter(({ active }) => active === 1).map(edgeKey));
  if (keys.every((each) => each === instanceKey || seen.has(each))) return;
  const active = await selectActiveOn(db, { owner, server: parts.server });
  // Projects that were seen here may have moved to another server meanwhile.
  const wanted = new Set([...seen, ...active.map(edgeKey)]);
  for (const key of keys.filter((each) => each !== instanceKey && !wanted.has(each))) {
    const [projectId = '', environment = ''] = key.split('/');
    if (await isUnderWay(db, projectId, environment)) continue;
    log.warn(`the edge has routes of ${key}, where no release is active; removing them`);
    await parts.edge.remove(key);
  }
}

/** Sets the routes if they differ; returns whether the edge has exactly these now. */
async function setRight(
  { db, parts, log }: UpkeepDeps,
  row: DeploymentRow,
  are: readonly EdgeRoute[],
  routes: EdgeRoute[],
): Promise<boolean> {
  if (areSameRoutes(are, routes)) return true;
  const fence = await fenceForStack(db, row);
  if (fence === undefined) return false;
  log.warn(`pointing the edge at the services of ${row.id} again`);
  try {
    await parts.edge.point({ key: edgeKey(row), fence, routes });
    return true;
  } catch (error) {
    // A worker has started meanwhile and routes the edge itself.
    if (error instanceof StaleFenceError) return false;
    throw error;
  }
}

function routesTo(
  { parts }: Pick<UpkeepDeps, 'parts'>,
  { row, config, stack, states }: OpenedDeployment,
  running: ReturnType<typeof byContainerKey>,
  names: DomainNames,
): EdgeRoute[] {
  const on = { names, edge: parts.edge };
  return addressesOfStack({ parts, config, environment: row.environment }, { stack, states }, names).flatMap(
    (address) => {
      const runsOf = states.find(({ name }) => name === address.service)?.runsOf;
      const deploymentId = runsOf ? containerKey(runsOf, address.service) : '';
      const target = runsOf
        ? edgeTargetOf(parts, { row, stack, states }, address.service, running.get(deploymentId))
        : undefined;
      if (!target) return [];
      return routesAt([address], { deploymentId, target }, on);
    },
  );
}

/** Returns the routes and URLs of an active release, whose worker may still be busy with after-work. */
export async function routesAndUrlsOf({ parts, sealer }: Pick<UpkeepDeps, 'parts' | 'sealer'>, active: DeploymentRow) {
  const resting = openDeployment(sealer, active);
  const names = await parts.names.of(active);
  const routes = routesTo({ parts }, resting, byContainerKey(await parts.runtime.list()), names);
  return { routes, urls: urlsTo({ parts }, resting, routes, names) };
}

/** Returns the URLs that are routed. */
function urlsTo(
  { parts }: Pick<UpkeepDeps, 'parts'>,
  { row, config, stack, states }: OpenedDeployment,
  routes: readonly EdgeRoute[],
  names: DomainNames,
): string[] {
  const addresses = addressesOfStack({ parts, config, environment: row.environment }, { stack, states }, names);
  const isRouted = ({ host, path }: ReleaseAddress) => routes.some((each) => each.host === host && each.path === path);
  return urlsOfAddresses(addresses.filter(isRouted), { names, edge: parts.edge });
}

/** While a decision is pending, addresses that the deployment does not need stay with the previous release. */
async function beforeDecision(deps: UpkeepDeps, { row, states }: RestingStack): Promise<EdgeRoute[]> {
  if (row.active === 1) return [];
  const active = await selectActive(deps.db, row.organizationId, row.projectId, row.environment);
  return routesBefore(deps, active, states);
}

/** Stops replaced containers that no worker is left to stop. */
export async function stopReplacedServices(deps: UpkeepDeps): Promise<void> {
  const { db, parts, log, around } = deps;
  const used = inUse(await stacksOfRound(deps));
  const isUnused = ({ state, owner: { deploymentId, service } }: Instance) =>
    (state === 'running' || state === 'restarting') && !used.has(containerKey(deploymentId, service));
  const up = (await around.look()).all.filter(isUnused);
  const rows = await selectFinishedStacks(db, [...new Set(up.map(({ owner }) => owner.deploymentId))]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { owner, image } of up) {
    const row = byId.get(owner.deploymentId);
    if (!row) continue;
    const key = containerKey(row.id, owner.service);
    if (!(await isReplaced(db, row, key)) || (await parts.edge.drain(key, drainAtOnceMs)) > 0) continue;
    log.warn(`stopping ${owner.service} of ${row.id}, which was replaced and still runs`);
    // A concurrent reject either finds the container stopped or prevents the stop.
    const isUnneeded = () => isReplaced(db, row, key);
    if (image !== undefined) await requireContainers(parts).services.stopIf(row.id, owner.service, graceMs, isUnneeded);
    else if (await isUnneeded()) await parts.runtime.stop(row.id, graceMs, owner.service);
  }
}

const inUse = ({ rows }: MachineStacks): Set<string> =>
  new Set([...Map.groupBy(rows, ({ projectId }) => projectId).values()].flatMap((each) => [...containersInUse(each)]));

type Row = { organizationId: string; projectId: string; environment: string };

/**
 * Whether the container is unused and not about to be used. A deployment that waits for a decision is at rest only
 * once its worker is gone: stopping takes seconds, during which the container still runs.
 */
async function isReplaced(db: UpkeepDeps['db'], row: Row, key: string): Promise<boolean> {
  if (await isUnderWay(db, row.projectId, row.environment, ['building', 'deploying'])) return false;
  // An undo of the cut-over decides when our containers stop.
  if (await isUndoing(db, row)) return false;
  const all = await selectOfProject(db, row.organizationId, row.projectId);
  if (all.some(({ environment, leaseOwner }) => environment === row.environment && leaseOwner !== null)) return false;
  return !containersInUse(all).has(key);
}
