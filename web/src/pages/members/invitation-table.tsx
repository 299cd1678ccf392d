import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, type Invitation, useChange } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { roleTitle } from '../../roles.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';

export function InvitationTable({ invitations }: { invitations: Invitation[] }) {
  const may = usePermissions();
  const [withdrawing, setWithdrawing] = useState<Invitation>();
  if (!invitations.length) return <p className="text-muted">No open invitations.</p>;
  const columns: Column<Invitation>[] = [
    {
      title: 'Address',
      place: 'lead',
      cell: ({ email }) => <span className="block truncate pr-12 font-medium md:pr-0">{email}</span>,
    },
    { title: 'Role', cell: ({ role }) => <Badge>{roleTitle(role)}</Badge> },
    {
      title: 'Expires',
      cell: ({ expiresAt }) => (
        <span className="text-sm text-muted">
          <Time at={expiresAt} />
        </span>
      ),
    },
    ...(may('member:admin')
      ? [{ title: 'Actions', place: 'actions' as const, cell: withdrawButton(setWithdrawing) }]
      : []),
  ];
  return (
    <>
      <Table label="Open invitations" rows={invitations} keyOf={({ id }) => id} columns={columns} />
      {withdrawing && <WithdrawDialog invitation={withdrawing} onClose={() => setWithdrawing(undefined)} />}
    </>
  );
}

const withdrawButton = (onWithdraw: (invitation: Invitation) => void) => (invitation: Invitation) => (
  <Button
    size="small"
    kind="quiet"
    onClick={() => onWithdraw(invitation)}
    aria-label={`Withdraw the invitation of ${invitation.email}`}
  >
    Withdraw
  </Button>
);

function WithdrawDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const toast = useToast();
  const withdraw = useChange(async () => {
    await unwrap(client.DELETE('/api/invitations/{id}', { params: { path: { id: invitation.id } } }));
    toast('The invitation is withdrawn');
    onClose();
  });
  return (
    <ConfirmDialog
      title="Withdraw the invitation?"
      confirm="Withdraw"
      change={withdraw}
      onConfirm={() => withdraw.mutate(undefined)}
      onClose={onClose}
    >
      The link that {invitation.email} was given stops working.
    </ConfirmDialog>
  );
}
