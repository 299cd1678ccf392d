import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { invitationsQuery, membersQuery, tokensQuery, useMe } from '../../api.ts';
import { paths, toMembers, toTokens } from '../../paths.ts';
import { useMay } from '../../permissions.ts';
import { roleMeans, roleTitle } from '../../roles.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';

export function Counts() {
  const { organization } = useMe();
  const may = useMay();
  const role = organization?.role ?? '';
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {may('member:list') && <MemberCount />}
      {may('token:list') && <TokenCount />}
      <Count
        link={{ to: paths.organization }}
        icon="person"
        title="Your role"
        value={roleTitle(role)}
        note={roleMeans(role)}
      />
    </div>
  );
}

function MemberCount() {
  const members = useQuery(membersQuery);
  const invitations = useQuery(invitationsQuery);
  const open = invitations.data?.length;
  const note = open === 1 ? '1 open invitation' : `${open || 'No'} open invitations`;
  return (
    <Count link={toMembers()} icon="members" title="Members" value={valueOf(members)} note={invitations.data && note} />
  );
}

function TokenCount() {
  const may = useMay();
  const tokens = useQuery(tokensQuery);
  const whose = may('token:admin') ? 'In the whole organization' : 'Of your own';
  const note = tokens.data?.length ? whose : 'None yet';
  return (
    <Count link={toTokens()} icon="key" title="Access tokens" value={valueOf(tokens)} note={tokens.data && note} />
  );
}

/** A dash says that the number could not be had; the list itself says why. */
const valueOf = ({ data, isError }: { data: unknown[] | undefined; isError: boolean }) =>
  isError ? '–' : data?.length;

type Props = {
  link: LinkProps;
  icon: IconName;
  title: string;
  value: number | string | undefined;
  note: string | undefined;
};

function Count({ link, icon, title, value, note }: Props) {
  return (
    <Link
      {...link}
      className="block rounded-xl border border-line bg-surface p-5 shadow-card transition-colors hover:border-line-strong"
    >
      <span className="flex items-center gap-2 text-sm text-muted">
        <Icon name={icon} size={16} />
        {title}
      </span>
      <span className="mt-2 block min-h-9 text-2xl font-semibold tracking-tight tabular-nums">
        {value ?? <span className="inline-block h-6 w-12 animate-pulse rounded bg-sunken" />}
      </span>
      <span className="block min-h-5 text-sm text-muted">{note}</span>
    </Link>
  );
}
