import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Token, tokensQuery } from '../../api.ts';
import { toTokens } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { TokenTable } from './token-table.tsx';

export function TokensPage() {
  const may = usePermissions();
  const tokens = useQuery(tokensQuery);
  const [revoking, setRevoking] = useState<Token>();
  const { create } = useSearch({ from: '/signed-in/tokens' });
  const navigate = useNavigate();
  const setCreating = (on: boolean) => void navigate(toTokens(on ? { create: true } : {}));
  const lead = may('token:admin')
    ? 'Programs and the command line sign in with a token. You see those of everybody in the organization.'
    : 'Programs and the command line sign in with a token. It acts as you, within the permissions it has.';
  const button = may('token:write') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" size={16} />
      New token
    </Button>
  );
  return (
    <Page title="Access tokens" lead={lead} action={tokens.data?.length ? button : undefined}>
      <Loaded query={tokens}>
        {(list) =>
          list.length ? (
            <TokenTable tokens={list} onRevoke={setRevoking} />
          ) : (
            <EmptyState icon="key" title="No tokens yet" action={button}>
              Create one to use Mooring from a script, a pipeline or the command line.
            </EmptyState>
          )
        }
      </Loaded>
      {create && may('token:write') && <CreateTokenDialog onClose={() => setCreating(false)} />}
      {revoking && <RevokeTokenDialog token={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}
