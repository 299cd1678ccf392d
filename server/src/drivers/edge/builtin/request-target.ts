import type { RequestFields } from './headers.ts';

/** The request target, parsed strictly, so that no app can interpret it differently. */
export interface RequestTarget {
  /** Lower case, without port and trailing dot. */
  host: string;
  /** As sent by the client. */
  authority: string;
  /** Without the query. */
  path: string;
  /** Path and query, as they are forwarded. */
  url: string;
}

const absoluteForm = /^https?:\/\/([^/?#@]+)([/?].*)?$/i;
const hostAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d{1,5})?$/;

/** Returns null for a malformed or ambiguous target. */
export function readRequestTarget(target: string, { host = '', hosts }: RequestFields): RequestTarget | null {
  // The app might use the second one.
  if (hosts > 1) return null;
  let authority = host;
  let url = target;
  if (!target.startsWith('/')) {
    // In absolute form the target's own host applies and Host is ignored (RFC 9112, 3.2.2).
    const absolute = absoluteForm.exec(target);
    if (!absolute) return null;
    authority = absolute[1]!;
    url = absolute[2] ?? '/';
    if (url.startsWith('?')) url = `/${url}`;
  }
  return parseRequestTarget(authority, url);
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

/** Returns how the body is delimited. Anything but the two plain ways is rejected, to prevent request smuggling. */
export function framingOf(fields: RequestFields, httpVersion: string): Framing {
  const { 'transfer-encoding': coding, 'content-length': length } = fields;
  if (coding !== undefined)
    return coding.toLowerCase() === 'chunked' && length === undefined && httpVersion === '1.1' ? 'chunked' : 'refused';
  if (length === undefined || length === '0') return 'none';
  return /^\d{1,15}$/.test(length) ? 'length' : 'refused';
}
