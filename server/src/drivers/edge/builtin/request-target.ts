import type { IncomingMessage } from 'node:http';

/** What a client asks for, read in one way only, so that nobody after us can read it in another. */
export interface RequestTarget {
  /** Lower case, without port and trailing dot. */
  host: string;
  /** As the client wrote it. */
  authority: string;
  /** Without the query. */
  path: string;
  /** Path and query, as they are passed on. */
  url: string;
}

const absoluteForm = /^https?:\/\/([^/?#@]+)([/?].*)?$/i;
const hostAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d{1,5})?$/;

/** Gives null for what is malformed or ambiguous. */
export function readAsked({ url: target = '', headers, rawHeaders }: IncomingMessage): RequestTarget | null {
  // Node keeps the first of several and drops the others; the app behind us might see the second.
  if (saysTwice(rawHeaders, 'host')) return null;
  let authority = headers.host ?? '';
  let url = target;
  if (!target.startsWith('/')) {
    // The target's own host counts then, and Host is ignored (RFC 9112, 3.2.2).
    const absolute = absoluteForm.exec(target);
    if (!absolute) return null;
    authority = absolute[1]!;
    url = absolute[2] ?? '/';
    if (url.startsWith('?')) url = `/${url}`;
  }
  return parseRequestTarget(authority, url);
}

function saysTwice(rawHeaders: string[], wanted: string): boolean {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === wanted.length && rawHeaders[i]!.toLowerCase() === wanted) times++;
  return times > 1;
}

/** `url` begins with a slash. */
export function parseRequestTarget(authority: string, url: string): RequestTarget | null {
  const host = readHost(authority);
  if (host === null || url.includes('#')) return null;
  const query = url.indexOf('?');
  return { host, authority, url, path: query < 0 ? url : url.slice(0, query) };
}

export const readHost = (authority: string): string | null =>
  authority.length > 260 ? null : (hostAndPort.exec(authority.toLowerCase())?.[1] ?? null);

export type Framing = 'none' | 'length' | 'chunked' | 'refused';

/** How long the body is. Anything but the two plain ways is refused: it is how requests are smuggled. */
export function framingOf({ headers, httpVersion }: IncomingMessage): Framing {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined)
    return coding.toLowerCase() === 'chunked' && length === undefined && httpVersion === '1.1' ? 'chunked' : 'refused';
  if (length === undefined || length === '0') return 'none';
  return /^\d{1,15}$/.test(length) ? 'length' : 'refused';
}
