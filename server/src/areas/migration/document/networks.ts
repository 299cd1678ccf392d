import type { ContainerFacts, NetworkFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { composeLabel } from '../stack/platforms.ts';
import { freeName } from './names.ts';
import type { ServiceFields } from './service-fields.ts';
import { fieldUnlessEmpty } from './service-fields.ts';

/** Networks that every engine has. */
const builtIn = new Set(['bridge', 'host', 'none', 'ingress', 'default', 'docker_gwbridge']);

export const ownNetworksOf = ({ NetworkSettings: { Networks } }: ContainerFacts): string[] =>
  Object.keys(Networks).filter((name) => !builtIn.has(name));

/** A network of the engine in the project. */
export interface PlannedNetwork {
  key: string;
  /** Stays external because other containers use it too. */
  isExternal: boolean;
  isInternal: boolean;
  /** Other containers on it. */
  others: string[];
}

/** Decides for each network whether it becomes the project's or stays external. */
export function planNetworks(chosen: readonly ContainerFacts[], survey: EngineSurvey): Map<string, PlannedNetwork> {
  const ids = new Set(chosen.map(({ Id }) => Id));
  const taken = new Set<string>();
  const names = [...new Set(chosen.flatMap(ownNetworksOf))].toSorted();
  return new Map(
    names.map((name) => {
      const facts = survey.networks.find((network) => network.Name === name);
      const others = survey.containers.filter(
        ({ Id, NetworkSettings }) => !ids.has(Id) && name in NetworkSettings.Networks,
      );
      // Networks other than bridges extend beyond this machine and cannot be recreated.
      const isExternal = isJoinable(facts) && (others.length > 0 || (facts !== undefined && facts.Driver !== 'bridge'));
      const key = freeName(isExternal ? name : (facts?.Labels[composeLabel('network')] ?? name), taken);
      return [
        name,
        {
          key,
          isExternal,
          isInternal: facts?.Internal ?? false,
          others: others.map(({ Name }) => Name.replace(/^\//, '')),
        },
      ];
    }),
  );
}

/** Whether containers may join the network: some are only for services of a Swarm. */
const isJoinable = (facts: NetworkFacts | undefined): boolean => facts?.Driver !== 'overlay' || facts.Attachable;

/** Returns the networks section. */
export const networksSection = (plan: Map<string, PlannedNetwork>): Record<string, object> =>
  Object.fromEntries(
    [...plan].map(([name, { key, isExternal, isInternal }]) => [
      key,
      isExternal ? { external: true, name } : fieldUnlessEmpty('internal', isInternal),
    ]),
  );

/** Returns the addresses that were chosen for a container, which the project's own networks cannot have meanwhile. */
export const fixedAddressesOf = ({ NetworkSettings: { Networks } }: ContainerFacts): string[] =>
  Object.values(Networks).flatMap(({ IPAMConfig }) =>
    IPAMConfig ? [IPAMConfig.IPv4Address, IPAMConfig.IPv6Address].filter(Boolean) : [],
  );

/**
 * Returns networks and aliases of a container. Its own name becomes an alias, since the new container has another
 * name.
 */
export function networkFields(
  container: ContainerFacts,
  service: string,
  plan: Map<string, PlannedNetwork>,
): ServiceFields {
  const entries = ownNetworksOf(container).map((name) => {
    const { Aliases } = container.NetworkSettings.Networks[name]!;
    const known = new Set([...Aliases, container.Name.replace(/^\//, '')]);
    const aliases = [...known].filter((alias) => alias && alias !== service && !container.Id.startsWith(alias));
    return [plan.get(name)!.key, fieldUnlessEmpty('aliases', aliases)] as const;
  });
  return fieldUnlessEmpty('networks', Object.fromEntries(entries));
}
