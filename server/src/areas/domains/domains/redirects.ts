import type { DomainTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import { dnsName } from '../../../lib/dns-name.ts';

/** Reads a domain or an origin; a path is rejected because the one of the request is kept. */
export function readRedirect(text: string | null, name: string): string | null {
  if (text === null) return null;
  const to = /^https?:\/\//i.test(text) ? originOf(text) : dnsName(text);
  if (!to) throw badRequest('redirectTo must be a domain name, or https:// and one, without a path', 'redirectTo');
  if (hostOf(to) === name) throw badRequest('redirectTo must be another domain', 'redirectTo');
  return to;
}

/** Rejects redirect loops. */
export function requireNoCircle(row: DomainTable, others: readonly DomainTable[]): void {
  const targetOf = new Map([...others, row].map(({ name, redirectTo }) => [name, redirectTo]));
  const passed = new Set<string>();
  for (let name: string | undefined = row.name; name !== undefined;) {
    if (passed.has(name)) throw badRequest(`redirectTo would redirect back to ${name}`, 'redirectTo');
    passed.add(name);
    const to: string | null | undefined = targetOf.get(name);
    name = to ? hostOf(to) : undefined;
  }
}

export const redirectsAway = () => badRequest('a domain that redirects cannot be primary', 'isPrimary');

const hostOf = (to: string): string => (to.includes('://') ? new URL(to).hostname : to);

function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username, password, hostname } = new URL(text);
  const isBare = pathname === '/' && !search && !hash && !username && !password;
  return isBare && dnsName(hostname) ? origin : undefined;
}
