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
export const notInAnswers: ReadonlySet<string> = new Set(hopByHop);
const notInRequests = new Set([...hopByHop, ...ours, 'expect']);
const notInTrailers = new Set([...notInRequests, 'content-length']);

/** Dropping these because Connection lists them would change the meaning of the message. */
const notByConnection = new Set(['content-length', 'content-type', 'content-encoding', 'content-range', 'date']);

/** Apps expect a body with these methods, even an empty one. */
const withBodies = new Set(['POST', 'PUT', 'PATCH']);

/** The headers of a request, read in one pass. A field that is sent twice has both values, joined. */
export interface RequestFields {
  host: string | undefined;
  /** Number of Host headers. */
  hosts: number;
  'content-length': string | undefined;
  'transfer-encoding': string | undefined;
  connection: string | undefined;
  upgrade: string | undefined;
  expect: string | undefined;
  trailer: string | undefined;
  /** Lines that are forwarded as they came. */
  lines: string;
}

export function readRequestFields(rawHeaders: string[], isHttp2 = false): RequestFields {
  const fields: RequestFields = {
    host: undefined,
    hosts: 0,
    'content-length': undefined,
    'transfer-encoding': undefined,
    connection: undefined,
    upgrade: undefined,
    expect: undefined,
    trailer: undefined,
    lines: '',
  };
  let cookie: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]!;
    const name = raw.toLowerCase();
    const value = rawHeaders[i + 1]!;
    switch (name) {
      case 'host':
        fields.host ??= value;
        fields.hosts++;
        break;
      case 'content-length':
      case 'transfer-encoding':
      case 'connection':
      case 'upgrade':
      case 'expect':
      case 'trailer':
        fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`;
    }
    if (notInRequests.has(unmistakable(name)) || (isHttp2 && name[0] === ':')) continue;
    // HTTP/2 may split the cookie into several fields.
    if (isHttp2 && name === 'cookie') cookie = cookie === undefined ? value : `${cookie}; ${value}`;
    else fields.lines += `${raw}: ${value}\r\n`;
  }
  if (cookie !== undefined) fields.lines += `Cookie: ${cookie}\r\n`;
  const named = namedByConnection(fields.connection);
  if (named) fields.lines = withoutNamed(fields.lines, named);
  return fields;
}

const withoutNamed = (lines: string, named: Set<string>): string =>
  lines
    .split(/(?<=\r\n)/)
    .filter((line) => !named.has(line.slice(0, line.indexOf(':')).toLowerCase()))
    .join('');

const unusual = /[^a-z0-9-]/g;

/** Normalizes a header name the way apps may: CGI and its successors (WSGI, Rack, PHP) read `X_Forwarded_For` as
 * `X-Forwarded-For`. */
const unmistakable = (name: string): string => (name.search(unusual) < 0 ? name : name.replace(unusual, '-'));

/** Characters that would change when they are sent as single bytes, or end a line. */
const notInHeads = /[^\t\r\n\x20-\x7e\x80-\xff]/;

/** Returns the head of the request to the app; null for characters that HTTP/1.1 cannot carry. `publicPort`: the port
 * that clients connect to. */
export function requestHead(exchange: ClientExchange, publicPort: number): string | null {
  const { request, asked, fields, framing, upgrade, visitor } = exchange;
  let head = `${request.method!} ${asked.url} HTTP/1.1\r\nHost: ${asked.authority}\r\n${fields.lines}`;
  head += `X-Forwarded-For: ${visitor.address}\r\nX-Forwarded-Host: ${asked.authority}\r\n`;
  head += `X-Forwarded-Proto: ${visitor.https ? 'https' : 'http'}\r\nX-Forwarded-Port: ${publicPort}\r\n`;
  if (framing === 'chunked') {
    head += 'Transfer-Encoding: chunked\r\n';
    if (fields.trailer) head += `Trailer: ${fields.trailer}\r\n`;
  }
  if (framing !== 'none' && fields.expect !== undefined) head += `Expect: ${fields.expect}\r\n`;
  if (framing === 'none' && withBodies.has(request.method!) && fields['content-length'] === undefined)
    head += 'Content-Length: 0\r\n';
  head += upgrade ? `Connection: Upgrade\r\nUpgrade: ${fields.upgrade}\r\n\r\n` : 'Connection: keep-alive\r\n\r\n';
  return notInHeads.test(head) ? null : head;
}

export function namedByConnection(connection: string | undefined): Set<string> | undefined {
  if (!connection || /^(keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !notByConnection.has(name)));
}

/** Removes raw trailers that would change the message if they were read as headers, and that HTTP/2 forbids. */
export const allowedTrailers = (raw: string[]): string[] =>
  raw.filter((_, i) => !notInTrailers.has(unmistakable(raw[i - (i % 2)]!.toLowerCase())));

/** Returns raw trailers as pairs, the format in which Node sends them. */
export function trailerPairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!]);
}

/** Returns raw trailers as they are sent. */
export const trailerLines = (raw: string[]): string =>
  raw.length
    ? trailerPairs(raw)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')
    : '';
