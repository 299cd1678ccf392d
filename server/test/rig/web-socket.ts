import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface WebSocketClient {
  /** The release that the app reported in the handshake. */
  release: string;
  /** Sends a short text and waits for the echo; rejects on any other data or the end. */
  echo(text: string): Promise<void>;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
  /** Closes it and waits for the response. */
  close(): Promise<void>;
}

const text = 1;
const goodbye = 8;

/** Opens a WebSocket through the edge under a name that does not resolve: Node's own client cannot set the host. */
export async function openWebSocket(url: string, address = '127.0.0.1'): Promise<WebSocketClient> {
  const { hostname, port } = new URL(url);
  const key = randomBytes(16).toString('base64');
  const socket = connect(Number(port), address);
  const frames = readFrames(socket);
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  const head = await frames.head;
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  if (!head.startsWith('HTTP/1.1 101') || !head.includes(accept)) {
    socket.destroy();
    throw new Error(`not upgraded: ${head.split('\r\n')[0]}`);
  }
  const send = async (kind: number, payload: string) => {
    socket.write(frameOf(kind, payload));
    const answer = await frames.next();
    if (answer.kind !== kind || answer.payload !== payload)
      throw new Error(`sent ${kind} "${payload}", got ${answer.kind} "${answer.payload}"`);
  };
  return {
    release: /^x-release: (.*)$/im.exec(head)?.[1] ?? '',
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    echo: (payload) => send(text, payload),
    async close() {
      await send(goodbye, '');
      socket.destroy();
    },
  };
}

function frameOf(kind: number, payload: string): Buffer {
  const mask = randomBytes(4);
  const bytes = Buffer.from(payload).map((byte, i) => byte ^ mask[i & 3]!);
  return Buffer.concat([Buffer.from([0x80 | kind, 0x80 | bytes.length]), mask, bytes]);
}

type Frame = { kind: number; payload: string };

/** Reads the response head, then the frames. Pending reads reject at the end. */
function readFrames(socket: Socket) {
  let bytes = Buffer.alloc(0);
  let head: string | undefined;
  let wanted: { resolve: (frame: Frame) => void; reject: (error: Error) => void } | undefined;
  const frames: Frame[] = [];
  let ended: Error | undefined;
  const begun = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (head === undefined) {
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) return;
        head = bytes.subarray(0, end).toString();
        bytes = bytes.subarray(end + 4);
        resolve(head);
      }
      while (bytes.length >= 2 && bytes.length >= 2 + (bytes[1]! & 127)) {
        const length = bytes[1]! & 127;
        frames.push({ kind: bytes[0]! & 15, payload: bytes.subarray(2, 2 + length).toString() });
        bytes = bytes.subarray(2 + length);
      }
      if (wanted && frames.length) wanted.resolve(frames.shift()!);
    });
    socket.on('error', (error) => (ended = error));
    socket.once('close', () => {
      ended ??= new Error('the connection was closed');
      reject(ended);
      wanted?.reject(ended);
    });
  });
  const next = () =>
    new Promise<Frame>((resolve, reject) => {
      if (frames.length) return resolve(frames.shift()!);
      if (ended) return reject(ended);
      wanted = { resolve, reject };
      return undefined;
    }).finally(() => (wanted = undefined));
  return { head: begun, next };
}
