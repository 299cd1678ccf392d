import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** A name server on loopback that knows TXT records and nothing else. */
export interface NameServer {
  /** `127.0.0.1:<port>`, for `MOORING_DNS_SERVERS`. */
  address: string;
  /** The TXT records of each name. */
  texts: Map<string, string[]>;
  /** Names that it was asked for. */
  asked: string[];
  /** It answers nobody any more, but is there. */
  hang(): void;
  stop(): Promise<void>;
}

const [noSuchName, typeTxt] = [3, 16];

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const texts = new Map<string, string[]>();
  const asked: string[] = [];
  let hangs = false;
  socket.on('message', (query, { address, port }) => {
    const { name, end } = readName(query);
    asked.push(name);
    if (!hangs) socket.send(answerTo(query.subarray(0, end + 4), texts.get(name)), port, address);
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

/** The name of the question, and where it ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** The question again, and what it is answered with; each text in pieces of 255 bytes. */
function answerTo(question: Buffer, found: string[] | undefined): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (found ? 0 : noSuchName), 2);
  head.writeUInt16BE(found?.length ?? 0, 6);
  head.fill(0, 8, 12);
  const records = (found ?? []).map((text) => {
    const pieces = text.match(/.{1,255}/gs) ?? [''];
    const data = Buffer.concat(
      pieces.map((piece) => Buffer.from(`${String.fromCharCode(piece.length)}${piece}`, 'latin1')),
    );
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(typeTxt, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...records]);
}
