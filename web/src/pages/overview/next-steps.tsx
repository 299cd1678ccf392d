import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { invitationsQuery, membersQuery, tokensQuery } from '../../api.ts';
import { apiReference, toMembers, toTokens } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { Card, Section } from '../../ui/page.tsx';

/** First steps for new users. Hidden once they are done. */
export function NextSteps() {
  const may = usePermissions();
  const tokens = useQuery({ ...tokensQuery, enabled: may('token:list') });
  const members = useQuery({ ...membersQuery, enabled: may('member:list') });
  const invitations = useQuery({ ...invitationsQuery, enabled: may('member:list') });
  if (tokens.isLoading || members.isLoading || invitations.isLoading) return null;
  const hasToken = !may('token:write') || Boolean(tokens.data?.length);
  const hasCompany = !may('member:admin') || (members.data?.length ?? 0) > 1 || Boolean(invitations.data?.length);
  if (hasToken && hasCompany) return null;
  return (
    <Section title="Next steps">
      <Card className="divide-y divide-line">
        {may('token:write') && (
          <Step link={toTokens({ create: true })} icon="key" title="Create an access token" done={hasToken}>
            For scripts, pipelines and the command line.
          </Step>
        )}
        {may('member:admin') && (
          <Step link={toMembers({ invite: true })} icon="members" title="Invite somebody" done={hasCompany}>
            Give each person the role that fits, from viewer to owner.
          </Step>
        )}
        <a href={apiReference} target="_blank" rel="noreferrer" className={look}>
          <StepBody icon="book" title="Read the API reference" leads="external">
            Everything in the dashboard is available in the API.
          </StepBody>
        </a>
      </Card>
    </Section>
  );
}

const look = 'flex items-center gap-4 px-5 py-4 first:rounded-t-xl last:rounded-b-xl hover:bg-sunken';

type StepProps = { icon: IconName; title: string; done?: boolean; leads?: IconName; children: ReactNode };

function Step({ link, ...step }: StepProps & { link: LinkProps }) {
  return (
    <Link {...link} className={look}>
      <StepBody {...step} />
    </Link>
  );
}

function StepBody({ icon, title, done, leads = 'right', children }: StepProps) {
  return (
    <>
      <span
        className={`grid size-9 shrink-0 place-items-center rounded-full ${done ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent'}`}
      >
        <Icon name={done ? 'check' : icon} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-medium">
          {title}
          {done && <span className="ml-2 text-sm font-normal text-good">Done</span>}
        </span>
        <span className="block text-sm text-muted">{children}</span>
      </span>
      <Icon name={leads} size={16} className="text-muted" />
    </>
  );
}
