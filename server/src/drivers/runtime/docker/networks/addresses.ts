import { networkInterfaces } from 'node:os';

// 10.120.0.0/13 in blocks of 64 addresses: eight thousand networks, in a range that clouds and offices rarely use.
const first = (10 << 24) + (120 << 16);
const size = 64;
const count = (1 << 19) / size;
const mostTries = 200;

/** Returns unused subnets, as far as we can see. The engine rejects one that conflicts. */
export function freeSubnets(taken: string[]): string[] {
  const here = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const used = [...taken, ...here.flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? [cidr] : []))]
    .filter((cidr) => cidr.includes('.'))
    .map(rangeOf);
  const free: string[] = [];
  for (let i = 0; i < count && free.length < mostTries; i++) {
    const [from, to] = [first + i * size, first + (i + 1) * size - 1];
    if (!used.some((range) => range.from <= to && range.to >= from)) free.push(`${dotted(from)}/26`);
  }
  return free;
}

function rangeOf(cidr: string): { from: number; to: number } {
  const [address, bits] = cidr.split('/') as [string, string | undefined];
  const span = 2 ** (32 - Number(bits ?? 32));
  const number = address.split('.').reduce((total, part) => total * 256 + Number(part), 0);
  const from = Math.floor(number / span) * span;
  return { from, to: from + span - 1 };
}

const dotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
