import { join } from 'node:path';
import { withLock } from '../../records/locks.ts';
import type { Owner, ServiceNetwork } from '../../runtime.ts';
import { stackLabel } from '../labels.ts';
import { isUp, type OwnContainer, type OwnContainers } from '../own-containers.ts';
import { readable, shortHash } from '../readable-names.ts';

// How a name leads to one container, and from one moment on to another, without a moment in between. Each network of a stack
// is two of the engine's, and every container is on both. On the one `api` is a link to whoever is called `<front of api>-a`,
// on the other to `<front of api>-b`; links are followed when a name is looked up, and a miss on the one goes on to the other.
// The container that has a service's names is called by one of the two. To hand the names over, the new one is renamed to
// the front that is free, then the old one back to its own name: at every moment one of them is found.

export const sides = ['a', 'b'] as const;
export type Side = (typeof sides)[number];

const lockWithinMs = 60_000;

/** What the container is called that a service's names lead to. */
export const frontOf = (instanceId: string, stack: string, service: string, side: Side): string =>
  `mooring-${shortHash(instanceId, stack, service)}-${readable(service)}-${side}`;

const stackOf = ({ info }: OwnContainer): string | undefined => info.Config.Labels?.[stackLabel] || undefined;

const frontsOf = ({ instanceId, service }: Owner, stack: string): string[] =>
  sides.map((side) => frontOf(instanceId, stack, service, side));

/** Whether the names of its service lead to it, once it runs. */
export function hasNames(container: OwnContainer): boolean {
  const stack = stackOf(container);
  return stack !== undefined && frontsOf(container.owner, stack).includes(container.info.Name.slice(1));
}

export interface NamedContainer {
  owner: Owner;
  stack: string;
  /** Whether those find it who were started before there was such a service, and have no link for it. */
  isNamedAtOnce: boolean;
}

/** How the container is known on a network of the stack, and whom it knows there. By its own names it always finds itself. */
export function endpointOf(
  { owner, stack, isNamedAtOnce }: NamedContainer,
  { names }: ServiceNetwork,
  side: Side,
): object {
  const self = `mooring-self-${shortHash(owner.instanceId, owner.deploymentId, owner.service, ...(owner.replica ? [String(owner.replica)] : []))}`;
  const links = names.flatMap(({ name, service }) => {
    const target = service === owner.service ? self : frontOf(owner.instanceId, stack, service, side);
    return [...new Set([name, name.toLowerCase()])].map((each) => `${target}:${each}`);
  });
  return { Links: links, Aliases: [self, ...(isNamedAtOnce ? ownNames(owner, names) : [])] };
}

/** On a network that is not the stack's own there is only the one way: it has its names there from its start. */
export const foreignEndpointOf = ({ owner }: NamedContainer, { names }: ServiceNetwork): object => ({
  Aliases: ownNames(owner, names),
});

const ownNames = (owner: Owner, names: ServiceNetwork['names']): string[] =>
  names.filter(({ service }) => service === owner.service).map(({ name }) => name);

/** Who has the names of the services. */
export class ServiceNames {
  readonly #containers: OwnContainers;
  readonly #locks: string;
  readonly #nameOf: (owner: Owner) => string;

  /** `nameOf` says what a container is called that has no names of its service. */
  constructor(containers: OwnContainers, locks: string, nameOf: (owner: Owner) => string) {
    [this.#containers, this.#locks, this.#nameOf] = [containers, locks, nameOf];
  }

  /** Gives it the names of its service. Whatever a call before us has left half done is gone on with. */
  async give(container: OwnContainer): Promise<void> {
    await this.#alone(container, (fronts) => handOver(this.#containers, container, fronts, this.#nameOf));
  }

  /** The same, unless they lead to another one that runs. Whether it has them now. */
  giveIfFree(container: OwnContainer): Promise<boolean> {
    return this.#alone(container, async (fronts) => {
      const holders = await holdersOf(this.#containers, fronts);
      if (holders.some((each) => each.info.Id !== container.info.Id && isUp(each))) return false;
      await handOver(this.#containers, container, fronts, this.#nameOf);
      return true;
    });
  }

  #alone<T>(container: OwnContainer, task: (fronts: string[]) => Promise<T>): Promise<T> {
    const { owner } = container;
    const stack = stackOf(container);
    if (stack === undefined) throw new Error(`${owner.deploymentId}/${owner.service} is not a service of a stack`);
    const fronts = frontsOf(owner, stack);
    const lock = join(this.#locks, `names-${shortHash(...fronts).slice(0, 2)}.lock`);
    return withLock(lock, lockWithinMs, () => task(fronts));
  }
}

async function holdersOf(containers: OwnContainers, fronts: string[]): Promise<OwnContainer[]> {
  const found = await Promise.all(fronts.map((front) => containers.find(front)));
  return found.filter((each) => each !== undefined);
}

async function handOver(
  containers: OwnContainers,
  container: OwnContainer,
  fronts: string[],
  nameOf: (owner: Owner) => string,
): Promise<void> {
  const takeBack = (from: OwnContainer) => containers.rename(from, nameOf(from.owner));
  const holders = await holdersOf(containers, fronts);
  const others = holders.filter(({ info }) => info.Id !== container.info.Id);
  if (others.length === holders.length) {
    // Two others: a handing over that was cut short. The one that goes on for a moment must be one that answers.
    const [kept, ...rest] = others.toSorted((a, b) => Number(isUp(b)) - Number(isUp(a)));
    for (const other of rest) await takeBack(other);
    const free = fronts.find((front) => kept?.info.Name !== `/${front}`)!;
    await containers.rename(container, free);
    if (kept) await takeBack(kept);
  } else for (const other of others) await takeBack(other);
}
