import { constants, type ServerHttp2Stream } from 'node:http2';

/** A gRPC status other than OK. */
export class GrpcError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const grpcStatus = { notFound: 5, unimplemented: 12, internal: 13 };

/** One call by the engine, a stream of length-prefixed messages. */
export interface GrpcCall {
  /** Metadata of the call. A name may occur several times. */
  metadata: Map<string, string[]>;
  messages: () => AsyncGenerator<Buffer>;
  /** Waits for backpressure. */
  send: (message: Buffer) => Promise<void>;
}

export type GrpcHandler = (call: GrpcCall) => Promise<void>;

/** Handles a method with one request and one response. */
export const unary = (answer: (message: Buffer) => Buffer | Promise<Buffer>): GrpcHandler => {
  return async ({ messages, send }) => {
    for await (const message of messages()) return send(await answer(message));
    throw new GrpcError(grpcStatus.internal, 'there was no message');
  };
};

const headerBytes = 5;
/** The engine only sends requests, none of them large. */
const mostBytes = 4 * 2 ** 20;

/** Serves an HTTP/2 stream with the handler. Never throws: errors go to the engine and to `report`. */
export async function serveCall(
  stream: ServerHttp2Stream,
  handler: GrpcHandler | undefined,
  metadata: GrpcCall['metadata'],
  report: (error: unknown) => void,
): Promise<void> {
  let ending: Record<string, string> = { 'grpc-status': '0' };
  stream.on('error', report);
  stream.respond(
    { [constants.HTTP2_HEADER_STATUS]: 200, 'content-type': 'application/grpc' },
    { waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers(ending));
  try {
    if (!handler) throw new GrpcError(grpcStatus.unimplemented, 'this call is not supported');
    await handler({ metadata, messages: () => messagesIn(stream), send: (message) => write(stream, message) });
  } catch (error) {
    if (!(error instanceof GrpcError)) report(error);
    const code = error instanceof GrpcError ? error.status : grpcStatus.internal;
    ending = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent((error as Error).message) };
  }
  if (!stream.destroyed) stream.end();
}

async function* messagesIn(stream: ServerHttp2Stream): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    held = held.length ? Buffer.concat([held, chunk]) : chunk;
    while (held.length >= headerBytes) {
      const length = held.readUInt32BE(1);
      if (held[0] !== 0 || length > mostBytes) throw new Error('the engine sent an unexpected message');
      if (held.length < headerBytes + length) break;
      yield held.subarray(headerBytes, headerBytes + length);
      held = held.subarray(headerBytes + length);
    }
  }
}

async function write(stream: ServerHttp2Stream, message: Buffer): Promise<void> {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(message.length, 1);
  if (stream.destroyed) throw new Error('the engine has ended the call');
  if (stream.write(Buffer.concat([header, message]))) return;
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      stream.off('drain', done).off('close', gone);
      resolve();
    };
    const gone = () => {
      stream.off('drain', done);
      reject(new Error('the engine has ended the call'));
    };
    stream.once('drain', done).once('close', gone);
  });
}
