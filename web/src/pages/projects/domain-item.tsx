import type { ReactNode } from 'react';
import { asSentence, type Domain, sentenceOf } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';
import { CertificateBadge, DnsBadge } from './domain-badges.tsx';
import { useDomainChanges } from './domain-changes.ts';
import { DomainMenu } from './domain-menu.tsx';
import type { DomainTask } from './domain-task-dialog.tsx';

type Props = { domain: Domain; isNew: boolean; onTask: (task: DomainTask) => void };

/** One name: where it leads, how it is, and what somebody has to do about it. */
export function DomainItem({ domain, isNew, onTask }: Props) {
  const { name, url, environment, isPrimary, action } = domain;
  const changes = useDomainChanges(domain, isNew);
  return (
    <li className="grid gap-3 px-5 py-4" aria-label={name}>
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
            <OutsideLink url={url}>{name}</OutsideLink>
            {isPrimary && <Badge kind="accent">Primary</Badge>}
            {environment !== 'production' && <Badge>{environment}</Badge>}
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
              looked at <Time at={domain.checkedAt} />
            </span>
          )}
        </Fact>
        <Fact title="Certificate">
          <CertificateBadge domain={domain} />
        </Fact>
      </dl>
      {action.required && <ActionRequired action={action} />}
      <p role="status" className={changes.running ? 'flex items-center gap-2 text-sm text-muted' : 'sr-only'}>
        {changes.running && (
          <>
            <Spinner size={15} /> {changes.running}
          </>
        )}
      </p>
      {Boolean(changes.error) && (
        <Notice kind="danger" alert>
          {sentenceOf(changes.error)}
        </Notice>
      )}
    </li>
  );
}

function leadsTo({ redirectTo, service, path }: Domain): string {
  if (redirectTo) return `Redirects to ${redirectTo}`;
  const what = service ? `Leads to the service ${service}` : 'Leads to this project';
  return path === '/' ? what : `${what}, below ${path}`;
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex min-w-0 items-baseline gap-x-2.5">
    <dt className="w-20 shrink-0 text-muted sm:w-auto">{title}</dt>
    <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 gap-y-1">{children}</dd>
  </div>
);

function ActionRequired({ action: { message, fix } }: Pick<Domain, 'action'>) {
  return (
    <Notice kind="warn">
      <p className="font-medium">Action required</p>
      {message && <p className="text-ink">{asSentence(message)}</p>}
      {fix && <p className="mt-1 text-ink">{asSentence(fix)}</p>}
    </Notice>
  );
}
