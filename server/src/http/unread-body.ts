import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../errors.ts';

const discardMs = 30_000;
const discardBytes = 100_000_000;

/** Reads and discards the rest of a rejected body. Closing a connection with unread bytes resets it, and the client
 * would lose the response. */
export function discardUnreadBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete || raw.destroyed) return;
  // Fastify closes the connection when a body cannot be parsed.
  reply.removeHeader('connection');
  const { socket } = raw;
  const most = socket.bytesRead + discardBytes;
  const timer = setTimeout(() => raw.destroy(), discardMs).unref();
  raw.once('close', () => clearTimeout(timer));
  raw.on('data', () => void (socket.bytesRead > most && raw.destroy()));
}

/** Answers 408 to a body that takes too long, because it keeps a connection busy. */
export function limitBodyTime(raw: IncomingMessage, withinMs: number): void {
  const timer = setTimeout(() => {
    // A missing body is never read, so its end is never emitted.
    const isUnfinished = !raw.complete && raw.socket.writable;
    if (isUnfinished) endUnanswered(raw.socket, '408 Request Timeout', 'request_timeout', tookTooLong(withinMs));
  }, withinMs).unref();
  raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}

const tookTooLong = (ms: number) => `the body of the request did not arrive within ${ms / 1000} s`;

/** Writes an error response directly to the socket, where there is no reply object. */
export function endUnanswered(socket: Socket, status: string, code: ErrorCode, sentence: string): void {
  const body = JSON.stringify(new AppError(code, sentence).body());
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  else socket.destroy();
}
