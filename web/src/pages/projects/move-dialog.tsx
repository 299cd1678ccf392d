import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Project, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { serversQuery } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { project: Project; onClose: () => void };

/** Selects the server of a project's deployments. */
export function MoveDialog({ project, onClose }: Props) {
  const { data: servers = [] } = useQuery(serversQuery);
  const [serverId, setServerId] = useState(project.serverId ?? '');
  const move = useMove(project, onClose);
  const options = [
    { value: '', title: 'This machine' },
    ...servers.filter(({ kind }) => kind === 'ssh').map(({ id, name }) => ({ value: id, title: name })),
  ];
  return (
    <Dialog
      title={`Where ${project.name} runs`}
      lead="The next deployment goes there. You can change the server only while no release is active."
      onClose={onClose}
    >
      <Form change={move} onSubmit={() => move.mutate(serverId || null)}>
        <SelectField label="Server" name="serverId" options={options} value={serverId} onChange={setServerId} />
        <FormActions submit="Save">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

function useMove({ id, name, serverId: before }: Project, onClose: () => void) {
  const toast = useToast();
  return useChange(async (serverId: string | null) => {
    if (serverId !== before) {
      await unwrap(client.PATCH('/api/projects/{id}', { params: { path: { id } }, body: { serverId } }));
      toast(`The next deployment of ${name} goes to the new server`);
    }
    onClose();
  });
}
