import { createSocket } from 'node:dgram';
import { type AddressInfo, isIP } from 'node:net';

/** A name server on loopback, scripted by the test. */
export interface NameServer {
  /** `127.0.0.1:<port>`, for `MOORING_DNS_SERVERS`. */
  address: string;
  /** The TXT records of each name. */
  texts: Map<string, string[]>;
  /** The queried names. */
  asked: string[];
  /** Stops responding, but keeps the port open. */
  hang(): void;
  stop(): Promise<void>;
}

const noSuchName = 3;
const types = { a: 1, txt: 16, aaaa: 28 };

/** `lead` returns the addresses of a name for the first, second, third query of a type. */
export async function startNameServer(
  lead: (name: string, question: number) => string[] = () => [],
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const texts = new Map<string, string[]>();
  const asked: string[] = [];
  const questions = new Map<string, number>();
  let hangs = false;
  socket.on('message', (query, { address, port }) => {
    const { name, end } = readName(query);
    const type = query.readUInt16BE(end);
    const key = `${type} ${name}`;
    asked.push(name);
    questions.set(key, (questions.get(key) ?? 0) + 1);
    if (hangs) return;
    const found =
      type === types.txt ? (texts.get(name) ?? []).map(textData) : addressData(type, lead(name, questions.get(key)!));
    socket.send(answerTo(query.subarray(0, end + 4), type, found), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    texts,
    asked,
    hang: () => (hangs = true),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The name in the query, and its end. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** Repeats the question with the answers, with a TTL of 0. */
function answerTo(question: Buffer, type: number, found: Buffer[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (type === types.txt && !found.length ? noSuchName : 0), 2);
  head.writeUInt16BE(found.length, 6);
  head.fill(0, 8, 12);
  const records = found.map((data) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, 0]);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...records]);
}

/** In pieces of 255 bytes. */
const textData = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/.{1,255}/gs) ?? ['']).map((piece) =>
      Buffer.from(`${String.fromCharCode(piece.length)}${piece}`, 'latin1'),
    ),
  );

const addressData = (type: number, addresses: string[]): Buffer[] =>
  addresses
    .filter((each) => isIP(each) === (type === types.a ? 4 : type === types.aaaa ? 6 : 0))
    .map((each) => Buffer.from(type === types.a ? each.split('.').map(Number) : bytesOf6(each)));

/** Parses an IPv6 address with at most one `::`. */
function bytesOf6(address: string): number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...gap, ...after].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}
