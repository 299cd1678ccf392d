import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { client, healthQuery, useChange, useSession } from '../../api.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toServer } from '../../paths.ts';
import type { Server } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { EdgeFields, ServerAddressFields } from './server-fields.tsx';
import { credentialsIn, serverEdgeIn, serverAddressIn, type SignInWay } from './server-settings.ts';
import { exactText } from '../../forms/exact-text.ts';

type Kind = Server['kind'];

const kinds: ComponentProps<typeof ChoiceField<Kind>>['choices'] = [
  { value: 'ssh', title: 'Another machine over SSH', means: 'Needs an address, a user, and a key or password.' },
  { value: 'this_machine', title: 'This machine', means: 'To adopt containers that already run here.' },
];

type Props = { servers: Server[]; onClose: () => void };

/** Adding a server does not connect to it. The server's page, which opens next, has the test. */
export function AddServerDialog({ servers, onClose }: Props) {
  const [kind, setKind] = useState<Kind>('ssh');
  const [way, setWay] = useState<SignInWay>('generate');
  const add = useAdd();
  return (
    <Dialog title="Add a server" lead="The server needs Docker, and a user who can run it." onClose={onClose}>
      <Form change={add} onSubmit={(value) => add.mutate(bodyIn(kind, way, value))}>
        {useMayAddThisMachine(servers) && (
          <ChoiceField label="Kind" name="kind" choices={kinds} value={kind} onChange={setKind} />
        )}
        <TextField label="Name" name="name" placeholder="web-1" {...exactText} required autoFocus />
        {kind === 'ssh' && (
          <>
            <ServerAddressFields />
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

/** Only the owner of the instance adds its own machine, and only once. */
function useMayAddThisMachine(servers: Server[]): boolean {
  const { user } = useSession();
  const { data } = useQuery(healthQuery);
  const isThere = servers.some(({ kind }) => kind === 'this_machine');
  return user.isInstanceOwner && data?.mode === 'self-hosted' && !isThere;
}

const bodyIn = (kind: Kind, way: SignInWay, value: FormValues) =>
  kind === 'this_machine'
    ? { kind, name: value('name').trim() }
    : { kind, ...serverAddressIn(value), ...credentialsIn(way, value), ...serverEdgeIn(value) };

function useAdd() {
  const toast = useToast();
  const navigate = useNavigate();
  return useChange(async (body: ReturnType<typeof bodyIn>) => {
    const { data } = await unwrap(client.POST('/api/servers', { body }));
    toast(`${data.name} added`);
    await navigate(toServer(data.id));
  });
}
