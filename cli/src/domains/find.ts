import { domainToASCII } from 'node:url';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import type { Project } from '../deployments/find.ts';
import { Failure, UsageError } from '../errors.ts';
import { closestMatch } from '../closest-match.ts';

export type Domain = Schemas['Domain'];

export async function domainsOf(client: Client, { id }: Pick<Project, 'id'>): Promise<Domain[]> {
  return (await unwrap(client.GET('/api/projects/{id}/domains', { params: { path: { id } } }))).data;
}

/** Accepts any spelling: upper case, a trailing dot, non-ASCII letters. */
export async function findDomain(client: Client, project: Project, text: string): Promise<Domain> {
  const name = domainToASCII(rejectUrl(text).replace(/\.$/, '')) || text;
  const all = await domainsOf(client, project);
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name);
  const near = closestMatch(name, names);
  const hint = near ? `did you mean ${near}?` : names.length ? `it has ${names.join(', ')}` : 'it has none';
  throw new Failure(`${project.name} has no domain ${text}; ${hint}`);
}

/** Rejects a URL, which people copy from their browser. */
export function rejectUrl(text: string): string {
  if (!/^https?:/i.test(text)) return text;
  const host = URL.parse(text)?.hostname;
  throw new UsageError(`${text} is a URL; give the domain only${host ? `: ${host}` : ''}`);
}
