import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { dial, type Reply } from './edge.ts';

/** The authority as browsers send it: without the default port, which Node would add. */
const names = new WeakMap<ClientHttp2Session, string>();

/** Opens an HTTP/2 connection to the edge for a host name. */
export async function openHttp2(port: number, host: string): Promise<ClientHttp2Session> {
  const session = connect(`https://${host}`, { createConnection: () => dial(port, host, ['h2']) as TLSSocket });
  await new Promise<void>((resolve, reject) => {
    session.once('error', reject).once('remoteSettings', () => resolve());
  });
  session.on('error', () => session.destroy());
  names.set(session, host);
  return session;
}

type Ask = { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer };

/** Sends a request on an open connection. Rejects when the stream is reset. */
export function askOn(session: ClientHttp2Session, path: string, { method, headers, body }: Ask = {}): Promise<Reply> {
  const call = session.request(
    {
      ':authority': names.get(session),
      ':path': path,
      ':method': method ?? (body === undefined ? 'GET' : 'POST'),
      ...headers,
    },
    { endStream: body === undefined },
  );
  const reply = replyOf(call);
  if (body !== undefined) call.end(body);
  return reply;
}

export function replyOf(call: ClientHttp2Stream): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let reply: Reply | undefined;
    call.once('response', ({ ':status': status, ...headers }) => {
      reply = { status: status!, headers: headers as Reply['headers'], text: '', trailers: {} };
    });
    call.once('trailers', (trailers) => (reply!.trailers = { ...(trailers as NodeJS.Dict<string>) }));
    call.setEncoding('utf8').on('data', (chunk: string) => (reply!.text += chunk));
    call.once('error', reject);
    call.once('close', () =>
      reply && call.rstCode === 0 ? resolve(reply) : reject(new Error(`the stream was reset with ${call.rstCode}`)),
    );
  });
}

/** Encodes a frame: its type, flags, stream and payload. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const frames = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 };
export const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);

/** Headers as uncompressed literals. */
export const headerBlock = (headers: [string, string][]): Buffer =>
  Buffer.concat(
    headers.map(([name, value]) =>
      Buffer.concat([Buffer.from([0]), plain(Buffer.from(name)), plain(Buffer.from(value, 'latin1'))]),
    ),
  );

function plain(text: Buffer): Buffer {
  if (text.length < 127) return Buffer.concat([Buffer.from([text.length]), text]);
  const rest = text.length - 127;
  return Buffer.concat([Buffer.from(rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7]), text]);
}

/** The response: types of frames, and the error codes of streams and the connection. */
export type Heard = { kinds: number[]; resets: number[]; goaway: number | null };

/** Sends bytes on an HTTP/2 connection and reads until it is closed, or the timeout. */
export function sendFrames(port: number, host: string, bytes: Buffer, withinMs = 1500): Promise<Heard> {
  return new Promise((resolve) => {
    const socket = dial(port, host, ['h2']);
    let data: Buffer = Buffer.alloc(0);
    const finish = () => {
      socket.destroy();
      resolve(readFrames(data));
    };
    setTimeout(finish, withinMs);
    socket.on('data', (chunk) => (data = Buffer.concat([data, chunk])));
    socket.once('error', finish).once('close', finish);
    socket.write(bytes);
  });
}

function readFrames(data: Buffer): Heard {
  const heard: Heard = { kinds: [], resets: [], goaway: null };
  for (let at = 0; at + 9 <= data.length; at += 9 + data.readUIntBE(at, 3)) {
    const kind = data[at + 3]!;
    heard.kinds.push(kind);
    if (kind === frames.reset) heard.resets.push(data.readUInt32BE(at + 9));
    if (kind === frames.goaway) heard.goaway = data.readUInt32BE(at + 13);
  }
  return heard;
}
