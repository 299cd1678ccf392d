import { ipv4Number, ipv4Range, ipv4Text, rangesOverlap, type AddressRange } from '../../../../lib/addresses.ts';
import type { ServiceSubnet } from '../../runtime.ts';
import type { NetworkInfo } from '../engine/types.ts';

const longestRange = 30;

/** Returns the engine's settings of a network with this subnet. */
export function ipamOf(wanted: ServiceSubnet): object {
  const { subnet, gateway } = wanted;
  const range = rangeBeside(wanted);
  const config = {
    Subnet: subnet,
    // With a range, the engine would take its first address.
    Gateway: gateway ?? ipv4Text(ipv4Range(subnet)!.from + 1),
    ...(range !== null && { IPRange: range }),
  };
  return { IPAM: { Driver: 'default', Config: [config] } };
}

/**
 * Returns the largest part of the range without fixed addresses, the last one of several. Otherwise the engine would
 * give a fixed address to another container while its service is stopped.
 */
export function rangeBeside({
  subnet,
  range,
  fixed,
}: Pick<ServiceSubnet, 'subnet' | 'range' | 'fixed'>): string | null {
  const whole = ipv4Range(range ?? subnet)!;
  const taken = fixed.map(ipv4Number).filter((each) => each >= whole.from && each <= whole.to);
  if (!taken.length) return range;
  for (let bits = whole.bits + 1; bits <= longestRange; bits++) {
    const size = 2 ** (32 - bits);
    for (let from = whole.to + 1 - size; from >= whole.from; from -= size)
      if (!taken.some((each) => each >= from && each < from + size)) return `${ipv4Text(from)}/${bits}`;
  }
  return range;
}

export const rangesOf = ({ IPAM }: Pick<NetworkInfo, 'IPAM'>): AddressRange[] =>
  (IPAM.Config ?? []).flatMap(({ Subnet }) => ipv4Range(Subnet ?? '') ?? []);

/** Whether the network has addresses of one of the subnets. */
export const hasAddressesOf = (network: NetworkInfo, subnets: readonly string[]): boolean =>
  subnets.some((subnet) => rangesOf(network).some((each) => rangesOverlap(each, ipv4Range(subnet)!)));

export type RoutedRange = AddressRange & { interface: string };

/** Reads `/proc/net/route`. Default routes are left out, and so are the halves that a VPN uses as one. */
export function routesIn(text: string): RoutedRange[] {
  return text.split('\n').flatMap((line) => {
    const [name, destination, , , , , , mask] = line.trim().split(/\s+/);
    if (!name || !/^[0-9A-F]{8}$/i.test(destination ?? '') || !/^[0-9A-F]{8}$/i.test(mask ?? '')) return [];
    const bits = Math.clz32(~swapped(mask!));
    const range = ipv4Range(`${ipv4Text(swapped(destination!) >>> 0)}/${bits}`);
    return range && bits > 1 ? [{ from: range.from, to: range.to, interface: name }] : [];
  });
}

/** The kernel prints addresses in the byte order of the processor, which is little-endian where we run. */
const swapped = (hex: string): number => Buffer.from(hex, 'hex').readInt32LE();
