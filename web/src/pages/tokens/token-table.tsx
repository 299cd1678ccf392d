import { type Token, useSession } from '../../api.ts';
import { byResource, resourceTitle, usePermissions } from '../../permissions.ts';
import { dayOf, exactTime } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Props = { tokens: Token[]; onRevoke: (token: Token) => void };

export function TokenTable({ tokens, onRevoke }: Props) {
  const may = usePermissions();
  const columns: Column<Token>[] = [
    { title: 'Token', place: 'lead', cell: (token) => <TokenName token={token} /> },
    { title: 'Permissions', cell: ({ permissions }) => <Permissions permissions={permissions} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => <LastUse at={lastUsedAt} /> },
    { title: 'Expires', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    ...(may('token:write') ? [{ title: 'Actions', place: 'actions' as const, cell: revokeButton(onRevoke) }] : []),
  ];
  return <Table label="Access tokens" rows={tokens} keyOf={({ id }) => id} columns={columns} />;
}

const revokeButton = (onRevoke: (token: Token) => void) => (token: Token) => (
  <Button size="small" kind="quiet" onClick={() => onRevoke(token)} aria-label={`Revoke ${token.name}`}>
    Revoke
  </Button>
);

function TokenName({ token: { name, prefix, holder } }: { token: Token }) {
  const { organization } = useSession();
  const isOwn = holder.memberId === organization?.memberId;
  return (
    <span className="block min-w-0 pr-8 md:pr-0">
      <span className="block truncate font-medium">{name}</span>
      <span className="block truncate text-sm text-muted">
        <code className="font-mono text-xs">{prefix}…</code>
        {!isOwn && ` of ${holder.email}`}
      </span>
    </span>
  );
}

function Permissions({ permissions }: Pick<Token, 'permissions'>) {
  if (permissions === '*') return <Badge kind="accent">Everything</Badge>;
  const groups = [...byResource(permissions)].map(
    ([resource, actions]) => `${resourceTitle(resource)}: ${actions.join(', ')}`,
  );
  return (
    <details className="min-w-0 max-w-56 text-right text-sm md:text-left">
      <summary className="rounded whitespace-nowrap text-muted hover:text-ink">
        {permissions.length === 1 ? '1 permission' : `${permissions.length} permissions`}
      </summary>
      <ul className="mt-1 whitespace-normal">
        {groups.map((group) => (
          <li key={group}>{group}</li>
        ))}
      </ul>
    </details>
  );
}

const LastUse = ({ at }: { at: string | null }) => (
  <span className="text-sm text-muted">{at ? <Time at={at} /> : 'Never'}</span>
);

function Expiry({ at }: { at: string | null }) {
  if (!at) return <span className="text-sm text-muted">Never</span>;
  if (Date.parse(at) <= Date.now()) return <Badge kind="danger">Expired</Badge>;
  return (
    <time dateTime={at} title={exactTime(at)} className="text-sm whitespace-nowrap text-muted">
      {dayOf(at)}
    </time>
  );
}
