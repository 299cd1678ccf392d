import { type Column, plainText } from '../output.ts';
import { countWithNoun } from '../format.ts';
import type { Domain } from './find.ts';

export const domainColumns: Column<Domain>[] = [
  { heading: 'NAME', value: ({ name, isPrimary }) => (isPrimary ? `${name} *` : name) },
  { heading: 'LEADS TO', value: leadsTo },
  { heading: 'DNS', value: ({ pointing }) => (pointing ? dnsWords[pointing.status] : 'not checked') },
  { heading: 'CERTIFICATE', value: lifeOf },
  { heading: 'ACTION REQUIRED', value: ({ action }) => action.message ?? '' },
];

const dnsWords: Record<NonNullable<Domain['pointing']>['status'], string> = {
  here: 'ok',
  not_found: 'no address',
  elsewhere: 'elsewhere',
  unreachable: 'not reached',
};

function leadsTo({ redirectTo, service, path, environment }: Domain): string {
  if (redirectTo) return `redirect to ${redirectTo}`;
  const what = service ?? 'the app';
  return [`${what}${path === '/' ? '' : ` below ${path}`}`, environment === 'production' ? '' : `(${environment})`]
    .filter(Boolean)
    .join(' ');
}

function lifeOf({ certificate }: Domain): string {
  if (!certificate) return 'none';
  const { daysLeft, validTo, source } = certificate;
  const isOver = Date.parse(validTo) <= Date.now();
  return `${isOver ? 'expired' : `${countWithNoun(daysLeft, 'day')} left`}${source === 'uploaded' ? ', uploaded' : ''}`;
}

/** Describes the state of a domain and the required action. */
export function domainSentence({ name, url, redirectTo, action, certificate }: Domain): string {
  if (action.required)
    return [`${name}: ${action.message}`, ...(action.fix ? [action.fix] : [])].map(plainText).join('\n');
  const does = redirectTo ? `${name} redirects to ${redirectTo}` : `${name} serves at ${url}`;
  return certificate ? `${does}.` : `${does}; its certificate is being issued.`;
}
