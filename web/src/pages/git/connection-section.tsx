import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery, sentenceOf, useSession } from '../../api.ts';
import { type GitAccount, type GitStatus, gitStatusQuery, localStatusQuery } from '../../githost-queries.ts';
import { useIsRestricted, usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Avatar } from '../../ui/person.tsx';
import { useConnect } from './connect.tsx';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import { hostOf, sourceTitles, stateHelp, stateTitles } from './git-words.ts';

const kinds = {
  connected: 'good',
  disconnected: 'plain',
  suspended: 'warn',
  signed_out: 'danger',
  unavailable: 'warn',
} as const;

/** The connection to the git host: its status, its kind and its accounts. */
export function ConnectionSection({ status }: { status: GitStatus }) {
  const connect = useConnect(status);
  const help = stateHelp[status.state];
  const aside = (
    <div className="flex flex-wrap items-center gap-2">
      <Badge kind={kinds[status.state]}>{stateTitles[status.state]}</Badge>
      {status.state !== 'disconnected' && <Actions {...status} connect={connect} />}
    </div>
  );
  return (
    <Section title="Connection" aside={aside}>
      <div className="grid grid-cols-1 gap-4">
        {help && <Notice kind="warn">{help}</Notice>}
        {status.cloudUnreachable && (
          <Notice kind="warn">
            The linked cloud does not respond. Its app cannot be connected or used until it answers again.
          </Notice>
        )}
        {Boolean(connect.error) && (
          <Notice kind="danger" alert>
            {sentenceOf(connect.error)}
          </Notice>
        )}
        {status.state === 'disconnected' ? <NotConnected connect={connect} /> : <Accounts accounts={status.accounts} />}
      </div>
      {connect.dialog}
    </Section>
  );
}

type Connect = ReturnType<typeof useConnect>;

function NotConnected({ connect }: { connect: Connect }) {
  const mayConnect = useMayConnect();
  const mayUseProgram = useMayUseProgram();
  const action = mayConnect && (
    <div className="flex flex-wrap justify-center gap-2">
      <Button kind="primary" busy={connect.isPending} onClick={() => connect.begin()}>
        Connect GitHub
      </Button>
      {mayUseProgram && (
        <Button disabled={connect.isPending} onClick={() => connect.begin('cli')}>
          Use gh on this machine
        </Button>
      )}
    </div>
  );
  return (
    <EmptyState icon="git" title="No git host connected" action={action}>
      {mayConnect
        ? 'Connect GitHub or GitHub Enterprise. Repositories with a plain git URL and uploaded folders deploy without it.'
        : 'A member with write access can connect GitHub. Projects with a plain git URL deploy without it.'}
    </EmptyState>
  );
}

function Actions({ state, accounts, installUrl, connect }: GitStatus & { connect: Connect }) {
  const status = useQuery(gitStatusQuery);
  const may = usePermissions();
  const mayConnect = useMayConnect();
  const mayDisconnect = !useIsRestricted() && may('githost:admin');
  const isUsed = accounts.some(({ sources }) => sources.includes('cli'));
  const mayAddProgram = useMayUseProgram() && mayConnect && !isUsed;
  const [isDisconnecting, setIsDisconnecting] = useState(false);
  return (
    <>
      {state === 'unavailable' && (
        <Button size="small" busy={status.isFetching} onClick={() => void status.refetch()}>
          Check again
        </Button>
      )}
      {mayConnect && (state === 'suspended' || state === 'signed_out') && (
        <Button size="small" kind="primary" busy={connect.isPending} onClick={() => connect.begin()}>
          Connect again
        </Button>
      )}
      {mayConnect && state === 'connected' && installUrl && (
        <Button size="small" busy={connect.isPending} onClick={() => connect.begin('app')}>
          Add an account
        </Button>
      )}
      {(mayDisconnect || mayAddProgram) && (
        <MenuButton label="Connection actions">
          {mayAddProgram && <MenuItem onSelect={() => connect.begin('cli')}>Use gh on this machine</MenuItem>}
          {mayDisconnect && (
            <MenuItem danger onSelect={() => setIsDisconnecting(true)}>
              Disconnect
            </MenuItem>
          )}
        </MenuButton>
      )}
      {isDisconnecting && <DisconnectDialog accounts={accounts} onClose={() => setIsDisconnecting(false)} />}
    </>
  );
}

const Accounts = ({ accounts }: { accounts: GitAccount[] }) => (
  <Card>
    <ul aria-label="Accounts" className="divide-y divide-line">
      {accounts.map((account) => (
        <Account key={account.login} account={account} />
      ))}
    </ul>
  </Card>
);

function Account({ account: { login, type, webUrl, sources } }: { account: GitAccount }) {
  const used = sources.map((source) => sourceTitles[source]);
  return (
    <li className="flex items-center gap-3 px-5 py-3.5">
      <Avatar name={login} />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
          <OutsideLink url={webUrl}>{login}</OutsideLink>
          <Badge>{type === 'user' ? 'User' : 'Organization'}</Badge>
        </span>
        <span className="block text-sm text-muted">
          {hostOf(webUrl)} · {used.join(', ')}
        </span>
      </span>
    </li>
  );
}

function useMayConnect(): boolean {
  const may = usePermissions();
  return !useIsRestricted() && may('githost:write');
}

/** The login of gh belongs to the machine, so only the owner of the instance may use it. */
function useMayUseProgram(): boolean {
  const { isInstanceOwner } = useSession().user;
  const { data: health } = useQuery(healthQuery);
  const isPossible = isInstanceOwner && health?.mode === 'self-hosted';
  const { data: local } = useQuery({ ...localStatusQuery, enabled: isPossible });
  return isPossible && local !== undefined;
}
