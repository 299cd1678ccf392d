import type { IncomingMessage } from 'node:http';
import type { ClientExchange } from './exchange.ts';

/** Hop-by-hop headers are never forwarded. */
const hopByHop = [
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
];

/** Set by the edge; the values that a client sends are dropped. */
const ours = [
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-prefix',
  'x-forwarded-server',
  'x-real-ip',
];

// Precomputed, for one lookup per header.
const notInAnswers = new Set(hopByHop);
const notInRequests = new Set([...hopByHop, ...ours]);

/** Dropping these because Connection lists them would change the meaning of the message. */
const notByConnection = new Set(['content-length', 'content-type', 'content-encoding', 'content-range', 'date']);

/** Apps expect a body with these methods, even an empty one. */
const withBodies = new Set(['POST', 'PUT', 'PATCH']);

/** `publicPort`: the port that clients connect to. */
export function requestHeaders(exchange: ClientExchange, publicPort: number): string[] {
  const { request, asked, framing, upgrade, visitor } = exchange;
  const headers = ['Host', asked.authority];
  const isHttp2 = request.httpVersionMajor === 2;
  const { rawHeaders } = request;
  const named = namedByConnection(request.headers.connection);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (notInRequests.has(unmistakable(name)) || named?.has(name) || (name === 'expect' && framing === 'none'))
      continue;
    if (isHttp2 && (name[0] === ':' || name === 'cookie')) continue;
    headers.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  // HTTP/2 may split the cookie into several fields.
  if (isHttp2 && request.headers.cookie !== undefined) headers.push('Cookie', request.headers.cookie);
  headers.push('X-Forwarded-For', visitor.address, 'X-Forwarded-Host', asked.authority);
  headers.push('X-Forwarded-Proto', visitor.https ? 'https' : 'http', 'X-Forwarded-Port', String(publicPort));
  if (framing === 'chunked') {
    headers.push('Transfer-Encoding', 'chunked');
    if (request.headers.trailer) headers.push('Trailer', request.headers.trailer);
  }
  // Without a length Node sends "chunked" for these, which some servers treat as a body.
  if (framing === 'none' && withBodies.has(request.method!) && !request.headers['content-length'])
    headers.push('Content-Length', '0');
  if (upgrade) headers.push('Connection', 'Upgrade', 'Upgrade', request.headers.upgrade!);
  return headers;
}

const unusual = /[^a-z0-9-]/g;

/** Normalizes a header name the way apps may: CGI and its successors (WSGI, Rack, PHP) read `X_Forwarded_For` as
 * `X-Forwarded-For`. */
const unmistakable = (name: string): string => (name.search(unusual) < 0 ? name : name.replace(unusual, '-'));

/** The head of an app's response, parsed in one pass. */
export interface AnswerHead {
  headers: string[];
  hasLength: boolean;
  /** Trailers that the response announces. */
  trailer: string | undefined;
  contentType: string;
}

export function readHead({ rawHeaders }: IncomingMessage): AnswerHead {
  const head: AnswerHead = { headers: [], hasLength: false, trailer: undefined, contentType: '' };
  const named = namedByConnection(valueOf(rawHeaders, 'connection'));
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    if (name === 'trailer') head.trailer = head.trailer === undefined ? value : `${head.trailer}, ${value}`;
    if (notInAnswers.has(name) || named?.has(name)) continue;
    if (name === 'content-length') head.hasLength = true;
    else if (name === 'content-type') head.contentType ||= value;
    head.headers.push(rawHeaders[i]!, value);
  }
  return head;
}

/** Returns all values of a header, joined. */
function valueOf(rawHeaders: string[], wanted: string): string | undefined {
  let value: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue;
    value = value === undefined ? rawHeaders[i + 1]! : `${value}, ${rawHeaders[i + 1]!}`;
  }
  return value;
}

function namedByConnection(connection: string | undefined): Set<string> | undefined {
  if (!connection || /^(keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !notByConnection.has(name)));
}

/** Returns raw trailers as pairs, the format in which Node sends them. */
export function trailerPairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!]);
}
