import { networkInterfaces } from 'node:os';
import { ipv4Range, ipv4Text, rangesOverlap } from '../../../../lib/addresses.ts';

// 10.120.0.0/13 in blocks of 64 addresses: eight thousand networks, in a range that clouds and offices rarely use.
const first = (10 << 24) + (120 << 16);
const size = 64;
const count = (1 << 19) / size;
const mostTries = 200;

/** Returns unused subnets, as far as we can see. The engine rejects one that conflicts. */
export function freeSubnets(taken: string[]): string[] {
  const here = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const used = [...taken, ...here.flatMap(({ cidr }) => cidr ?? [])].flatMap((cidr) => ipv4Range(cidr) ?? []);
  const free: string[] = [];
  for (let i = 0; i < count && free.length < mostTries; i++) {
    const [from, to] = [first + i * size, first + (i + 1) * size - 1];
    if (!used.some((range) => rangesOverlap(range, { from, to }))) free.push(`${ipv4Text(from)}/26`);
  }
  return free;
}
