import { readFile } from 'node:fs/promises';

/** A listening TCP socket. */
export type ListeningSocket = { address: string; port: number; uid: number; inode: string };

const listenState = '0A';

/** Parses the listening sockets in `/proc/<pid>/net/tcp` and `tcp6`. */
export const listeningSockets = (table: string): ListeningSocket[] =>
  table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid, , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== listenState || !/^(?:[\dA-F]{8}|[\dA-F]{32})$/.test(address)) return [];
    return { address: addressOf(address), port: Number.parseInt(port, 16), uid: Number(uid), inode };
  });

/** Returns the sockets that accept connections to `host:port` of this machine. An IPv6 socket accepts IPv4
 * connections only where no IPv4 socket is bound. */
export async function listeningOn(host: string, port: number): Promise<ListeningSocket[]> {
  const [tcp, tcp6] = await tables();
  const found = listeningSockets(linesOf(tcp, port)).filter(({ address }) => ['0.0.0.0', host].includes(address));
  if (found.length) return found;
  return listeningSockets(linesOf(tcp6, port)).filter(({ address }) => ['::', host].includes(address));
}

/** Most lines on a busy machine are connections to other ports, so only the relevant ones are parsed. */
function linesOf(table: string, port: number): string {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return (table.match(new RegExp(`^ *\\d+: [\\dA-F]+:${hexPort} .*$`, 'gm')) ?? []).join('\n');
}

let reading: Promise<[string, string]> | undefined;

/** Reading takes milliseconds with thousands of connections, so concurrent callers share one read. */
function tables(): Promise<[string, string]> {
  reading ??= Promise.all([readFile('/proc/net/tcp', 'latin1'), readTcp6()]).finally(() => (reading = undefined));
  return reading;
}

/** Missing on a machine without IPv6. */
const readTcp6 = (): Promise<string> =>
  readFile('/proc/net/tcp6', 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** The kernel prints each 32 bits of an address in host byte order, little-endian on amd64 and arm64. */
function addressOf(hex: string): string {
  const bytes = hex.match(/.{8}/g)!.flatMap((word) => word.match(/../g)!.toReversed());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! + bytes[2 * i + 1]!);
  // The usual notation of `::`, `::1` and `::ffff:127.0.0.1`.
  const url = new URL(`http://[${groups.join(':')}]`);
  const short = url.hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short);
  if (!mapped) return short;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';
