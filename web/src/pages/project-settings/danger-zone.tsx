import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Project, useChange } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { volumesQuery } from '../../volume-queries.ts';

export function DangerZone({ project }: { project: Project }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section title="Danger zone">
      <Card className="flex flex-wrap items-center justify-between gap-4 border-danger p-5">
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium">Delete this project</p>
          <p className="text-sm text-muted">
            Stops its app and removes its deployments, variables and domains. You decide what happens to its volumes.
          </p>
        </div>
        <Button kind="danger" onClick={() => setIsAsking(true)}>
          Delete project
        </Button>
      </Card>
      {isAsking && <DeleteDialog project={project} onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

function DeleteDialog({ project: { id, name, slug }, onClose }: { project: Project; onClose: () => void }) {
  const toast = useToast();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [withVolumes, setWithVolumes] = useState(false);
  const volumes = useQuery(volumesQuery(id));
  const remove = useChange(async () => {
    const query = { volumes: withVolumes ? ('true' as const) : ('false' as const) };
    await unwrap(client.DELETE('/api/projects/{id}', { params: { path: { id }, query } }));
    toast(`${name} is deleted`);
    await navigate({ to: paths.projects });
  });
  const count = volumes.data?.length ?? 0;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete project"
      change={remove}
      isReady={typed.trim() === slug}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
      details={
        <div className="grid gap-4">
          {count > 0 && (
            <div className="grid gap-1.5">
              <Checkbox checked={withVolumes} onChange={setWithVolumes}>
                Also delete {count === 1 ? 'its volume' : `its ${count} volumes`} with all data
              </Checkbox>
              {!withVolumes && (
                <p className="text-sm text-muted">
                  The data is kept, but only an administrator of the machine can reach it. To use it in another project,
                  back it up first.
                </p>
              )}
            </div>
          )}
          <label className="grid gap-1.5 text-sm">
            <span>
              Type <strong className="font-mono">{slug}</strong> to confirm
            </span>
            <input
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              className="control font-mono"
            />
          </label>
        </div>
      }
    >
      The app stops serving immediately. This cannot be undone.
    </ConfirmDialog>
  );
}
