import type { IncomingMessage } from 'node:http';
import type { ClientExchange } from './exchange.ts';

/** Between two neighbours only; never passed on. */
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

/** What we say about the client. What the client says about itself is dropped. */
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

// One look at one of these for each header.
const notInAnswers = new Set(hopByHop);
const notInRequests = new Set([...hopByHop, ...ours]);

/** Naming these in Connection would change what the message means. */
const notByConnection = new Set(['content-length', 'content-type', 'content-encoding', 'content-range', 'date']);

/** Of these, apps expect a body even where there is none. */
const withBodies = new Set(['POST', 'PUT', 'PATCH']);

/** `publicPort`: the one that visitors come to. */
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
  // HTTP/2 may have cut it into pieces.
  if (isHttp2 && request.headers.cookie !== undefined) headers.push('Cookie', request.headers.cookie);
  headers.push('X-Forwarded-For', visitor.address, 'X-Forwarded-Host', asked.authority);
  headers.push('X-Forwarded-Proto', visitor.https ? 'https' : 'http', 'X-Forwarded-Port', String(publicPort));
  if (framing === 'chunked') {
    headers.push('Transfer-Encoding', 'chunked');
    if (request.headers.trailer) headers.push('Trailer', request.headers.trailer);
  }
  // Without it Node would say "chunked" for these, which some servers take for a body.
  if (framing === 'none' && withBodies.has(request.method!) && !request.headers['content-length'])
    headers.push('Content-Length', '0');
  if (upgrade) headers.push('Connection', 'Upgrade', 'Upgrade', request.headers.upgrade!);
  return headers;
}

const unusual = /[^a-z0-9-]/g;

/** The name that apps may take a header for: CGI and its heirs (WSGI, Rack, PHP) see `X_Forwarded_For` as `X-Forwarded-For`. */
const unmistakable = (name: string): string => (name.search(unusual) < 0 ? name : name.replace(unusual, '-'));

/** What an app says about its answer, read in one go: most of it is only passed on. */
export interface AnswerHead {
  headers: string[];
  hasLength: boolean;
  /** Which trailers it announces. */
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

/** All that is said of it. */
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

/** Name and value pairs of raw trailers, as Node wants them when they are sent. */
export function trailerPairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!]);
}
