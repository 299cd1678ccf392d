import type { IncomingHttpHeaders } from 'node:http';

export type Range = { first: number; last: number };

/** Returns the requested range; null for the whole file; `unsatisfiable` for one beyond its end. */
export function readRange(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  size: number,
  etag: string,
  lastModified: string,
): Range | 'unsatisfiable' | null {
  // Multiple or unknown ranges may be answered with the whole file.
  const asked = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '');
  if (!asked || (!asked[1] && !asked[2])) return null;
  if (ifRange !== undefined && ifRange !== etag && ifRange !== lastModified) return null;
  if (!asked[1]) {
    const length = Math.min(Number(asked[2]), size);
    return length ? { first: size - length, last: size - 1 } : 'unsatisfiable';
  }
  const first = Number(asked[1]);
  const last = asked[2] ? Math.min(Number(asked[2]), size - 1) : size - 1;
  if (asked[2] && Number(asked[2]) < first) return null;
  return first < size ? { first, last } : 'unsatisfiable';
}

/** Whether the client has this version already. An ETag takes precedence over a date. */
export function isUnchanged(headers: IncomingHttpHeaders, etag: string, lastModified: string): boolean {
  if (headers['if-none-match'] !== undefined) return hasTag(headers, etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return !Number.isNaN(since) && Date.parse(lastModified) <= since;
}

export function hasTag({ 'if-none-match': tags = '' }: IncomingHttpHeaders, etag: string): boolean {
  return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
