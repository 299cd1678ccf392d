import { createSocket } from 'node:dgram';
import { type AddressInfo, isIP } from 'node:net';

/** A name server that says what a test likes, also something else each time. */
export interface NameServer {
  /** `127.0.0.1:<port>`, for `MOORING_DNS_SERVERS`. */
  address: string;
  close(): Promise<void>;
}

const types = { 1: 4, 28: 6 } as Record<number, number>;

/** `lead` gives the addresses of a name for the first, second, third question for it of a kind. */
export async function startNameServer(lead: (name: string, question: number) => string[]): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const end = message.indexOf(0, 12) + 5;
    const type = message.readUInt16BE(end - 4);
    const name = nameIn(message.subarray(12, end - 5));
    const key = `${type} ${name}`;
    asked.set(key, (asked.get(key) ?? 0) + 1);
    const found = lead(name, asked.get(key)!).filter((each) => isIP(each) === types[type]);
    socket.send(answerTo(message.subarray(0, end), type, found), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => new Promise((resolve) => socket.close(() => resolve())) };
}

function nameIn(labels: Buffer): string {
  const found: string[] = [];
  for (let at = 0; at < labels.length; at += labels[at]! + 1)
    found.push(labels.toString('latin1', at + 1, at + 1 + labels[at]!));
  return found.join('.').toLowerCase();
}

/** The question again, with addresses that are good for no time at all. */
function answerTo(question: Buffer, type: number, addresses: string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8, 12);
  const records = addresses.map((each) => {
    const bytes = isIP(each) === 4 ? each.split('.').map(Number) : bytesOf6(each);
    return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([head, ...records]);
}

/** Of an address as browsers write it: groups in hex, with one gap at most. */
function bytesOf6(address: string): number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...gap, ...after].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}
