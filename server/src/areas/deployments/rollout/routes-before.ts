import { configIn } from '../model/stored.ts';
import type { EdgeRoute } from '../../../drivers/edge/edge.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { routesAt } from '../release/addresses.ts';
import { edgeTargetOf } from '../release/target.ts';
import type { Parts } from '../model/parts.ts';
import type { DeploymentRow } from '../model/store.ts';
import { addressesOfStack } from '../release/endpoints-of-stack.ts';
import { containerKey, type ServiceState, serviceStatesOf } from '../model/stack.ts';
import { stackOf } from '../model/run-stack.ts';

type Deps = { parts: Parts; sealer: Sealer };

/**
 * Returns the routes of the active release, with each service where `states` say that it runs: some may have been
 * replaced already.
 */
export async function routesBefore(
  deps: Deps,
  active: DeploymentRow | undefined,
  states: readonly ServiceState[],
): Promise<EdgeRoute[]> {
  const stack = active && stackOf(deps.sealer, active);
  if (!stack) return [];
  const { parts, sealer } = deps;
  const config = configIn(sealer, active);
  const names = await parts.names.of(active);
  const version = { row: active, stack, states: serviceStatesOf(active) };
  const addresses = addressesOfStack({ parts, config, environment: active.environment }, version, names);
  const routes: EdgeRoute[] = [];
  for (const address of addresses) {
    const { service } = address;
    const runsOf = states.find(({ name }) => name === service)?.runsOf;
    if (!runsOf) continue;
    const target = edgeTargetOf(parts, version, service, await parts.runtime.find(runsOf, service));
    if (!target) continue;
    const to = { deploymentId: containerKey(runsOf, service), target };
    routes.push(...routesAt([address], to, { names, edge: parts.edge }));
  }
  return routes;
}

export const withoutReplacedRoutes = (before: EdgeRoute[], now: EdgeRoute[]): EdgeRoute[] =>
  before.filter((old) => !now.some(({ host, path }) => host === old.host && path === old.path));
