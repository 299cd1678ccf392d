import type { Owner, ServiceNetwork, ServiceOptions, ServiceSubnet } from '../../runtime.ts';
import type { Labels } from '../engine/types.ts';
import { labelsOfUser } from '../labels.ts';
import { shortHash } from '../readable-names.ts';
import { endpointOf, foreignEndpointOf, type NameSlot, nameSlots } from '../service/names.ts';

/** Definition of an engine network of ours. */
export interface WantedNetwork {
  name: string;
  /** Which of the engine networks behind the stack's network. */
  side: string;
  isInternal: boolean;
  driver: string;
  labels: Labels;
  options: Labels;
  subnet?: ServiceSubnet;
}

/** A network that a container joins, and its endpoint there. */
export type PlannedEndpoint = { config: object } & ({ own: WantedNetwork } | { externalName: string });

/** Joined by a service that is reached from the host but is otherwise on internal networks only. It leads neither out
 * nor to other containers. */
export const hostOnlyNetwork: WantedNetwork = {
  name: '',
  side: 'reached',
  isInternal: false,
  driver: 'bridge',
  labels: {},
  options: {
    'com.docker.network.bridge.enable_ip_masquerade': 'false',
    'com.docker.network.bridge.enable_icc': 'false',
  },
};

/** Returns the engine networks of a service. */
export function networkPlan(owner: Owner, options: ServiceOptions): PlannedEndpoint[] {
  const named = { ...options, owner };
  return options.networks.flatMap((network): PlannedEndpoint[] => {
    const { externalName } = network;
    if (externalName !== null) return [{ externalName, config: foreignEndpointOf(named, network) }];
    return engineNetworksOf(network).map((own) => ({
      own,
      config: isSide(own.side) ? endpointOf(named, network, own.side) : foreignEndpointOf(named, network),
    }));
  });
}

const isSide = (side: string): side is NameSlot => (nameSlots as readonly string[]).includes(side);

/** Returns the engine networks behind a network of the stack. The first one has its subnet. */
export function engineNetworksOf(network: ServiceNetwork): WantedNetwork[] {
  const { isInternal, subnet } = network;
  const first = (side: string) => ({ ...wantedOf(network, side, isInternal), ...(subnet && { subnet }) });
  if ((network.driver ?? 'bridge') !== 'bridge' || !network.names.length) return [first('only')];
  // The second one is for names only and leads nowhere else.
  return [first(nameSlots[0]), wantedOf(network, nameSlots[1], true)];
}

const wantedOf = ({ name, driver, labels }: ServiceNetwork, side: string, isInternal: boolean): WantedNetwork => ({
  name,
  side,
  isInternal,
  driver: driver ?? 'bridge',
  labels: labelsOfUser(labels),
  options: {},
});

/** Differs for a changed definition: an existing network cannot be modified. */
export function networkDigestOf({ isInternal, driver, options, labels, subnet }: WantedNetwork): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const addresses = subnet ? [subnet.subnet, subnet.gateway, subnet.range] : [];
  return shortHash(JSON.stringify([isInternal, driver, options, sorted, ...addresses]));
}
