import { namedByConnection, notInAnswers } from '../headers.ts';

/** A response that has more than one meaning, or none. The connection it came on must not be used again. */
export class BadResponseError extends Error {
  override name = 'BadResponseError';
}

/** The head of an app's response. */
export interface ResponseHead {
  status: number;
  reason: string;
  /** Names and values in turn, as the app sent them, without hop-by-hop headers. */
  headers: string[];
  /** Content-Length; -1 without one. */
  length: number;
  isChunked: boolean;
  /** Whether the app keeps the connection open. */
  keepsAlive: boolean;
  /** Seconds after which the app closes an idle connection, if it says so; -1 otherwise. */
  idleSeconds: number;
  /** Trailers that the response announces. */
  trailer: string | undefined;
  contentType: string;
  upgrade: string | undefined;
  hasHsts: boolean;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const keepAliveTimeout = /(?:^|[,; ])timeout=(\d{1,9})/i;

/** Characters of header names. */
const isToken = new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  isToken[char.charCodeAt(0)] = 1;

/** Parses the status line and the header lines. `text` ends with the empty line. */
export function parseHead(text: string): ResponseHead {
  const first = text.indexOf('\r\n');
  const found = statusLine.exec(text.slice(0, first));
  if (!found) throw new BadResponseError('the status line is not valid');
  const head: ResponseHead = {
    status: Number(found[2]),
    reason: found[3] ?? '',
    headers: [],
    length: -1,
    isChunked: false,
    keepsAlive: found[1] === '1',
    idleSeconds: -1,
    trailer: undefined,
    contentType: '',
    upgrade: undefined,
    hasHsts: false,
  };
  let connection: string | undefined;
  readFields(text, first + 2, (name, value) => {
    const lower = name.toLowerCase();
    if (notInAnswers.has(lower)) {
      if (lower === 'connection') connection = connection === undefined ? value : `${connection}, ${value}`;
      else readHopByHop(head, lower, value);
      return;
    }
    if (lower === 'content-length') readLength(head, value);
    else if (lower === 'content-type') head.contentType ||= value;
    else if (lower === 'strict-transport-security') head.hasHsts = true;
    head.headers.push(name, value);
  });
  if (head.isChunked && head.length >= 0) throw new BadResponseError('it has a length and is chunked');
  if (connection !== undefined) readConnection(head, connection);
  // RFC 9112, 6.1: a chunked response of HTTP/1.0 is read, but its connection is not trusted.
  if (head.isChunked && found[1] === '0') head.keepsAlive = false;
  return head;
}

function readHopByHop(head: ResponseHead, name: string, value: string): void {
  if (name === 'transfer-encoding') {
    if (head.isChunked || value.toLowerCase() !== 'chunked')
      throw new BadResponseError('the transfer encoding is not supported');
    head.isChunked = true;
  } else if (name === 'keep-alive') head.idleSeconds = Number(keepAliveTimeout.exec(value)?.[1] ?? -1);
  else if (name === 'trailer') head.trailer = head.trailer === undefined ? value : `${head.trailer}, ${value}`;
  else if (name === 'upgrade') head.upgrade ??= value;
}

function readLength(head: ResponseHead, value: string): void {
  if (head.length >= 0 || !/^\d{1,15}$/.test(value)) throw new BadResponseError('the content length is not valid');
  head.length = Number(value);
}

function readConnection(head: ResponseHead, connection: string): void {
  const says = connection.toLowerCase();
  if (says === 'keep-alive') head.keepsAlive = true;
  else if (says === 'close') head.keepsAlive = false;
  else {
    const tokens = says.split(',').map((each) => each.trim());
    head.keepsAlive = !tokens.includes('close') && (head.keepsAlive || tokens.includes('keep-alive'));
    const named = namedByConnection(connection);
    if (named) head.headers = withoutNamed(head.headers, named);
  }
}

const withoutNamed = (headers: string[], named: Set<string>): string[] =>
  headers.filter((_, i) => !named.has(headers[i - (i % 2)]!.toLowerCase()));

/** Parses header lines, or the lines of trailers, from `at` to the empty line that ends `text`. */
export function readFields(text: string, at: number, take: (name: string, value: string) => void): void {
  const end = text.length - 2;
  for (let i = at; i < end;) {
    const line = text.indexOf('\r\n', i);
    let colon = i;
    while (isToken[text.charCodeAt(colon)] === 1) colon++;
    // A line that begins with a space continues the previous one, which nobody needs and some read differently.
    if (colon === i || text.charCodeAt(colon) !== 58) throw new BadResponseError('a header name is not valid');
    let [from, to] = [colon + 1, line];
    while (from < to && isSpace(text.charCodeAt(from))) from++;
    while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
    for (let k = from; k < to; k++)
      if (!isValueChar(text.charCodeAt(k))) throw new BadResponseError('a header value is not valid');
    take(text.slice(i, colon), text.slice(from, to));
    i = line + 2;
  }
}

const isSpace = (code: number): boolean => code === 32 || code === 9;
const isValueChar = (code: number): boolean => (code > 31 && code !== 127) || code === 9;
