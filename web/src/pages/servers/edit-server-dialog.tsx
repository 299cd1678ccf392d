import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { asSentence, client, useChange } from '../../api.ts';
import { Form, FormActions, type Values } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import type { Server } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { EdgeFields, PlaceFields, typed } from './server-fields.tsx';
import { changedIn, edgeIn, newCredentialsIn, placeIn, type SignInWay } from './server-settings.ts';

type Props = { server: Server; onClose: () => void };

export function EditServerDialog({ server, onClose }: Props) {
  const [way, setWay] = useState<SignInWay>('keep');
  const edit = useEdit(server, onClose);
  const isSsh = server.kind === 'ssh';
  const bodyIn = (value: Values) =>
    isSsh
      ? { ...changedIn(server, { ...placeIn(value), ...edgeIn(value) }), ...newCredentialsIn(way, value) }
      : changedIn(server, { name: value('name').trim() });
  return (
    <Dialog title={`Edit ${server.name}`} lead="The next connection is made by what is said here." onClose={onClose}>
      <Form change={edit} onSubmit={(value) => edit.mutate(bodyIn(value))}>
        <TextField label="Name" name="name" {...typed} defaultValue={server.name} required autoFocus />
        {isSsh && (
          <>
            <PlaceFields server={server} />
            <CredentialFields way={way} onChange={setWay} mayKeep />
            <EdgeFields server={server} />
          </>
        )}
        <FormActions submit="Save changes">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type Change = ReturnType<typeof newCredentialsIn> & Parameters<typeof changedIn>[1];

function useEdit({ id }: Server, onClose: () => void) {
  const toast = useToast();
  return useChange(async (body: Change) => {
    if (Object.keys(body).length) {
      const { data, message } = await unwrap(client.PATCH('/api/servers/{id}', { params: { path: { id } }, body }));
      // What became of the host key that was known is news.
      toast(message ? asSentence(message) : `${data.name} is changed`);
    }
    onClose();
  });
}
