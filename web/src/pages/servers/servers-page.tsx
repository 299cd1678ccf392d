import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { toServers } from '../../paths.ts';
import { useIsRestricted, usePermissions } from '../../permissions.ts';
import { serversQuery } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { AddServerDialog } from './add-server-dialog.tsx';
import { type ServerTask, ServerTaskDialog } from './server-task-dialog.tsx';
import { ServerTable } from './server-table.tsx';

/** The machines that projects can be deployed to. */
export function ServersPage() {
  const mayAdd = useMayAdd();
  const servers = useQuery(serversQuery);
  const [task, setTask] = useState<ServerTask>();
  const { add } = useSearch({ from: '/signed-in/servers' });
  const navigate = useNavigate();
  const setAdding = (on: boolean) => void navigate(toServers(on ? { add: true } : {}));
  const button = mayAdd && (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" size={16} />
      Add server
    </Button>
  );
  return (
    <Page
      title="Servers"
      lead="Machines that Mooring deploys to over SSH. Containers that already run there can be adopted as projects."
      action={servers.data?.length ? button : undefined}
    >
      <Loaded query={servers}>
        {(list) =>
          list.length ? (
            <ServerTable servers={list} onTask={setTask} />
          ) : (
            <EmptyState icon="server" title="No servers yet" action={button}>
              {mayAdd
                ? 'Add a machine that has Docker and that this instance reaches over SSH.'
                : 'There are none that you can see. A member with write access can add one.'}
            </EmptyState>
          )
        }
      </Loaded>
      {add && mayAdd && <AddServerDialog servers={servers.data ?? []} onClose={() => setAdding(false)} />}
      {task && <ServerTaskDialog task={task} onClose={() => setTask(undefined)} />}
    </Page>
  );
}

function useMayAdd(): boolean {
  const may = usePermissions();
  return !useIsRestricted() && may('server:write');
}
