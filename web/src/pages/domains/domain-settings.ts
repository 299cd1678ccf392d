import type { Domain } from '../../api.ts';

/** The settings of a domain in the form. */
export interface DomainSettings {
  does: 'answer' | 'redirect';
  service: string;
  redirectTo: string;
  isPrimary: boolean;
  path: string;
  https: Domain['https'];
  /** Seconds; empty sends no HSTS header. */
  hsts: string;
}

export const usualSettings: DomainSettings = {
  does: 'answer',
  service: '',
  redirectTo: '',
  isPrimary: false,
  path: '/',
  https: 'redirect',
  hsts: '',
};

export const domainSettingsOf = (domain: Domain): DomainSettings => ({
  does: domain.redirectTo === null ? 'answer' : 'redirect',
  service: domain.service ?? '',
  redirectTo: domain.redirectTo ?? '',
  isPrimary: domain.isPrimary,
  path: domain.path,
  https: domain.https,
  hsts: domain.hstsSeconds === null ? '' : String(domain.hstsSeconds),
});

export type DomainBody = Pick<Domain, 'service' | 'redirectTo' | 'isPrimary' | 'path' | 'https' | 'hstsSeconds'>;

/** The settings as a request body. A domain that redirects has no service and is never primary. */
export function domainBodyOf({ does, service, redirectTo, isPrimary, path, https, hsts }: DomainSettings): DomainBody {
  const isRedirect = does === 'redirect';
  return {
    service: isRedirect ? null : service || null,
    redirectTo: isRedirect ? redirectTo.trim() : null,
    isPrimary: !isRedirect && isPrimary,
    path: path.trim() || '/',
    https,
    hstsSeconds: hsts === '' ? null : Number(hsts),
  };
}

/** Only changed fields: the audit log names the fields that were sent. */
export function domainChanges(before: DomainBody, after: DomainBody): Partial<DomainBody> {
  const keys = Object.keys(after) as (keyof DomainBody)[];
  return Object.fromEntries(keys.filter((key) => after[key] !== before[key]).map((key) => [key, after[key]]));
}

const day = 86_400;
const lengths: [seconds: number, title: string][] = [
  [day, '1 day'],
  [30 * day, '30 days'],
  [365 * day, '1 year'],
  [730 * day, '2 years'],
];

export const lengthOfHsts = (seconds: number): string =>
  lengths.find(([each]) => each === seconds)?.[1] ?? `${seconds} seconds`;

/** The choices; a value that was set elsewhere is kept. */
export function hstsOptions(current: string) {
  const known = [
    { value: '', title: 'Off' },
    ...lengths.map(([seconds, title]) => ({ value: String(seconds), title: `HTTPS only for ${title}` })),
    { value: '0', title: 'Reset: browsers forget the policy' },
  ];
  const isKnown = known.some(({ value }) => value === current);
  return isKnown ? known : [...known, { value: current, title: `HTTPS only for ${current} seconds` }];
}
