import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isAllowed } from '../../../lib/outbound.ts';

const outward = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);

const isPublic = (address: string): boolean => isAllowed(address, 'public');

/** Returns the public addresses of this machine; none behind a router. */
export const ownAddresses = (): string[] => outward().filter(isPublic);

/** Returns the addresses of this machine as host names of URLs: those that are set, public and private ones. */
export function addressHosts(set: readonly string[] = []): string[] {
  const all = outward().toSorted((one, other) => Number(isPublic(other)) - Number(isPublic(one)));
  // Link-local addresses need a zone, which URLs do not have.
  const reachable = [...set.filter((each) => !each.includes('/')), ...all].filter((each) => !/^fe[89ab]/i.test(each));
  return [...new Set(reachable.map((each) => (isIPv6(each) ? new URL(`http://[${each}]`).hostname : each)))];
}
