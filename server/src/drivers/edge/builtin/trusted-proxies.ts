import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { InvalidProjectError } from './check-project.ts';
import { plainAddress, type Visitor } from './exchange.ts';

/** Proxies whose forwarded headers are trusted. None by default. */
export class TrustedProxies {
  #ranges: readonly string[] = [];
  #list: BlockList | null = null;

  get ranges(): readonly string[] {
    return this.#ranges;
  }

  use(ranges: readonly string[]): void {
    this.#list = listOf(ranges);
    this.#ranges = ranges;
  }

  /** Returns the client that a trusted proxy reports; otherwise the connected peer. */
  visitorBehind(visitor: Visitor, headers: IncomingHttpHeaders, authority: string): Visitor {
    if (!this.trusts(visitor.address)) return visitor;
    const address = this.#clientOf(visitor.address, headers['x-forwarded-for']);
    const proto = lastOf(headers['x-forwarded-proto'])?.toLowerCase();
    if (proto !== 'https' && proto !== 'http') return { ...visitor, address };
    const https = proto === 'https';
    return { ...visitor, address, https, port: portOf(lastOf(headers['x-forwarded-port']), authority, https) };
  }

  trusts(address: string): boolean {
    if (!this.#list) return false;
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }

  /** Each proxy appends its peer, so the last untrusted address is the client: entries before it may be forged. */
  #clientOf(neighbour: string, chain: string | string[] | undefined): string {
    const hops = listed(chain);
    let client = neighbour;
    while (this.trusts(client)) {
      const before = addressIn(hops.pop() ?? '');
      if (before === null) break;
      client = before;
    }
    return client;
  }
}

/** Returns the ranges; throws for anything that is neither an address nor a range. */
export function checkRanges(ranges: unknown): string[] {
  if (!Array.isArray(ranges) || !ranges.every((each) => typeof each === 'string'))
    throw new InvalidProjectError('a list of addresses and ranges is needed');
  try {
    listOf(ranges);
  } catch {
    throw new InvalidProjectError('these are not addresses and ranges');
  }
  return ranges;
}

function listOf(ranges: readonly string[]): BlockList | null {
  if (!ranges.length) return null;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const listed = (value: string | string[] | undefined): string[] =>
  (typeof value === 'string' ? value.split(',') : (value ?? [])).map((each) => each.trim());

const lastOf = (value: string | string[] | undefined): string | undefined => listed(value).at(-1);

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function addressIn(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d[\d.]*):\d+$/.exec(hop)?.[1] ?? hop;
  const address = plainAddress(bare);
  return isIP(address) ? address : null;
}

/** Returns the port that the client connected to, from the header or the authority. */
function portOf(told: string | undefined, authority: string, https: boolean): number {
  const port = Number(told ?? /:(\d+)$/.exec(authority)?.[1]);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : https ? 443 : 80;
}
