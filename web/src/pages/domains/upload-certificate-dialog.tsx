import { unwrap } from '@mooring/client';
import { asSentence, client, type Domain, useChange } from '../../api.ts';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { Form, FormActions } from '../../forms/form.tsx';
import { dayOf } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

type Given = { certificate: string; privateKey: string };

/** A certificate that somebody brings along. What visitors may not like about it is said before the dialog goes. */
export function UploadCertificateDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { projectId: id, name } = domain;
  const toast = useToast();
  const upload = useChange(async (body: Given) => {
    const params = { path: { id, name } };
    const { data } = await unwrap(client.PUT('/api/projects/{id}/domains/{name}/certificate', { params, body }));
    toast(`${name} is served with it, until ${dayOf(data.validTo)}`);
    if (!data.warnings.length) onClose();
    return data.warnings;
  });
  if (upload.data?.length) return <Warnings name={name} warnings={upload.data} onClose={onClose} />;
  return (
    <Dialog
      title={`Certificate for ${name}`}
      lead="It serves at once, instead of the one of the authority, and is not renewed by itself."
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
          hint="PEM: its own certificate first, then those up to the authority."
        />
        <FileTextField
          label="Private key"
          name="privateKey"
          placeholder="-----BEGIN PRIVATE KEY-----"
          hint="PEM, without a passphrase. It never comes back out."
        />
        <FormActions submit="Upload certificate">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type WarningsProps = { name: string; warnings: string[]; onClose: () => void };

const Warnings = ({ name, warnings, onClose }: WarningsProps) => (
  <Dialog title={`${name} is served with it`} lead="Not every visitor may like it, though." onClose={onClose}>
    <Notice kind="warn">
      <ul className="grid gap-1">
        {warnings.map((warning) => (
          <li key={warning}>{asSentence(warning)}</li>
        ))}
      </ul>
    </Notice>
    <div className="mt-5 flex justify-end">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
);
