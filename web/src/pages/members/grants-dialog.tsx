import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, type Grant, type Member, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { GrantsField } from '../../forms/grants-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

export function GrantsDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const [grants, setGrants] = useState<Grant[]>(member.grants);
  const toast = useToast();
  const change = useChange(async () => {
    await unwrap(client.PUT('/api/members/{id}/grants', { params: { path: { id: member.id } }, body: { grants } }));
    toast(`The grants of ${member.name} are saved`);
    onClose();
  });
  return (
    <Dialog
      title={`Grants of ${member.name}`}
      lead="A restricted member can only use the resources listed here."
      wide
      onClose={onClose}
    >
      <Form change={change} onSubmit={() => change.mutate(undefined)}>
        <GrantsField value={grants} onChange={setGrants} />
        <FormActions submit="Save grants">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
