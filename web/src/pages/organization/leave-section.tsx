import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange, useSession } from '../../api.ts';
import { useSwitchOrganization } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Everyone may leave, whatever their role. */
export function LeaveSection() {
  const [asking, setAsking] = useState(false);
  return (
    <Section title="Leave">
      <Card className="flex flex-wrap items-center justify-between gap-4 p-5 sm:max-w-lg">
        <p className="min-w-0 flex-1 basis-60 text-muted">
          Your tokens in this organization are revoked. The last owner cannot leave.
        </p>
        <Button onClick={() => setAsking(true)}>Leave organization</Button>
      </Card>
      {asking && <LeaveDialog onClose={() => setAsking(false)} />}
    </Section>
  );
}

export function LeaveDialog({ onClose }: { onClose: () => void }) {
  const { organization } = useSession();
  const toast = useToast();
  const switchTo = useSwitchOrganization();
  const leave = useChange(async () => {
    await unwrap(client.POST('/api/organizations/leave', { body: { organizationId: organization!.id } }));
    toast(`You left ${organization?.name}`);
    onClose();
    await switchTo(undefined);
  });
  return (
    <ConfirmDialog
      title={`Leave ${organization?.name}?`}
      confirm="Leave"
      change={leave}
      onConfirm={() => leave.mutate(undefined)}
      onClose={onClose}
    >
      You lose access immediately, and your tokens in this organization are revoked. Somebody has to invite you to come
      back.
    </ConfirmDialog>
  );
}
