import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, type Member, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { RoleField } from '../../forms/role-field.tsx';
import { type Role, roleTitle } from '../../roles.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { member: Member; onClose: () => void; onRestricted: (member: Member) => void };

export function RoleDialog({ member, onClose, onRestricted }: Props) {
  const [role, setRole] = useState<Role>(member.role);
  const toast = useToast();
  const change = useChange(async () => {
    const { data } = await unwrap(
      client.PATCH('/api/members/{id}', { params: { path: { id: member.id } }, body: { role } }),
    );
    toast(`${member.name} has the role ${roleTitle(role)} now`);
    if (role === 'restricted' && !data.grants.length) onRestricted(data);
    else onClose();
  });
  return (
    <Dialog title={`Role of ${member.name}`} lead={member.email} onClose={onClose}>
      <Form change={change} onSubmit={() => (role === member.role ? onClose() : change.mutate(undefined))}>
        <RoleField value={role} onChange={setRole} />
        <FormActions submit="Change role">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
