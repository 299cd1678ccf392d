import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';

/** Between two neighbours only; never passed on. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** What we say about the client. What the client says about itself is dropped. */
const ours = new Set([
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-prefix',
  'x-forwarded-server',
  'x-real-ip',
]);

/** Naming these in Connection would change what the message means. */
const notByConnection = new Set(['content-length', 'content-type', 'content-encoding', 'content-range', 'date']);

/** `publicPort`: the one that visitors come to. */
export function requestHeaders(exchange: Exchange, publicPort: number): string[] {
  const { request, asked, framing, upgrade, visitor } = exchange;
  const headers = ['Host', asked.authority];
  const isHttp2 = request.httpVersionMajor === 2;
  const drop = (name: string) =>
    ours.has(name) || (name === 'expect' && framing === 'none') || (isHttp2 && (name[0] === ':' || name === 'cookie'));
  passOn(request, headers, drop);
  // HTTP/2 may have cut it into pieces.
  if (isHttp2 && request.headers.cookie !== undefined) headers.push('Cookie', request.headers.cookie);
  headers.push('X-Forwarded-For', visitor.address, 'X-Forwarded-Host', asked.authority);
  headers.push('X-Forwarded-Proto', visitor.secure ? 'https' : 'http', 'X-Forwarded-Port', String(publicPort));
  if (framing === 'chunked') {
    headers.push('Transfer-Encoding', 'chunked');
    if (request.headers.trailer) headers.push('Trailer', request.headers.trailer);
  }
  // Without it Node would say "chunked" for these, which some servers take for a body.
  if (framing === 'none' && ['POST', 'PUT', 'PATCH'].includes(request.method!) && !request.headers['content-length'])
    headers.push('Content-Length', '0');
  if (upgrade) headers.push('Connection', 'Upgrade', 'Upgrade', request.headers.upgrade!);
  return headers;
}

/** `chunked`: whether our answer to the client will be, which is when it can have trailers. */
export function responseHeaders(answer: IncomingMessage, chunked: boolean): string[] {
  const headers: string[] = [];
  passOn(answer, headers, () => false);
  if (chunked && answer.headers.trailer) headers.push('Trailer', answer.headers.trailer);
  return headers;
}

function passOn(message: IncomingMessage, headers: string[], drop: (name: string) => boolean): void {
  const { rawHeaders } = message;
  const named = namedByConnection(message.headers.connection);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!hopByHop.has(name) && !named?.has(name) && !drop(name)) headers.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
}

function namedByConnection(connection: string | undefined): Set<string> | undefined {
  if (!connection || /^(keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !notByConnection.has(name)));
}

/** Name and value pairs of raw trailers, as Node wants them when they are sent. */
export function pairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!]);
}
