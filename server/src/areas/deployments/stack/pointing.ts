import type { EdgeRoute } from '../../../drivers/edge/edge.ts';
import { requireContainers } from '../artifact.ts';
import { edgeKey } from '../steps/route.ts';
import type { StepContext } from '../steps/step.ts';
import { endpointsOfStack, type StackEndpoint } from './endpoints-of-stack.ts';
import { containerKey } from './model.ts';
import { tellProxies } from './proxies.ts';
import { notTaken } from './routes-before.ts';

type Address = { host: string; port: number };

/** Points names at services while they are exchanged: those of the edge and those that they know each other by. One change
 * after the other, because the edge takes all routes of a project at once. */
export class Pointing {
  readonly #context: StepContext;
  readonly #endpoints: StackEndpoint[];
  #last: Promise<void> = Promise.resolve();

  constructor(context: StepContext) {
    this.#context = context;
    const { parts, config, deployment } = context;
    this.#endpoints = endpointsOfStack({ parts, config, environment: deployment.environment }, context.stack.wanted);
  }

  /** Whether it is reached through the edge. */
  isPublic = (service: string): boolean => this.#endpoints.some((each) => each.service === service);

  async promote(deploymentId: string, service: string): Promise<void> {
    await requireContainers(this.#context.parts).services.promote(deploymentId, service);
    await tellProxies(this.#context, service);
  }

  /** Requests to the service go to this deployment's container from here on. */
  switchTo(service: string, instance: Address | undefined): Promise<void> {
    if (!this.isPublic(service)) return Promise.resolve();
    const { deployment } = this.#context;
    return this.#change((routes) => [
      ...routes.filter((route) => !this.#isOf(service, route)),
      ...this.#routesTo(service, deployment.id, instance),
    ]);
  }

  /** The service is reached in an older version again, or not at all; what had its address before it has that again. Others stay
   * as they are: they may be in the middle of their own exchange, when nothing of them runs and requests wait. */
  giveBack(service: string, runsOf: string | null): Promise<void> {
    const { parts, stack } = this.#context;
    return this.#change(async (now) => {
      const instance = runsOf === null ? undefined : await parts.runtime.find(runsOf, service);
      const others = now.filter((route) => !this.#isOf(service, route));
      const routes = [...others, ...this.#routesTo(service, runsOf ?? '', instance)];
      return [...routes, ...notTaken(await stack.routesBefore(), routes)];
    });
  }

  /** Everything is reached again as the release before has it. */
  settleBack(): Promise<void> {
    return this.#change(() => this.#context.stack.routesBefore());
  }

  /** Exactly what runs is what is reached. An address of the release before stays as it was where nothing has taken its
   * place, unless everything has come to its end well. Gives the addresses. */
  async settle({ isWhole = false } = {}): Promise<string[]> {
    const { parts, stack } = this.#context;
    const routes: EdgeRoute[] = [];
    for (const { service } of new Map(this.#endpoints.map((each) => [each.service, each])).values()) {
      const runsOf = stack.states.all().find(({ name }) => name === service)?.runsOf;
      const instance = runsOf ? await parts.runtime.find(runsOf, service) : undefined;
      if (runsOf && instance?.port) routes.push(...this.#routesTo(service, runsOf, instance));
    }
    if (!isWhole) routes.push(...notTaken(await stack.routesBefore(), routes));
    await this.#change(() => routes);
    return routes.filter(({ path }) => path === '/').map(({ host }) => parts.edge.url(host));
  }

  #isOf(service: string, { host, path }: EdgeRoute): boolean {
    return this.#endpoints.some((each) => each.service === service && each.host === host && each.path === path);
  }

  #routesTo(service: string, deploymentId: string, at: Address | undefined): EdgeRoute[] {
    if (!at?.port) return [];
    const target = { type: 'upstream' as const, host: at.host, port: at.port };
    return this.#endpoints
      .filter((each) => each.service === service)
      .map(({ host, path }) => ({ host, path, deploymentId: containerKey(deploymentId, service), target }));
  }

  #change(make: (routes: EdgeRoute[]) => EdgeRoute[] | Promise<EdgeRoute[]>): Promise<void> {
    const { parts, deployment, checkLease } = this.#context;
    const key = edgeKey(deployment);
    const changed = this.#last.then(async () => {
      const now = (await parts.edge.list()).find((project) => project.key === key)?.routes ?? [];
      const routes = await make(now);
      await checkLease();
      await parts.edge.point({ key, fence: deployment.fence, routes });
    });
    // Whoever comes next tries for itself.
    this.#last = changed.catch(() => {});
    return changed;
  }
}
