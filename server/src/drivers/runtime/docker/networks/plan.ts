import type { Owner, ServiceNetwork, ServiceOptions } from '../../runtime.ts';
import type { Labels } from '../engine/types.ts';
import { labelsOfUser } from '../labels.ts';
import { shortHash } from '../readable-names.ts';
import { endpointOf, foreignEndpointOf, sides } from '../service/names.ts';

/** What the engine is told of a network of ours. */
export interface WantedNetwork {
  name: string;
  /** Which of the engine networks that make up this one. */
  side: string;
  isInternal: boolean;
  driver: string;
  labels: Labels;
  options: Labels;
}

/** A network that a container is to be on, and how it is known there. */
export type Planned = { config: object } & ({ own: WantedNetwork } | { externalName: string });

/** Joined by what is reached from the machine and is else on closed networks only. Over it nobody gets out, and nobody gets
 * to another container. */
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

/** The networks of the engine that a service is on. */
export function networkPlan(owner: Owner, options: ServiceOptions): Planned[] {
  const named = { ...options, owner };
  return options.networks.flatMap((network): Planned[] => {
    const { externalName } = network;
    if (externalName !== null) return [{ externalName, config: foreignEndpointOf(named, network) }];
    if ((network.driver ?? 'bridge') !== 'bridge' || !network.names.length)
      return [{ own: wantedOf(network, 'only', network.isInternal), config: foreignEndpointOf(named, network) }];
    return sides.map((side) => {
      // The second is for names alone: it leads nowhere else.
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

/** Another one for another network: what is there cannot be changed. */
export function networkDigestOf({ isInternal, driver, options, labels }: WantedNetwork): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return shortHash(JSON.stringify([isInternal, driver, options, sorted]));
}
