import { unwrap } from '@mooring/client';
import { client, type Member, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { exactTime } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { OnceDialog } from '../../ui/once-dialog.tsx';

export function ResetDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const offer = useChange(
    async () =>
      (await unwrap(client.POST('/api/members/{id}/password-reset', { params: { path: { id: member.id } } }))).data,
  );
  if (offer.data) {
    const { url, expiresAt } = offer.data;
    const lead = `Mooring sends no e-mail: share it with ${member.name} yourself. It works once, until ${exactTime(expiresAt)}.`;
    return <OnceDialog title="Password reset link" lead={lead} label="Link" value={url} onClose={onClose} />;
  }
  return (
    <Dialog
      title="Password reset link"
      lead={`With the link, ${member.name} (${member.email}) sets a new password.`}
      onClose={onClose}
    >
      <Form change={offer} onSubmit={() => offer.mutate(undefined)}>
        <p className="text-muted">
          Anyone with the link can sign in as this person, so share it privately. Earlier links stop working.
        </p>
        <FormActions submit="Make link">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
