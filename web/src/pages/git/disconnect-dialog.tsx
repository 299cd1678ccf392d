import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, projectsQuery, useChange } from '../../api.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import type { GitAccount } from '../../githost-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { WarningsDialog } from '../../ui/warnings-dialog.tsx';

type Scope = 'all' | 'oauth' | 'cli';
type Props = { accounts: GitAccount[]; onClose: () => void };

const choices = {
  all: { title: 'Everything', means: 'The app, the OAuth sign-in and gh on this machine.' },
  oauth: { title: 'Only the OAuth sign-in', means: 'Its token is revoked at the git host.' },
  cli: { title: 'Only gh on this machine', means: 'It stays signed in on the machine itself.' },
};

export function DisconnectDialog({ accounts, onClose }: Props) {
  const toast = useToast();
  const [scope, setScope] = useState<Scope>('all');
  const used = new Set(accounts.flatMap(({ sources }) => sources));
  const offered = (['all', 'oauth', 'cli'] as const).filter((each) => each === 'all' || used.has(each));
  const disconnect = useChange(async () => {
    const body = { source: scope };
    const { data } = await unwrap(client.POST('/api/githost/disconnect', { body }));
    if (!data.warnings.length) {
      toast('Git host disconnected');
      onClose();
    }
    return data.warnings;
  });
  if (disconnect.data?.length)
    return (
      <WarningsDialog
        title="Disconnected"
        lead="Mooring has deleted its credentials, but could not revoke all of them at the git host."
        warnings={disconnect.data}
        onClose={onClose}
      />
    );
  return (
    <ConfirmDialog
      title="Disconnect the git host?"
      confirm="Disconnect"
      change={disconnect}
      details={
        <div className="grid gap-4">
          {used.size > 1 && (
            <ChoiceField
              label="Disconnect"
              name="source"
              choices={offered.map((value) => ({ value, ...choices[value] }))}
              value={scope}
              onChange={setScope}
            />
          )}
          <Followers />
        </div>
      }
      onConfirm={() => disconnect.mutate(undefined)}
      onClose={onClose}
    >
      Mooring deletes its credentials. An installed app stays installed: uninstall it in the settings of the git host.
    </ConfirmDialog>
  );
}

function Followers() {
  const may = usePermissions();
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const count = projects.filter(({ source }) => source.type === 'githost').length;
  if (!count) return null;
  return (
    <Notice kind="warn">
      {count === 1 ? '1 project deploys' : `${count} projects deploy`} from a repository. Running releases keep running,
      but pushes are not deployed until you connect again.
    </Notice>
  );
}
