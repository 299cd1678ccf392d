import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { toRegistries } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { registriesQuery } from '../../registry-queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { DeleteRegistryDialog } from './delete-registry-dialog.tsx';
import { AddRegistryDialog, EditRegistryDialog } from './registry-dialogs.tsx';
import { type RegistryTask, RegistryTable } from './registry-table.tsx';

/** The logins of the organization at image registries. */
export function RegistriesPage() {
  const mayAdd = usePermissions()('registry:write');
  const registries = useQuery(registriesQuery);
  const [task, setTask] = useState<RegistryTask>();
  const { add } = useSearch({ from: '/signed-in/registries' });
  const navigate = useNavigate();
  const setAdding = (on: boolean) => void navigate(toRegistries(on ? { add: true } : {}));
  const button = mayAdd && (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" size={16} />
      Add registry
    </Button>
  );
  const close = () => setTask(undefined);
  return (
    <Page
      title="Registries"
      lead="Logins for image registries. Builds and deployments of every project use them to pull private images."
      action={registries.data?.length ? button : undefined}
    >
      <Loaded query={registries}>
        {(list) =>
          list.length ? (
            <RegistryTable registries={list} onTask={setTask} />
          ) : (
            <EmptyState icon="registry" title="No registries yet" action={button}>
              {mayAdd
                ? 'Public images need no login. Add one to pull private images, or to raise the pull limit of Docker Hub.'
                : 'Public images need no login. A member with write access can add a login for private ones.'}
            </EmptyState>
          )
        }
      </Loaded>
      {add && mayAdd && <AddRegistryDialog onClose={() => setAdding(false)} />}
      {task?.kind === 'edit' && <EditRegistryDialog registry={task.registry} onClose={close} />}
      {task?.kind === 'delete' && <DeleteRegistryDialog registry={task.registry} onClose={close} />}
    </Page>
  );
}
