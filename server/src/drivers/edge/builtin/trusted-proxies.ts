import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { InvalidProjectError } from './check-project.ts';
import { plainAddress, type Visitor } from './exchange.ts';

/** Those in front of us who are believed when they say for whom they ask. Nobody is, unless somebody has said so. */
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

  /** Who asks, `authority` and all, where a trusted one asks for somebody; otherwise whoever is connected to us. */
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

  /** Each adds whom it was asked by at the end. So the last one that is not trusted is the client: what stands before it
   * may be made up. */
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

/** As they are told; an error for what is no address and no range. */
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

/** Some say the port, too: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function addressIn(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d[\d.]*):\d+$/.exec(hop)?.[1] ?? hop;
  const address = plainAddress(bare);
  return isIP(address) ? address : null;
}

/** The port that the visitor came to: as it is told, or as it stands in the address. */
function portOf(told: string | undefined, authority: string, https: boolean): number {
  const port = Number(told ?? /:(\d+)$/.exec(authority)?.[1]);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : https ? 443 : 80;
}
