import { readFile } from 'node:fs/promises';

/** A TCP socket that takes connections. */
export type ListeningSocket = { address: string; port: number; uid: number; inode: string };

const listenState = '0A';

/** The listening sockets in the text of `/proc/<pid>/net/tcp` and `tcp6`. */
export const listeningSockets = (table: string): ListeningSocket[] =>
  table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid, , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== listenState || !/^(?:[\dA-F]{8}|[\dA-F]{32})$/.test(address)) return [];
    return { address: addressOf(address), port: Number.parseInt(port, 16), uid: Number(uid), inode };
  });

/** Which sockets take connections to `host:port` of this machine. One of IPv6 takes those to an IPv4 address only where none
 * of IPv4 is bound. */
export async function listeningOn(host: string, port: number): Promise<ListeningSocket[]> {
  const [tcp, tcp6] = await tables();
  const found = listeningSockets(linesOf(tcp, port)).filter(({ address }) => ['0.0.0.0', host].includes(address));
  if (found.length) return found;
  return listeningSockets(linesOf(tcp6, port)).filter(({ address }) => ['::', host].includes(address));
}

/** Most lines of a busy machine are connections to other ports: only the ones in question are parsed. */
function linesOf(table: string, port: number): string {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return (table.match(new RegExp(`^ *\\d+: [\\dA-F]+:${hexPort} .*$`, 'gm')) ?? []).join('\n');
}

let reading: Promise<[string, string]> | undefined;

/** With thousands of connections to read them takes milliseconds: who asks at the same time shares one reading. */
function tables(): Promise<[string, string]> {
  reading ??= Promise.all([readFile('/proc/net/tcp', 'latin1'), readTcp6()]).finally(() => (reading = undefined));
  return reading;
}

/** A machine without IPv6 has none. */
const readTcp6 = (): Promise<string> =>
  readFile('/proc/net/tcp6', 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** The kernel prints each 32 bits of an address in the byte order of the machine, which is little-endian on amd64 and arm64. */
function addressOf(hex: string): string {
  const bytes = hex.match(/.{8}/g)!.flatMap((word) => word.match(/../g)!.toReversed());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! + bytes[2 * i + 1]!);
  // `::`, `::1` and `::ffff:127.0.0.1` as people write them.
  const url = new URL(`http://[${groups.join(':')}]`);
  const short = url.hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short);
  if (!mapped) return short;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';
