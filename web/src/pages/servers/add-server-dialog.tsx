import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { client, healthQuery, useChange, useMe } from '../../api.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Form, FormActions, type Values } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toServer } from '../../paths.ts';
import type { Server } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { EdgeFields, PlaceFields, typed } from './server-fields.tsx';
import { credentialsIn, edgeIn, placeIn, type SignInWay } from './server-settings.ts';

type Kind = Server['kind'];

const kinds: ComponentProps<typeof ChoiceField<Kind>>['choices'] = [
  { value: 'ssh', title: 'A machine over SSH', means: 'With an address, a user and a key or password.' },
  { value: 'this_machine', title: 'This machine', means: 'To take over what runs here already, beside Mooring.' },
];

type Props = { servers: Server[]; onClose: () => void };

/** Nobody is dialled by it: the page of the server, where it leads to, has the test. */
export function AddServerDialog({ servers, onClose }: Props) {
  const [kind, setKind] = useState<Kind>('ssh');
  const [way, setWay] = useState<SignInWay>('generate');
  const add = useAdd();
  return (
    <Dialog title="Add a server" lead="It needs Docker, and a user who may use it." onClose={onClose}>
      <Form change={add} onSubmit={(value) => add.mutate(bodyIn(kind, way, value))}>
        {useMayAddThisMachine(servers) && (
          <ChoiceField label="Which one" name="kind" choices={kinds} value={kind} onChange={setKind} />
        )}
        <TextField label="Name" name="name" placeholder="What you call it" {...typed} required autoFocus />
        {kind === 'ssh' && (
          <>
            <PlaceFields />
            <CredentialFields way={way} onChange={setWay} />
            <EdgeFields />
          </>
        )}
        <FormActions submit="Add server">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** It belongs to whoever set the instance up, and is added once. */
function useMayAddThisMachine(servers: Server[]): boolean {
  const { user } = useMe();
  const { data } = useQuery(healthQuery);
  const isThere = servers.some(({ kind }) => kind === 'this_machine');
  return user.isInstanceOwner && data?.mode === 'self-hosted' && !isThere;
}

const bodyIn = (kind: Kind, way: SignInWay, value: Values) =>
  kind === 'this_machine'
    ? { kind, name: value('name').trim() }
    : { kind, ...placeIn(value), ...credentialsIn(way, value), ...edgeIn(value) };

function useAdd() {
  const toast = useToast();
  const navigate = useNavigate();
  return useChange(async (body: ReturnType<typeof bodyIn>) => {
    const { data } = await unwrap(client.POST('/api/servers', { body }));
    toast(`${data.name} is added`);
    await navigate(toServer(data.id));
  });
}
