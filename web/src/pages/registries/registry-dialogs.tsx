import { unwrap } from '@mooring/client';
import { useId } from 'react';
import { client, useChange } from '../../api.ts';
import { exactText } from '../../forms/exact-text.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { PasswordField } from '../../forms/password-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import type { Registry } from '../../registry-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { knownRegistries } from './registry-names.ts';

type NewLogin = { address: string; username: string; password: string };

export function AddRegistryDialog({ onClose }: { onClose: () => void }) {
  const toast = useToast();
  const suggestions = useId();
  const add = useChange(async (body: NewLogin) => {
    const { data } = await unwrap(client.POST('/api/registries', { body }));
    toast(`Login for ${data.address} added`);
    onClose();
  });
  return (
    <Dialog
      title="Add a registry"
      lead="Deployments sign in with it whenever an image name starts with this address."
      onClose={onClose}
    >
      <Form
        change={add}
        onSubmit={(value) =>
          add.mutate({
            address: value('address').trim(),
            username: value('username').trim(),
            password: value('password'),
          })
        }
      >
        <TextField
          label="Address"
          name="address"
          placeholder="ghcr.io"
          hint="Host name, with a port if it needs one. Docker Hub is docker.io."
          list={suggestions}
          {...exactText}
          required
          autoFocus
        />
        <datalist id={suggestions}>
          {knownRegistries.map(({ address, title }) => (
            <option key={address} value={address} label={title} />
          ))}
        </datalist>
        <TextField label="Username" name="username" {...exactText} required />
        <PasswordField
          label="Password or access token"
          name="password"
          autoComplete="new-password"
          hint="Prefer an access token that can only pull. It is stored encrypted and never shown again."
        />
        <FormActions submit="Add registry">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type Props = { registry: Registry; onClose: () => void };

export function EditRegistryDialog({ registry: { id, address, username }, onClose }: Props) {
  const toast = useToast();
  const edit = useChange(async (body: { username: string; password?: string }) => {
    await unwrap(client.PATCH('/api/registries/{id}', { params: { path: { id } }, body }));
    toast(`Login for ${address} changed`);
    onClose();
  });
  return (
    <Dialog
      title={`Edit the login for ${address}`}
      lead="The next build or deployment uses the new login. To use another registry, add it."
      onClose={onClose}
    >
      <Form
        change={edit}
        onSubmit={(value) =>
          edit.mutate({
            username: value('username').trim(),
            ...(value('password') && { password: value('password') }),
          })
        }
      >
        <TextField label="Username" name="username" {...exactText} defaultValue={username} required autoFocus />
        <PasswordField
          label="Password or access token"
          name="password"
          autoComplete="new-password"
          required={false}
          hint="Stored. Leave empty to keep it."
        />
        <FormActions submit="Save changes">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
