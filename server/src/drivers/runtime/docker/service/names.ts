import { join } from 'node:path';
import { withLock } from '../../records/locks.ts';
import type { Owner, ServiceNetwork } from '../../runtime.ts';
import { stackLabel } from '../labels.ts';
import { isUp, type OwnContainer, type OwnContainers } from '../own-containers.ts';
import { readableName, shortHash } from '../readable-names.ts';

// Switches a name from one container to another without a gap. Each network of a stack consists of two engine
// networks, and every container is on both. On one of them `api` is a link to the container named `<front of api>-a`,
// on the other to `<front of api>-b`; links are resolved at lookup, and a miss on one falls through to the other. The
// container that holds a service's names has one of these two names. To hand them over, the new container is renamed
// to the free front, then the old one back to its own name: one of them is found at every moment.

export const nameSlots = ['a', 'b'] as const;
export type NameSlot = (typeof nameSlots)[number];

const lockWithinMs = 60_000;

/** Container name that a service's names resolve to. */
export const namedContainerName = (instanceId: string, stack: string, service: string, side: NameSlot): string =>
  `mooring-${shortHash(instanceId, stack, service)}-${readableName(service)}-${side}`;

const stackOf = ({ info }: OwnContainer): string | undefined => info.Config.Labels?.[stackLabel] || undefined;

const frontsOf = ({ instanceId, service }: Owner, stack: string): string[] =>
  nameSlots.map((side) => namedContainerName(instanceId, stack, service, side));

/** Whether the names of its service resolve to it, once it runs. */
export function hasNames(container: OwnContainer): boolean {
  const stack = stackOf(container);
  return stack !== undefined && frontsOf(container.owner, stack).includes(container.info.Name.slice(1));
}

export interface NamedContainer {
  owner: Owner;
  stack: string;
  /** Whether it gets aliases too, for containers started before this service existed, which have no link to it. */
  isNamedAtOnce: boolean;
}

/** Returns its endpoint on a network of the stack: its aliases, and links to the other services. It always resolves
 * its own names to itself. */
export function endpointOf(
  { owner, stack, isNamedAtOnce }: NamedContainer,
  { names, address }: ServiceNetwork,
  side: NameSlot,
): object {
  const self = `mooring-self-${shortHash(owner.instanceId, owner.deploymentId, owner.service, ...(owner.replica ? [String(owner.replica)] : []))}`;
  const links = names.flatMap(({ name, service }) => {
    const target = service === owner.service ? self : namedContainerName(owner.instanceId, stack, service, side);
    return [...new Set([name, name.toLowerCase()])].map((each) => `${target}:${each}`);
  });
  const own = side === nameSlots[0] ? addressOf(address) : {};
  return { Links: links, Aliases: [self, ...(isNamedAtOnce ? ownNames(owner, names) : [])], ...own };
}

/** A network outside the stack allows aliases only, which it has from the start. */
export const foreignEndpointOf = ({ owner }: NamedContainer, { names, address }: ServiceNetwork): object => ({
  Aliases: ownNames(owner, names),
  ...addressOf(address),
});

const addressOf = (address: string | undefined): object =>
  address === undefined ? {} : { IPAMConfig: { IPv4Address: address } };

const ownNames = (owner: Owner, names: ServiceNetwork['names']): string[] =>
  names.filter(({ service }) => service === owner.service).map(({ name }) => name);

/** Assigns the names of services to containers. */
export class ServiceNames {
  readonly #containers: OwnContainers;
  readonly #locks: string;
  readonly #nameOf: (owner: Owner) => string;

  /** `nameOfPicked` returns the name of a container that does not hold its service's names. */
  constructor(containers: OwnContainers, locks: string, nameOf: (owner: Owner) => string) {
    [this.#containers, this.#locks, this.#nameOf] = [containers, locks, nameOf];
  }

  /** Gives it the names of its service. Continues where an interrupted call stopped. */
  async give(container: OwnContainer): Promise<void> {
    await this.#alone(container, (fronts) => handOver(this.#containers, container, fronts, this.#nameOf));
  }

  /** Like `give`, unless they resolve to another running container. Returns whether it holds them now. */
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
    // Two others: an interrupted hand-over. Keep the one that is up until the rename.
    const [kept, ...rest] = others.toSorted((a, b) => Number(isUp(b)) - Number(isUp(a)));
    for (const other of rest) await takeBack(other);
    const free = fronts.find((front) => kept?.info.Name !== `/${front}`)!;
    await containers.rename(container, free);
    if (kept) await takeBack(kept);
  } else for (const other of others) await takeBack(other);
}
