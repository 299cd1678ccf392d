import type { ReactNode } from 'react';
import type { Domain } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';
import { CertificateBadge, DnsBadge } from './domain-badges.tsx';
import { useDomainChanges } from './domain-changes.ts';
import { DomainMenu } from './domain-menu.tsx';
import { lengthOfHsts } from './domain-settings.ts';
import type { DomainTask } from './domain-task-dialog.tsx';
import { DomainTrouble } from './domain-trouble.tsx';
import { RenewProgress } from './renew-progress.tsx';

const words = { check: 'Checking DNS …', primary: 'Making it the primary domain …' };

type Props = { domain: Domain; isNew: boolean; onTask: (task: DomainTask) => void };

/** One domain: its target, the state of its DNS and certificate, and the remaining steps. */
export function DomainItem({ domain, isNew, onTask }: Props) {
  const { name, url, environment, isPrimary } = domain;
  const changes = useDomainChanges(domain, isNew);
  const { running } = changes;
  return (
    <li className="grid grid-cols-1 gap-3 px-5 py-4" aria-label={name}>
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
            <OutsideLink url={url}>{name}</OutsideLink>
            {isPrimary && <Badge kind="accent">Primary</Badge>}
            {environment !== 'production' && (
              <span title={environment} className="inline-flex min-w-0">
                <Badge>{environment}</Badge>
              </span>
            )}
          </p>
          <p className="mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">{leadsTo(domain)}</p>
        </div>
        <DomainMenu domain={domain} changes={changes} onTask={onTask} />
      </div>
      <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
        <Fact title="DNS">
          <DnsBadge domain={domain} />
          {domain.checkedAt && (
            <span className="text-muted">
              checked <Time at={domain.checkedAt} />
            </span>
          )}
        </Fact>
        <Fact title="Certificate">
          <CertificateBadge domain={domain} />
        </Fact>
      </dl>
      <p role="status" className={running ? 'flex items-center gap-2 text-sm text-muted' : 'sr-only'}>
        {running === 'renew' && <RenewProgress name={name} />}
        {running && running !== 'renew' && (
          <>
            <Spinner size={15} /> {words[running]}
          </>
        )}
      </p>
      <DomainTrouble domain={domain} changes={changes} />
    </li>
  );
}

function leadsTo({ redirectTo, service, path, https, hstsSeconds }: Domain): string {
  const what = service ? `Routes to the service ${service}` : 'Routes to this project';
  return [
    redirectTo ? `Redirects to ${redirectTo}` : what,
    path !== '/' && `under ${path}`,
    https === 'optional' && 'HTTP allowed',
    hstsSeconds !== null && `HSTS for ${lengthOfHsts(hstsSeconds)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex min-w-0 items-baseline gap-x-2.5">
    <dt className="w-20 shrink-0 text-muted sm:w-auto">{title}</dt>
    <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 gap-y-1">{children}</dd>
  </div>
);
