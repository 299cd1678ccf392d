import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, type Grant, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { GrantsField } from '../../forms/grants-field.tsx';
import { RoleField } from '../../forms/role-field.tsx';
import { EmailField } from '../../forms/text-field.tsx';
import type { Role } from '../../roles.ts';
import { exactTime } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { OnceDialog } from '../../ui/once-dialog.tsx';

type NewInvitation = { email: string; role: Role; grants: Grant[] };

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [role, setRole] = useState<Role>('member');
  const [grants, setGrants] = useState<Grant[]>([]);
  const invite = useChange(
    async (body: NewInvitation) => (await unwrap(client.POST('/api/invitations', { body }))).data,
  );

  if (invite.data) {
    const { email, url, expiresAt } = invite.data;
    const lead = `Mooring sends no e-mail: share it with ${email} yourself. It works once, until ${exactTime(expiresAt)}.`;
    return <OnceDialog title="Invitation link" lead={lead} label="Link" value={url} onClose={onClose} />;
  }
  const given = role === 'restricted' ? grants : [];
  return (
    <Dialog title="Invite somebody" lead="You get a link to share. It expires after seven days." wide onClose={onClose}>
      <Form change={invite} onSubmit={(value) => invite.mutate({ email: value('email'), role, grants: given })}>
        <EmailField autoComplete="off" autoFocus hint="An earlier invitation of the same address is replaced." />
        <RoleField value={role} onChange={setRole} />
        {role === 'restricted' && <GrantsField value={grants} onChange={setGrants} />}
        <FormActions submit="Create invitation link">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
