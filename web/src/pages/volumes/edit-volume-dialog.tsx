import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { FoldedFields } from '../../forms/folded-fields.tsx';
import { Form, FormActions } from '../../forms/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Volume } from '../../volume-queries.ts';
import { OverlapField, PathField } from './volume-fields.tsx';

type Props = { projectId: string; volume: Volume; onClose: () => void };

export function EditVolumeDialog({ projectId: id, volume, onClose }: Props) {
  const { name, environment } = volume;
  const toast = useToast();
  const [overlap, setOverlap] = useState(volume.overlap);
  const edit = useChange(async (path: string) => {
    const params = { path: { id, name } };
    const body = { path, overlap, environment };
    const { data } = await unwrap(client.PATCH('/api/projects/{id}/volumes/{name}', { params, body }));
    toast(data.pending ? `The next deployment mounts ${name} at ${data.path}` : `${name} is changed`);
    onClose();
  });
  return (
    <Dialog
      title={`Change the path of ${name}`}
      lead="The next deployment mounts it at the new path, with all its data."
      onClose={onClose}
    >
      <Form change={edit} onSubmit={(value) => edit.mutate(value('path').trim())}>
        <PathField path={volume.path ?? ''} autoFocus />
        <FoldedFields title="Advanced" means="Overlap" names={['overlap']} startsOpen={volume.overlap}>
          <OverlapField value={overlap} onChange={setOverlap} />
        </FoldedFields>
        <FormActions submit="Save changes">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
