import { unwrap } from '@mooring/client';
import { type FormEvent, useState } from 'react';
import { asSentence, client, useChange } from '../../api.ts';
import { Form, FormActions, type FormValues, valuesOf } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import type { Server } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { addressOf } from './address.ts';
import { CredentialFields } from './credential-fields.tsx';
import { EdgeFields, ServerAddressFields } from './server-fields.tsx';
import {
  changedServerFields,
  currentWay,
  serverEdgeIn,
  isServerMoved,
  newCredentialsIn,
  serverAddressIn,
  type SignInWay,
} from './server-settings.ts';
import { exactText } from '../../forms/exact-text.ts';

type Props = { server: Server; onClose: () => void };

export function EditServerDialog({ server, onClose }: Props) {
  const [way, setWay] = useState<SignInWay>('keep');
  const [mayKeep, setMayKeep] = useState(true);
  const edit = useEdit(server, onClose);
  const isSsh = server.kind === 'ssh';
  const lookAtPlace = ({ currentTarget }: FormEvent<HTMLElement>) => {
    const hasMoved = isServerMoved(server, valuesOf(currentTarget.closest('form')!));
    setMayKeep(!hasMoved);
    if (hasMoved && way === 'keep') setWay(currentWay(server));
  };
  const bodyIn = (value: FormValues) =>
    isSsh
      ? {
          ...changedServerFields(server, { ...serverAddressIn(value), ...serverEdgeIn(value) }),
          ...newCredentialsIn(way, value),
        }
      : changedServerFields(server, { name: value('name').trim() });
  return (
    <Dialog title={`Edit ${server.name}`} lead="The next connection uses these settings." onClose={onClose}>
      <Form change={edit} onSubmit={(value) => edit.mutate(bodyIn(value))}>
        <TextField label="Name" name="name" {...exactText} defaultValue={server.name} required autoFocus />
        {isSsh && (
          <>
            <div className="grid grid-cols-1 gap-5" onChange={lookAtPlace}>
              <ServerAddressFields server={server} />
            </div>
            <CredentialFields way={way} onChange={setWay} mayKeep={mayKeep} />
            {!mayKeep && (
              <p className="text-sm text-muted">
                The stored credentials belong to {addressOf(server)}. Enter them again for the new host, port or user.
              </p>
            )}
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

type Change = ReturnType<typeof newCredentialsIn> & Parameters<typeof changedServerFields>[1];

function useEdit({ id }: Server, onClose: () => void) {
  const toast = useToast();
  return useChange(async (body: Change) => {
    if (Object.keys(body).length) {
      const { data, message } = await unwrap(client.PATCH('/api/servers/{id}', { params: { path: { id } }, body }));
      // The response says whether the known host key was kept.
      toast(message ? asSentence(message) : `${data.name} changed`);
    }
    onClose();
  });
}
