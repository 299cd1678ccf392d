import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { withLock } from '../../records/locks.ts';
import type { RuntimePaths } from '../../records/paths.ts';
import type { Owner, ServiceNetwork, ServiceOptions, SubnetConflict } from '../../runtime.ts';
import type { ReadProc } from '../container-sockets.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import type { NetworkInfo } from '../engine/types.ts';
import {
  instanceLabel,
  networkLabel,
  projectLabel,
  projectLabels,
  roleLabel,
  sideLabel,
  specLabel,
  stackLabel,
} from '../labels.ts';
import { createNetwork, listNetworks, removeNetwork } from './create.ts';
import type { OwnContainer, OwnContainers } from '../own-containers.ts';
import { readableName, shortHash } from '../readable-names.ts';
import { createWithSubnet, subnetConflicts } from './conflicts.ts';
import { engineNetworksOf, networkDigestOf, networkPlan, hostOnlyNetwork, type WantedNetwork } from './plan.ts';
import { hasAddressesOf } from './subnets.ts';

/** An engine network of a container, and its endpoint settings. */
export interface NetworkEndpoint {
  network: string;
  isInternal: boolean;
  config: object;
}

const lockWithinMs = 60_000;

/** Networks of stacks. Each consists of two engine networks where names are resolved (see service/names.ts). */
export class StackNetworks {
  readonly #engine: EngineClient;
  readonly #containers: OwnContainers;
  readonly #instanceId: string;
  readonly #places: RuntimePaths;

  constructor(engine: EngineClient, containers: OwnContainers, instanceId: string, places: RuntimePaths) {
    [this.#engine, this.#containers, this.#instanceId, this.#places] = [engine, containers, instanceId, places];
  }

  /** Runs the task, which creates a container on these networks, while they cannot be removed. */
  within<T>(
    owner: Owner,
    options: ServiceOptions,
    isReached: boolean,
    task: (on: NetworkEndpoint[]) => Promise<T>,
  ): Promise<T> {
    return this.#alone(options.stack, async () => task(await this.#endpoints(owner, options, isReached)));
  }

  /** Removes networks without containers, running or not. */
  async sweep(containers: OwnContainer[]): Promise<void> {
    const isUnused = unusedBy(containers);
    const unused = (await this.#list()).filter(isUnused);
    for (const stack of new Set(unused.map(stackOf)))
      await this.#alone(stack, async () => {
        const isStillUnused = unusedBy(await this.#containers.list());
        for (const network of await this.#list())
          if (stackOf(network) === stack && isStillUnused(network)) await removeNetwork(this.#engine, network);
      });
  }

  /** External networks first, then by name, so that the engine always picks the same one for published ports. */
  async #endpoints(owner: Owner, options: ServiceOptions, isReached: boolean): Promise<NetworkEndpoint[]> {
    const known = await this.#list(options.stack);
    const ensure = async (own: WantedNetwork, config: object): Promise<NetworkEndpoint> => ({
      network: await this.#ensure(owner, options, own, known),
      isInternal: own.isInternal,
      config,
    });
    const endpoints: NetworkEndpoint[] = [];
    for (const { config, ...planned } of networkPlan(owner, options))
      endpoints.push(
        'own' in planned
          ? await ensure(planned.own, config)
          : await this.#external(owner, planned.externalName, config),
      );
    if (isReached && endpoints.every(({ isInternal }) => isInternal)) endpoints.push(await ensure(hostOnlyNetwork, {}));
    return endpoints.toSorted(
      (a, b) => Number(a.isInternal) - Number(b.isInternal) || (a.network < b.network ? -1 : 1),
    );
  }

  /** Returns its engine name. A changed definition makes a new network. */
  async #ensure(
    owner: Owner,
    { stack, reservedSubnets = [] }: ServiceOptions,
    wanted: WantedNetwork,
    known: NetworkInfo[],
  ): Promise<string> {
    const { name, side, isInternal, driver, options, labels } = wanted;
    const spec = networkDigestOf(wanted);
    const isIt = isNetwork(wanted);
    const found = known.find(isIt);
    if (found) return found.Name;
    const ours = { [stackLabel]: stack, [networkLabel]: name, [sideLabel]: side, [specLabel]: spec };
    const body = {
      Name: `mooring-${shortHash(this.#instanceId, stack)}-${readableName(name)}-${side}-${randomBytes(4).toString('hex')}`,
      Driver: driver,
      Internal: isInternal,
      Options: options,
      Labels: { ...labels, ...projectLabels(owner), ...ours },
    };
    if (!(wanted.subnet && (await createWithSubnet(this.#engine, body, { ...wanted, subnet: wanted.subnet }, known))))
      await createNetwork(this.#engine, body, reservedSubnets);
    const [oldest, ...others] = (await this.#list(stack)).filter(isIt);
    for (const other of others) await removeNetwork(this.#engine, other);
    return oldest!.Name;
  }

  /** Returns which of these networks cannot have their subnets. */
  async conflicts(
    stack: string,
    networks: readonly ServiceNetwork[],
    readProc: ReadProc | undefined,
  ): Promise<SubnetConflict[]> {
    const known = await this.#list(stack);
    const wanted = networks.filter(({ externalName }) => externalName === null).flatMap(engineNetworksOf);
    const missing = wanted.filter((each) => each.subnet && !known.some(isNetwork(each)));
    return subnetConflicts(this.#engine, { missing, known, instanceId: this.#instanceId, readProc });
  }

  async #external(owner: Owner, externalName: string, config: object): Promise<NetworkEndpoint> {
    const path = `/networks/${encodeURIComponent(externalName)}`;
    const found = await undefinedIfGone(this.#engine.json<NetworkInfo>({ method: 'GET', path }));
    if (!found) throw new Error(`there is no network ${externalName} in the engine`);
    const { [instanceLabel]: instance, [projectLabel]: project } = found.Labels ?? {};
    if (instance !== undefined && (instance !== this.#instanceId || project !== owner.projectId))
      throw new Error(`the network ${externalName} belongs to another project`);
    if (found.Driver === 'host' || found.Driver === 'null')
      throw new Error(`${externalName} is a network mode, not a network`);
    // The engine's default bridge does not resolve names.
    return { network: found.Name, isInternal: found.Internal, config: found.Name === 'bridge' ? {} : config };
  }

  async #list(stack?: string): Promise<NetworkInfo[]> {
    const all = await listNetworks(this.#engine, this.#instanceId, stack === undefined ? {} : { stack });
    return all.filter(({ Labels }) => Labels?.[roleLabel] === undefined);
  }

  #alone<T>(stack: string, task: () => Promise<T>): Promise<T> {
    const file = `stack-${shortHash(this.#instanceId, stack).slice(0, 2)}.lock`;
    return withLock(join(this.#places.locks, file), lockWithinMs, task);
  }
}

/** Recognizes the engine's network. One whose subnet was taken has other addresses, and cannot give fixed ones. */
const isNetwork =
  (wanted: WantedNetwork) =>
  (network: NetworkInfo): boolean => {
    const labels = network.Labels ?? {};
    const isSame =
      labels[networkLabel] === wanted.name &&
      labels[sideLabel] === wanted.side &&
      labels[specLabel] === networkDigestOf(wanted);
    return isSame && (!wanted.subnet?.fixed.length || hasAddressesOf(network, [wanted.subnet.subnet]));
  };

/** Empty for the network of a 0.1.0 app. */
const stackOf = ({ Labels }: NetworkInfo): string => Labels?.[stackLabel] ?? '';

/** A container that was never started knows its networks only by name. */
function unusedBy(containers: OwnContainer[]): (network: NetworkInfo) => boolean {
  const used = containers.flatMap(({ info }) =>
    Object.entries(info.NetworkSettings.Networks ?? {}).flatMap(([name, { NetworkID }]) => [name, NetworkID]),
  );
  return ({ Id, Name }) => !used.includes(Id) && !used.includes(Name);
}
