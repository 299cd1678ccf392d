import { lookup } from 'node:dns/promises';
import { BlockList, connect, isIP, type Socket } from 'node:net';

// Where we let people send us. Names are resolved once and the address that was checked is the one that is dialled, so that
// a name cannot mean something else a moment later.

/** `private`: other machines of the owner, this one included. `public`: nothing that only we can reach. A list: that, and
 * these ranges, as `10.0.0.0/8`. */
export type Reach = 'private' | 'public' | readonly string[];

export type OutboundCode = 'refused' | 'not_found' | 'unreachable' | 'timeout';

/** The target was not reached, or is not one that we go to. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundCode;

  constructor(code: OutboundCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

type Range = [network: string, prefix: number];

/** Nobody's business in any mode: the cloud's metadata services answer there with the machine's own credentials. */
const neverV4: Range[] = [
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const never = listOf([
  ...neverV4,
  // The same inside of IPv6 addresses: NAT64 and 6to4, and of IPv4-compatible ones the link-local.
  ...neverV4.flatMap(([network, prefix]): Range[] => [
    [`64:ff9b::${network}`, 96 + prefix],
    [`2002:${hexOf(network)}::`, 16 + prefix],
  ]),
  ['::a9fe:0', 112],
  // NAT64 of one's own, where the IPv4 address may be anywhere.
  ['64:ff9b:1::', 48],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  ['ff00::', 8],
  ['::', 128],
]);

/** Machines behind us. The last three carry an IPv4 address inside. */
const inside = listOf([
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

/** Of an IPv4 address, as two groups of an IPv6 one. */
function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function listOf(ranges: Range[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** Whether we go to an address. */
export function isAllowed(address: string, reach: Reach): boolean {
  const family = isIP(address);
  if (!family) return false;
  // Lists of IPv4 also know such an address when it is written as IPv6 (`::ffff:10.0.0.1`).
  const is = (list: BlockList) => list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  if (is(never)) return false;
  if (reach === 'private' || !is(inside)) return true;
  return reach !== 'public' && is(listOf(reach.map(rangeOf)));
}

function rangeOf(text: string): Range {
  const [network = '', prefix] = text.split('/');
  return [network, prefix === undefined ? (isIP(network) === 6 ? 128 : 32) : Number(prefix)];
}

/** The addresses of a host, if we go to all of them: one that is both here and there is up to something. */
export async function resolveOutbound(host: string, reach: Reach): Promise<string[]> {
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

function refusalOf(host: string, addresses: string[], reach: Reach): string {
  const address = addresses.find((each) => !isAllowed(each, reach))!;
  const named = address === host.replace(/^\[(.*)\]$/, '$1') ? host : `${host} (${address})`;
  return isAllowed(address, 'private')
    ? `${named} is refused: it is a private address, and MOORING_ALLOW_PRIVATE_TARGETS does not include it`
    : `${named} is refused: link-local and metadata addresses are never allowed`;
}

type Target = { host: string; port: number; reach: Reach };

/** A TCP connection to the first address that answers. */
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
