import type { Owner, ServiceNetwork, ServiceOptions } from '../../runtime.ts';
import type { Labels } from '../engine/types.ts';
import { labelsOfUser } from '../labels.ts';
import { shortHash } from '../readable-names.ts';
import { endpointOf, foreignEndpointOf, sides } from '../service/names.ts';

/** Definition of an engine network of ours. */
export interface WantedNetwork {
  name: string;
  /** Which of the engine networks behind the stack's network. */
  side: string;
  isInternal: boolean;
  driver: string;
  labels: Labels;
  options: Labels;
}

/** A network that a container joins, and its endpoint there. */
export type Planned = { config: object } & ({ own: WantedNetwork } | { externalName: string });

/** Joined by a service that is reached from the host but is otherwise on internal networks only. It leads neither out
 * nor to other containers. */
export const onlyReached: WantedNetwork = {
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
export function networkPlan(owner: Owner, options: ServiceOptions): Planned[] {
  const named = { ...options, owner };
  return options.networks.flatMap((network): Planned[] => {
    const { externalName } = network;
    if (externalName !== null) return [{ externalName, config: foreignEndpointOf(named, network) }];
    if ((network.driver ?? 'bridge') !== 'bridge' || !network.names.length)
      return [{ own: wantedOf(network, 'only', network.isInternal), config: foreignEndpointOf(named, network) }];
    return sides.map((side) => {
      // The second one is for names only and leads nowhere else.
      const isInternal = network.isInternal || side !== sides[0];
      return { own: wantedOf(network, side, isInternal), config: endpointOf(named, network, side) };
    });
  });
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
export function networkDigestOf({ isInternal, driver, options, labels }: WantedNetwork): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return shortHash(JSON.stringify([isInternal, driver, options, sorted]));
}
