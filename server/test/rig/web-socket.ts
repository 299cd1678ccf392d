import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface WebSocketClient {
  /** What the app said of itself when it took the connection. */
  release: string;
  /** Sends a short text and waits for it to come back; rejects when something else comes, or the end. */
  echo(text: string): Promise<void>;
  /** Resolves when the connection is closed, by whomever. */
  closed: Promise<void>;
  /** Says goodbye and waits for the answer. */
  close(): Promise<void>;
}

const text = 1;
const goodbye = 8;

/** A WebSocket through the edge, under a name that no resolver knows: Node's own client does not let us say that name. */
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

/** The head of the answer, then one frame after the other. Everything that is asked for rejects at the end. */
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
