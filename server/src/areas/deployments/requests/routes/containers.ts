import { z } from '../../../../lib/zod/index.ts';
import { AppError } from '../../../../errors.ts';
import { idParams, isoTimeOrNull, okItem, itemResponse } from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import { recordAudit } from '../../../access/port.ts';
import type { EdgeRoute } from '../../../../drivers/edge/edge.ts';
import { addUsage } from '../../../../drivers/runtime/add-usage.ts';
import { replicaOf } from '../../../../drivers/runtime/replicas.ts';
import type { Instance, Usage } from '../../../../drivers/runtime/runtime.ts';
import type { Machines } from '../../model/machines.ts';
import { edgeKey } from '../../model/model.ts';
import { containerKey } from '../../model/stack.ts';
import { containersOf } from '../containers-of.ts';
import type { DeploymentRow } from '../../model/store.ts';
import { urlsIn } from '../../../../db/tables/deployments.ts';
import { Deployment, presentDeployment } from '../schemas.ts';
import type { Restarts } from '../../upkeep/restart.ts';
import type { Deployments } from '../service.ts';

const Container = z.object({
  id: z.string(),
  service: z.string(),
  replica: z.number().describe('Number of the replica, starting at 1.'),
  runtime: z.string(),
  state: z.string(),
  ready: z
    .boolean()
    .describe('Whether it runs, is healthy and, if its service is public, gets requests from the edge.'),
  health: z.string().nullable().describe('Result of its health check, if it has one.'),
  image: z.string().nullable(),
  host: z.string(),
  port: z.number(),
  startedAt: z.string().nullable(),
  restarts: z.number(),
  exitCode: z.number().nullable(),
  notices: z.array(z.string()),
  urls: z.array(z.string()).describe('Addresses at which its service is public.'),
});
const UsageOf = {
  cpuPercent: z.number(),
  memoryBytes: z.number(),
  memoryLimitBytes: z.number().nullable(),
  networkRxBytes: z.number(),
  networkTxBytes: z.number(),
};
const nothing = { cpuPercent: 0, memoryBytes: 0, memoryLimitBytes: null, networkRxBytes: 0, networkTxBytes: 0 };

type Deps = { deployments: Deployments; restarts: Restarts; machines: Machines };

const ServiceQuery = z.object({
  service: z.string().max(100).optional().describe('Name of a service; default: all services.'),
});

type Seen = { kind: string; isRestarting: boolean; isServed: (instance: Instance) => boolean; urls: string[] };

const presentContainer = (
  instance: Instance,
  { kind, isRestarting, isServed, urls }: Seen,
): z.input<typeof Container> => ({
  id: instance.id,
  service: instance.owner.service,
  replica: replicaOf(instance.owner),
  runtime: instance.runtime ?? kind,
  state: isRestarting ? 'restarting' : instance.state,
  ready:
    !isRestarting && instance.state === 'running' && (instance.health ?? 'healthy') === 'healthy' && isServed(instance),
  health: instance.health ?? null,
  image: instance.image ?? null,
  host: instance.host,
  port: instance.port,
  startedAt: isoTimeOrNull(instance.startedAt),
  restarts: instance.restarts,
  exitCode: instance.exitCode,
  notices: instance.notices,
  urls,
});

/** Returns the URLs of the release that are routed to this container. */
function urlsOf(urls: readonly string[], routes: readonly EdgeRoute[], { owner }: Instance): string[] {
  const key = containerKey(owner.deploymentId, owner.service);
  return urls.filter((text) => {
    const url = URL.parse(text);
    return routes.some(
      ({ deploymentId, host, path }) => deploymentId === key && host === url?.hostname && path === url.pathname,
    );
  });
}

/** A replica gets requests once it has passed its health check. A service without a route gets none at all. */
function servedBy(routes: readonly EdgeRoute[] | undefined): (instance: Instance) => boolean {
  if (!routes) return ({ port }) => port === 0;
  const targets = Map.groupBy(routes, ({ deploymentId }) => deploymentId);
  return ({ owner, port }) => {
    const own = targets.get(containerKey(owner.deploymentId, owner.service));
    const upstreams = own?.flatMap(({ target }) =>
      target.type === 'upstream' ? [target, ...(target.others ?? [])] : [],
    );
    return !upstreams?.length || upstreams.some((each) => each.port === port);
  };
}

export const containerRoutes = ({ deployments, restarts, machines }: Deps): Route[] => {
  async function instancesOf(row: DeploymentRow, service: string | undefined): Promise<Instance[]> {
    const { runtime } = await machines.of(row);
    const found = await Promise.all(
      containersOf(row, service).map((each) => runtime.find(each.deploymentId, each.service)),
    );
    return found
      .flatMap((instance) => (instance ? [instance, ...(instance.others ?? [])] : []))
      .filter(({ state }) => state !== 'missing');
  }
  const runningOf = async (row: DeploymentRow, service: string | undefined): Promise<Instance[]> =>
    (await instancesOf(row, service)).filter(({ state }) => state === 'running' || state === 'restarting');
  const usageOf = async (row: DeploymentRow, { owner }: Instance): Promise<Usage | undefined> => {
    const { runtime } = await machines.of(row);
    return runtime.usage(owner.deploymentId, owner.service, replicaOf(owner));
  };
  return [
    defineRoute({
      method: 'POST',
      path: '/api/deployments/:id/restart',
      permission: 'deployment:write',
      summary: 'Restart the containers or processes of a deployment',
      description:
        'Containers that take longer to stop are restarted in the background; `GET /:id/info` shows them as `restarting` until they are ready.',
      params: idParams,
      output: itemResponse(Deployment),
      query: ServiceQuery,
      async handle({ caller, params: { id }, query: { service } }) {
        const row = await deployments.get(caller, id, 'write');
        deployments.requireReached(row);
        const found = await runningOf(row, service);
        if ((!row.active && row.status !== 'partial_failure') || !found.length)
          throw new AppError('not_allowed_now', 'this deployment has no running containers or processes');
        // Restarting a service includes all of its replicas.
        const firsts = found.filter(({ owner }) => replicaOf(owner) === 1);
        const failure = await restarts.request(row, firsts.length ? firsts : found, (trx) =>
          recordAudit(trx, row.organizationId, caller, { action: 'deployment.restarted', target: { id, name: id } }),
        );
        if (failure) throw new AppError('unavailable', failure);
        return okItem(presentDeployment(row));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/deployments/:id/info',
      permission: 'deployment:read',
      summary: 'List the containers or processes of a deployment',
      params: idParams,
      output: itemResponse(z.object({ containers: z.array(Container) })),
      query: ServiceQuery,
      async handle({ caller, params: { id }, query: { service } }) {
        const row = await deployments.get(caller, id);
        deployments.requireReached(row);
        const found = await instancesOf(row, service);
        const { runtime, edge } = await machines.of(row);
        // Without an edge nothing gets requests, but the containers are still listed.
        const pointed = await edge.list().catch(() => undefined);
        const routes = pointed && (pointed.find(({ key }) => key === edgeKey(row))?.routes ?? []);
        const seen = (each: Instance) => ({
          kind: runtime.kind,
          isRestarting: restarts.isRestarting(each),
          isServed: servedBy(routes),
          urls: urlsOf(urlsIn(row), routes ?? [], each),
        });
        return okItem({ containers: found.map((each) => presentContainer(each, seen(each))) });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/deployments/:id/usage',
      permission: 'deployment:read',
      summary: 'CPU and memory usage of a deployment',
      params: idParams,
      output: itemResponse(
        z.object({
          ...UsageOf,
          containers: z.array(z.object({ service: z.string(), replica: z.number(), ...UsageOf })),
        }),
      ),
      query: ServiceQuery,
      async handle({ caller, params: { id }, query: { service } }) {
        const row = await deployments.get(caller, id);
        deployments.requireReached(row);
        const found = await Promise.all(
          (await runningOf(row, service)).map(async (each) => {
            const usage = await usageOf(row, each);
            return usage ? [{ service: each.owner.service, replica: replicaOf(each.owner), ...usage }] : [];
          }),
        );
        const containers = found.flat();
        const usages: Usage[] = containers;
        return okItem({ ...(usages.length ? usages.reduce(addUsage) : nothing), containers });
      },
    }),
  ];
};
