import { StaleFenceError } from '../../../drivers/stale-fence.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { posix } from 'node:path';
import { requireContainers } from '../model/artifact.ts';
import type { StepContext } from '../model/step.ts';
import { containerKey, type ServiceState, type Stack } from '../model/stack.ts';
import type { EdgeRoute, EdgeTarget } from '../../../drivers/edge/edge.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import { edgeTargetOf, upstreamOf } from '../release/target.ts';
import type { DomainNames } from '../../domains/port.ts';
import { type ReleaseAddress, routesAt, urlsOfAddresses } from '../release/addresses.ts';
import type { Parts } from '../model/parts.ts';
import { edgeKey } from '../model/model.ts';
import { addressesOfStack } from '../release/endpoints-of-stack.ts';
import { withoutReplacedRoutes } from './routes-before.ts';

type Running = Pick<Instance, 'host' | 'port' | 'listener'>;
type Reach = { names: DomainNames; edge: Parts['edge']; addresses: (ReleaseAddress & { service: string })[] };

/** The edge did not accept routes. */
export class EdgeError extends Error {
  override name = 'EdgeError';
}

function asEdgeError(error: Error): never {
  // An unreachable server and a newer worker are not the edge's errors.
  const isOther = error instanceof EngineAwayError || error instanceof StaleFenceError;
  throw isOther ? error : new EdgeError(error.message, { cause: error });
}

/**
 * Points names at services while they are replaced: routes of the edge, and names on the stack's networks. Changes are
 * serialized, because the edge takes all routes of a project at once.
 */
export class TrafficSwitch {
  readonly #context: StepContext;
  #last: Promise<void> = Promise.resolve();

  constructor(context: StepContext) {
    this.#context = context;
  }

  /** An app has no names on a network. */
  async promote(deploymentId: string, service: string): Promise<void> {
    if (this.#context.stack.isApp) return;
    await requireContainers(this.#context.parts).services.promote(deploymentId, service);
    await tellProxies(this.#context, service);
  }

  /** Routes requests to this deployment's container from here on. */
  async switchTo(service: string, instance: Running | undefined): Promise<void> {
    if (!reachedOf(await this.#reach()).has(service)) return;
    const { deployment, stack } = this.#context;
    const target = this.#targetHere(service, instance);
    await this.#change(async (now, reach) => {
      const own = routesTo(reach, service, deployment.id, target);
      // When an app replaces a stack, all other routes of the project go.
      if (stack.isApp) return own;
      return [...(await now()).filter((route) => !isOf(reach, service, route)), ...own];
    });
  }

  /**
   * Routes the service to an older version or nowhere, and restores the address's previous owner. Routes of other
   * services stay: they may be in the middle of their own switch, with nothing running and requests held.
   */
  giveBack(service: string, runsOf: string | null): Promise<void> {
    const { parts, stack } = this.#context;
    return this.#change(async (now, reach) => {
      const instance = runsOf === null ? undefined : await parts.runtime.find(runsOf, service);
      const others = (await now()).filter((route) => !isOf(reach, service, route));
      const target = instance?.port ? upstreamOf(instance) : undefined;
      const routes = [...others, ...routesTo(reach, service, runsOf ?? '', target)];
      return [...routes, ...withoutReplacedRoutes(await stack.routesBefore(), routes)];
    });
  }

  /** Restores all routes of the previous release. */
  settleBack(): Promise<void> {
    return this.#change(() => this.#context.stack.routesBefore());
  }

  /**
   * Routes exactly what runs. Addresses of the previous release stay where nothing has replaced them, unless the
   * rollout was completely successful. Returns the URLs.
   */
  async settle({ isWhole = false } = {}): Promise<string[]> {
    const { parts, stack } = this.#context;
    if (stack.isApp) {
      const reach = await this.#reach();
      return urlsOfAddresses(reach.addresses, reach);
    }
    let urls: string[] = [];
    await this.#change(async (_now, reach) => {
      const routes: EdgeRoute[] = [];
      for (const service of reachedOf(reach)) {
        const runsOf = stack.states.all().find(({ name }) => name === service)?.runsOf;
        const instance = runsOf ? await parts.runtime.find(runsOf, service) : undefined;
        const target = runsOf ? this.#targetHere(service, instance) : undefined;
        if (runsOf && target) routes.push(...routesTo(reach, service, runsOf, target));
        else if (instance) this.#tellNoPort(service);
      }
      const before = isWhole ? [] : withoutReplacedRoutes(await stack.routesBefore(), routes);
      const isRouted = ({ host, path }: ReleaseAddress) =>
        routes.some((each) => each.host === host && each.path === path);
      const others = before.filter(({ path, target }) => path === '/' && target.type !== 'redirect');
      urls = [
        ...urlsOfAddresses(reach.addresses.filter(isRouted), reach),
        ...others.map(({ host }) => reach.edge.url(host)),
      ];
      return [...routes, ...before];
    });
    return urls;
  }

  #targetHere(service: string, instance: Running | undefined): EdgeTarget | undefined {
    const { parts, deployment, stack } = this.#context;
    return edgeTargetOf(parts, { row: deployment, stack: stack.wanted, states: stack.states.all() }, service, instance);
  }

  /** Warns because the user asked for this service to be public. */
  #tellNoPort(service: string): void {
    const line = `${service} is not reachable: its port is unknown; add a port to its publicEndpoints entry, or ports to the service`;
    this.#context.log(line, 'warn', 'stdout', service);
  }

  #change(make: (now: () => Promise<EdgeRoute[]>, reach: Reach) => Promise<EdgeRoute[]>): Promise<void> {
    const { parts, deployment, checkLease } = this.#context;
    const key = edgeKey(deployment);
    const changed = this.#last.then(async () => {
      const now = async () => {
        const projects = await parts.edge.list().catch(asEdgeError);
        return projects.find((project) => project.key === key)?.routes ?? [];
      };
      const routes = await make(now, await this.#reach());
      await checkLease();
      await parts.edge.point({ key, fence: deployment.fence, routes }).catch(asEdgeError);
    });
    // A failed change does not block the next one.
    this.#last = changed.catch(() => {});
    return changed;
  }

  /** Reads the current domains, which may change meanwhile. */
  async #reach(): Promise<Reach> {
    const { parts, config, deployment, stack } = this.#context;
    const names = await parts.names.of(deployment);
    const of = { parts, config, environment: deployment.environment };
    const services = { stack: stack.wanted, states: stack.states.all() };
    return { names, edge: parts.edge, addresses: addressesOfStack(of, services, names) };
  }
}

/** Services that the edge routes to, by endpoint or by domain. */
const reachedOf = ({ addresses }: Reach): Set<string> => new Set(addresses.map(({ service }) => service));

const isOf = ({ addresses }: Reach, service: string, { host, path }: EdgeRoute): boolean =>
  addresses.some((each) => each.service === service && each.host === host && each.path === path);

function routesTo(reach: Reach, service: string, deploymentId: string, target: EdgeTarget | undefined): EdgeRoute[] {
  if (!target) return [];
  const own = reach.addresses.filter((each) => each.service === service);
  return routesAt(own, { deploymentId: containerKey(deploymentId, service), target }, reach);
}

/**
 * Reloads nginx when a name points to a new address: nginx resolves names only when it reads its configuration, and a
 * reload loses no requests. Other proxies resolve each time, or after a while.
 */
async function tellProxies({ parts, stack, log }: StepContext, changed: string): Promise<void> {
  const { services } = requireContainers(parts);
  const proxies = stack.states.all().filter((state) => state.name !== changed && isNginx(stack.wanted, state));
  for (const { name, runsOf } of proxies) {
    if (runsOf === null) continue;
    await services.signal(runsOf, name, 'SIGHUP');
    log(`${name} reloads its configuration, because the address of ${changed} has changed`, 'info', 'stdout', name);
  }
}

/** Decides by the command, whatever the image is called. */
function isNginx({ project }: Stack, { name, image }: ServiceState): boolean {
  const service = project.services.find((each) => each.name === name);
  const started = [...(service?.entrypoint ?? []), ...(service?.command ?? [])];
  const usual = service?.entrypoint || service?.command ? [] : (image?.command ?? []);
  return [...started, ...usual].some((part) => ['nginx', 'openresty'].includes(posix.basename(part)));
}
