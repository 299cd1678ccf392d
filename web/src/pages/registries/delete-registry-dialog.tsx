import { unwrap } from '@mooring/client';
import { client, useChange } from '../../api.ts';
import type { Registry } from '../../registry-queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { registry: Registry; onClose: () => void };

export function DeleteRegistryDialog({ registry: { id, address }, onClose }: Props) {
  const toast = useToast();
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/registries/{id}', { params: { path: { id } } }));
    toast(`Login for ${address} deleted`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Delete the login for ${address}?`}
      confirm="Delete login"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      Running releases keep running. Deployments that pull private images from {address} fail until you add a login
      again.
    </ConfirmDialog>
  );
}
