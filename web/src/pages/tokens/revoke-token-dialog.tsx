import { unwrap } from '@mooring/client';
import { client, type Token, useChange } from '../../api.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

export function RevokeTokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const toast = useToast();
  const revoke = useChange(async () => {
    await unwrap(client.DELETE('/api/tokens/{id}', { params: { path: { id: token.id } } }));
    toast(`${token.name} is revoked`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Revoke ${token.name}?`}
      confirm="Revoke token"
      change={revoke}
      onConfirm={() => revoke.mutate(undefined)}
      onClose={onClose}
    >
      Every program that uses the token ({token.prefix}…) stops working immediately. This cannot be undone.
    </ConfirmDialog>
  );
}
