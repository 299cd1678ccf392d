import { unwrap } from '@mooring/client';
import { client, useChange } from '../api.ts';
import { Form, FormActions } from '../forms/form.tsx';
import { TextField } from '../forms/text-field.tsx';
import { useSwitchOrganization } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';

type Props = { onClose: () => void; onCreated?: () => void };

export function NewOrganizationDialog({ onClose, onCreated }: Props) {
  const switchTo = useSwitchOrganization();
  const toast = useToast();
  const create = useChange(async (name: string) => {
    const { data } = await unwrap(client.POST('/api/organizations', { body: { name } }));
    onClose();
    await switchTo(data.id);
    onCreated?.();
    toast(`${data.name} is created`);
  });
  return (
    <Dialog
      title="New organization"
      lead="It has its own members, tokens and audit log. You become its owner."
      onClose={onClose}
    >
      <Form change={create} onSubmit={(value) => create.mutate(value('name'))}>
        <TextField label="Name" name="name" autoComplete="organization" required autoFocus />
        <FormActions submit="Create organization">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
