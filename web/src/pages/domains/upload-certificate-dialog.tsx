import { unwrap } from '@mooring/client';
import { client, type Domain, useChange } from '../../api.ts';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { Form, FormActions } from '../../forms/form.tsx';
import { dayOf } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { WarningsDialog } from '../../ui/warnings-dialog.tsx';

type Given = { certificate: string; privateKey: string };

/** Uploads a certificate. Warnings about it are shown before the dialog closes. */
export function UploadCertificateDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { projectId: id, name } = domain;
  const toast = useToast();
  const upload = useChange(async (body: Given) => {
    const params = { path: { id, name } };
    const { data } = await unwrap(client.PUT('/api/projects/{id}/domains/{name}/certificate', { params, body }));
    toast(`${name} uses the uploaded certificate, valid until ${dayOf(data.validTo)}`);
    if (!data.warnings.length) onClose();
    return data.warnings;
  });
  if (upload.data?.length)
    return (
      <WarningsDialog
        title={`${name} uses the uploaded certificate`}
        lead="Some clients may not trust it:"
        warnings={upload.data}
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title={`Certificate for ${name}`}
      lead="It replaces the issued certificate immediately. Mooring does not renew it."
      wide
      onClose={onClose}
    >
      <Form
        change={upload}
        onSubmit={(value) => upload.mutate({ certificate: value('certificate'), privateKey: value('privateKey') })}
      >
        <FileTextField
          label="Certificate"
          name="certificate"
          placeholder="-----BEGIN CERTIFICATE-----"
          hint="PEM: the certificate of the domain first, then the intermediates."
        />
        <FileTextField
          label="Private key"
          name="privateKey"
          placeholder="-----BEGIN PRIVATE KEY-----"
          hint="PEM, without a passphrase. It is never shown again."
        />
        <FormActions submit="Upload certificate">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
