import { unwrap } from '@mooring/client';
import { client, type Domain, useChange } from '../../api.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { EditDomainDialog } from './edit-domain-dialog.tsx';
import { UploadCertificateDialog } from './upload-certificate-dialog.tsx';

/** A change to a domain that needs a dialog. */
export type DomainTask = { kind: 'edit' | 'remove' | 'upload' | 'forget'; domain: Domain };

type Props = { domain: Domain; onClose: () => void };
type Removal = { onRemoved: (domain: Domain) => void };

export function DomainTaskDialog({
  task: { kind, domain },
  onRemoved,
  onClose,
}: Omit<Props, 'domain'> & Removal & { task: DomainTask }) {
  if (kind === 'edit') return <EditDomainDialog domain={domain} onClose={onClose} />;
  if (kind === 'remove') return <RemoveDialog domain={domain} onRemoved={onRemoved} onClose={onClose} />;
  if (kind === 'forget') return <ForgetDialog domain={domain} onClose={onClose} />;
  return <UploadCertificateDialog domain={domain} onClose={onClose} />;
}

function RemoveDialog({ domain, onRemoved, onClose }: Props & Removal) {
  const { projectId: id, name, redirectTo, certificate } = domain;
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/projects/{id}/domains/{name}', { params: { path: { id, name } } }));
    onRemoved(domain);
    onClose();
  });
  const goes = certificate ? ' Its certificate is deleted.' : '';
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      confirm="Remove domain"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {redirectTo
        ? `Requests to ${name} are no longer redirected to ${redirectTo}.${goes}`
        : `Requests to ${name} are no longer served.${goes} The app keeps serving at its other addresses.`}{' '}
      You can undo this right after, unless another project takes the domain.
    </ConfirmDialog>
  );
}

function ForgetDialog({ domain: { projectId: id, name }, onClose }: Props) {
  const toast = useToast();
  const forget = useChange(async () => {
    await unwrap(client.DELETE('/api/projects/{id}/domains/{name}/certificate', { params: { path: { id, name } } }));
    toast(`The uploaded certificate of ${name} is deleted`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Delete the uploaded certificate of ${name}?`}
      confirm="Delete certificate"
      change={forget}
      onConfirm={() => forget.mutate(undefined)}
      onClose={onClose}
    >
      The issued certificate serves again. If there is none, Mooring orders one now, and HTTPS does not work for the
      domain until it is issued.
    </ConfirmDialog>
  );
}
