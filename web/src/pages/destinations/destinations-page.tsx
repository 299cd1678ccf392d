import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { destinationKindsQuery, destinationsQuery } from '../../destination-queries.ts';
import { toDestinations } from '../../paths.ts';
import { useIsRestricted, usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { DeleteDestinationDialog } from './delete-destination-dialog.tsx';
import { AddDestinationDialog, EditDestinationDialog } from './destination-dialogs.tsx';
import { DestinationItem, type DestinationTask } from './destination-item.tsx';

/** The storage that backup archives are written to. */
export function DestinationsPage() {
  const may = usePermissions();
  const isRestricted = useIsRestricted();
  const mayAdd = may('backup_destination:write') && !isRestricted;
  const destinations = useQuery(destinationsQuery);
  const { data: kinds = [] } = useQuery(destinationKindsQuery);
  const [task, setTask] = useState<DestinationTask>();
  const { add } = useSearch({ from: '/signed-in/backup-destinations' });
  const navigate = useNavigate();
  const setAdding = (on: boolean) => void navigate(toDestinations(on ? { add: true } : {}));
  const titleOf = (name: string) => kinds.find(({ kind }) => kind === name)?.label ?? name;
  const button = mayAdd && (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" size={16} />
      Add destination
    </Button>
  );
  const close = () => setTask(undefined);
  return (
    <Page
      title="Backup destinations"
      lead="Storage for backup archives. A preflight writes a probe object, reads it back, compares it and deletes it."
      action={destinations.data?.length ? button : undefined}
    >
      <Loaded query={destinations}>
        {(list) =>
          list.length ? (
            <Card>
              <ul aria-label="Backup destinations" className="divide-y divide-line">
                {list.map((each) => (
                  <DestinationItem key={each.id} destination={each} kindTitle={titleOf(each.kind)} onTask={setTask} />
                ))}
              </ul>
            </Card>
          ) : (
            <EmptyState icon="backup" title="No backup destinations yet" action={button}>
              {mayAdd
                ? 'Add an S3-compatible bucket, an SFTP server, one of your servers or a folder on this machine.'
                : 'There are none that you can see. A member with write access can add one.'}
            </EmptyState>
          )
        }
      </Loaded>
      {add && mayAdd && <AddDestinationDialog onClose={() => setAdding(false)} />}
      {task?.kind === 'edit' && <EditDestinationDialog destination={task.destination} onClose={close} />}
      {task?.kind === 'delete' && <DeleteDestinationDialog destination={task.destination} onClose={close} />}
    </Page>
  );
}
