import { lookup } from 'node:dns/promises';
import { BlockList, connect, isIP, type Socket } from 'node:net';

// Restricts user-supplied targets. Names are resolved once and the checked address is the one dialed, so that a DNS
// change cannot redirect the connection.

/** `private`: also private addresses, including this machine. `public`: public addresses only. A list: public
 * addresses and these ranges, such as `10.0.0.0/8`. */
export type OutboundReach = 'private' | 'public' | readonly string[];

export type OutboundCode = 'refused' | 'not_found' | 'unreachable' | 'timeout';

/** The target is unreachable or not allowed. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundCode;

  constructor(code: OutboundCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type Range = [network: string, prefix: number];

/** Forbidden in every mode: cloud metadata services there return the machine's own credentials. */
const neverV4: Range[] = [
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const never = lazyListOf([
  ...neverV4,
  // The same ranges embedded in IPv6: NAT64 and 6to4, and for IPv4-compatible addresses the link-local range.
  ...neverV4.flatMap(([network, prefix]): Range[] => [
    [`64:ff9b::${network}`, 96 + prefix],
    [`2002:${hexOf(network)}::`, 16 + prefix],
  ]),
  ['::a9fe:0', 112],
  // Local-use NAT64, where the position of the IPv4 address varies.
  ['64:ff9b:1::', 48],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  ['ff00::', 8],
  ['::', 128],
]);

/** Private networks. The last three embed an IPv4 address. */
const inside = lazyListOf([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['::1', 128],
  ['fc00::', 7],
  ['64:ff9b::', 32],
  ['2001::', 32],
  ['2002::', 16],
]);

/** Encodes an IPv4 address as two groups of an IPv6 address. */
function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** Built when it is first used: at the start, it would take a millisecond. */
function lazyListOf(ranges: Range[]): () => BlockList {
  let built: BlockList | undefined;
  return () => (built ??= listOf(ranges));
}

function listOf(ranges: Range[]): BlockList {
  const blocks = new BlockList();
  for (const [network, prefix] of ranges) blocks.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4');
  return blocks;
}

/** Whether connections to an address are allowed. */
export function isAllowed(address: string, reach: OutboundReach): boolean {
  const family = isIP(address);
  if (!family) return false;
  // IPv4 lists also match IPv4-mapped addresses (`::ffff:10.0.0.1`).
  const is = (list: BlockList) => list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  if (is(never())) return false;
  if (reach === 'private' || !is(inside())) return true;
  return reach !== 'public' && is(listOf(reach.map(rangeOf)));
}

function rangeOf(text: string): Range {
  const [network = '', prefix] = text.split('/');
  return [network, prefix === undefined ? (isIP(network) === 6 ? 128 : 32) : Number(prefix)];
}

/** Returns the addresses of a host if all are allowed: a mix of public and private ones is suspicious. */
export async function resolveOutbound(host: string, reach: OutboundReach): Promise<string[]> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const found = isIP(bare)
    ? [{ address: bare }]
    : await lookup(bare, { all: true }).catch((error: NodeJS.ErrnoException) => {
        throw new OutboundError('not_found', `${host} has no DNS record (${error.code ?? error.message})`);
      });
  const addresses = found.map(({ address }) => address);
  if (!addresses.length) throw new OutboundError('not_found', `${host} has no A or AAAA record`);
  if (addresses.some((address) => !isAllowed(address, reach)))
    throw new OutboundError('refused', refusalOf(host, addresses, reach));
  return addresses;
}

function refusalOf(host: string, addresses: string[], reach: OutboundReach): string {
  const address = addresses.find((each) => !isAllowed(each, reach))!;
  const named = address === host.replace(/^\[(.*)\]$/, '$1') ? host : `${host} (${address})`;
  return isAllowed(address, 'private')
    ? `${named} is refused: it is a private address, and MOORING_ALLOW_PRIVATE_TARGETS does not include it`
    : `${named} is refused: link-local and metadata addresses are never allowed`;
}

type Target = { host: string; port: number; reach: OutboundReach };

/** Opens a TCP connection to the first address that responds. */
export async function connectOutbound(
  { host, port, reach }: Target,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
): Promise<Socket> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const stop = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const tooLate = () => new OutboundError('timeout', `${host}:${port} did not answer within ${deadlineMs / 1000} s`);
  const addresses = await Promise.race([resolveOutbound(host, reach), aborted(stop)]).catch((error: unknown) => {
    throw deadline.aborted ? tooLate() : error;
  });
  let last: unknown;
  for (const address of addresses) {
    try {
      return await dial(address, port, stop);
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.aborted) throw tooLate();
      last = error;
    }
  }
  const { code, message } = last as NodeJS.ErrnoException;
  throw new OutboundError('unreachable', `${host}:${port} cannot be reached (${code ?? message})`, { cause: last });
}

function dial(address: string, port: number, stop: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    const end = () => socket.destroy(stop.reason as Error);
    stop.addEventListener('abort', end, { once: true });
    const settle = (act: () => void) => () => {
      stop.removeEventListener('abort', end);
      act();
    };
    socket.once(
      'connect',
      settle(() => resolve(socket)),
    );
    socket.once('error', (error) => settle(() => reject(error))());
    if (stop.aborted) end();
  });
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });

const certificateError = /^(ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME)/;

/** Says what is wrong with the certificate of a server; undefined for other errors of a connection. */
export function certificateTrouble(code: string): string | undefined {
  if (!certificateError.test(code)) return undefined;
  if (code === 'CERT_HAS_EXPIRED') return `has expired (${code})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `is for another host name; check the address (${code})`;
  return `is not trusted; for a private authority, start Mooring with NODE_EXTRA_CA_CERTS set to its CA file (${code})`;
}
