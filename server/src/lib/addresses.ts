import { isIPv6 } from 'node:net';

/** Returns the key that rate limits count by: an IPv4 address, or the /64 network of an IPv6 address, which one
 * customer has at least. */
export function addressGroup(ip: string): string {
  if (!ip.includes(':')) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped || !isIPv6(ip)) return mapped ?? ip;
  const [head = '', tail] = ip.split('%')[0]!.split('::');
  const groups = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  const whole = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${whole
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** A block of IPv4 addresses, both ends included. */
export interface AddressRange {
  from: number;
  to: number;
}

const part = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const addressPattern = new RegExp(`^${part}(?:\\.${part}){3}$`);
const blockPattern = new RegExp(`^(${part}(?:\\.${part}){3})/(3[0-2]|[12]?\\d)$`);

export const isIpv4 = (text: string): boolean => addressPattern.test(text);

export const ipv4Number = (address: string): number =>
  address.split('.').reduce((total, each) => total * 256 + Number(each), 0);

export const ipv4Text = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** Reads `10.1.0.0/16`; undefined for anything else. Bits of a host are dropped, as Docker does. */
export function ipv4Range(cidr: string): (AddressRange & { bits: number; text: string }) | undefined {
  const [, address, bits] = blockPattern.exec(cidr) ?? [];
  if (address === undefined) return undefined;
  const span = 2 ** (32 - Number(bits));
  const from = Math.floor(ipv4Number(address) / span) * span;
  return { from, to: from + span - 1, bits: Number(bits), text: `${ipv4Text(from)}/${bits}` };
}

export const rangesOverlap = (a: AddressRange, b: AddressRange): boolean => a.from <= b.to && a.to >= b.from;

export const rangeCovers = (outer: AddressRange, inner: AddressRange): boolean =>
  outer.from <= inner.from && outer.to >= inner.to;

// Not by ipv4Range, whose expression takes milliseconds to compile at the start.
const blockOf = (network: string, bits: number): AddressRange => {
  const from = ipv4Number(network);
  return { from, to: from + 2 ** (32 - bits) - 1 };
};

const privateRanges = [
  blockOf('10.0.0.0', 8),
  blockOf('100.64.0.0', 10),
  blockOf('172.16.0.0', 12),
  blockOf('192.168.0.0', 16),
];
// A metadata service that returns the machine's own credentials.
const metadata = blockOf('100.100.100.200', 32);

/** Whether all its addresses are for private networks. */
export const isPrivate = (range: AddressRange): boolean =>
  privateRanges.some((each) => rangeCovers(each, range)) && !rangesOverlap(range, metadata);
