import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { PermissionField } from '../../forms/permission-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ExpiryField, readExpiry } from './expiry-field.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';

type Reach = 'everything' | 'chosen';
type NewToken = { name: string; permissions: '*' | string[]; expiresInDays?: number };

const reaches = [
  { value: 'everything' as const, title: 'All of your permissions', means: 'Follows your role when it changes.' },
  { value: 'chosen' as const, title: 'Selected permissions', means: 'Never more than your own permissions.' },
];

export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const [reach, setReach] = useState<Reach>('everything');
  const [chosen, setChosen] = useState<string[]>([]);
  const create = useChange(async (body: NewToken) => (await unwrap(client.POST('/api/tokens', { body }))).data);
  const submit = (value: FormValues) =>
    create.mutate({
      name: value('name'),
      permissions: reach === 'everything' ? '*' : chosen,
      expiresInDays: readExpiry(value),
    });

  if (create.data) return <NewTokenDialog name={create.data.name} token={create.data.token} onClose={onClose} />;
  return (
    <Dialog
      title="New access token"
      lead="Use one token per program, so that you can revoke them separately."
      wide
      onClose={onClose}
    >
      <Form change={create} onSubmit={submit}>
        <TextField
          label="Name"
          name="name"
          placeholder="What it is for, such as Release pipeline"
          autoComplete="off"
          required
          autoFocus
        />
        <ExpiryField />
        <ChoiceField label="Permissions" name="reach" choices={reaches} value={reach} onChange={setReach} />
        {reach === 'chosen' && <PermissionField value={chosen} onChange={setChosen} />}
        <FormActions submit="Create token">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
