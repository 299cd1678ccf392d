import { readFile } from 'node:fs/promises';

/** A socket that waits for connections, as the kernel lists it. */
export interface ListeningSocket {
  inode: string;
  uid: number;
}

const listening = '0A';
const anyAddress = { tcp: '00000000', tcp6: '0'.repeat(32) };

/** Which sockets take connections to `host:port` of this machine. One of IPv6 takes those to an IPv4 address only where none
 * of IPv4 is bound. */
export async function listeningOn(host: string, port: number): Promise<ListeningSocket[]> {
  const [tcp, tcp6] = await tables();
  const address = host
    .split('.')
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
    .toReversed()
    .join('');
  const found = socketsIn(tcp, port, [anyAddress.tcp, address]);
  return found.length ? found : socketsIn(tcp6, port, [anyAddress.tcp6, `0000000000000000FFFF0000${address}`]);
}

function socketsIn(table: string, port: number, addresses: string[]): ListeningSocket[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return addresses.flatMap((address) => {
    const found: ListeningSocket[] = [];
    const local = ` ${address}:${hexPort} `;
    for (let at = table.indexOf(local); at !== -1; at = table.indexOf(local, at + 1)) {
      const end = table.indexOf('\n', at);
      const fields = table
        .slice(at, end === -1 ? undefined : end)
        .trim()
        .split(/\s+/);
      // local, remote, state, queues, timer, retransmits, uid, timeout, inode
      if (fields[2] === listening) found.push({ uid: Number(fields[6]), inode: fields[8]! });
    }
    return found;
  });
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
