import { ApiError, unwrap } from '@mooring/client';
import { client, useChange } from '../../api.ts';
import { cloudTroubleIn } from '../../cloud-error.ts';
import { type CloudLink } from '../../cloud-queries.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Props = { link: CloudLink; onClose: () => void };

/** Links a cloud, or puts another address or token in place of what is there. */
export function LinkCloudDialog({ link: { url, from }, onClose }: Props) {
  const toast = useToast();
  const link = useChange(async (body: { url: string; token: string }) => {
    const { data } = await unwrap(client.POST('/api/cloud/link', { body })).catch(besideTheAddress);
    toast(`Linked to ${data.organization?.name ?? data.url}`);
    onClose();
  });
  return (
    <Dialog
      title={from === 'organization' ? 'Replace the link' : 'Link a cloud'}
      lead="The cloud is asked first. What it does not take is not stored, and the link stays as it was."
      onClose={onClose}
    >
      <Form change={link} onSubmit={(value) => link.mutate({ url: value('url').trim(), token: value('token').trim() })}>
        <TextField
          label="Address"
          name="url"
          defaultValue={url ?? ''}
          placeholder="https://cloud.example.com"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          required
          autoFocus={!url}
        />
        <TextField
          label="Access token"
          name="token"
          type="password"
          autoComplete="off"
          autoFocus={Boolean(url)}
          required
          hint="One of yours there that may administer projects and deployments and read the git host. It is sealed, and never shown again."
        />
        <FormActions submit={from === 'organization' ? 'Replace' : 'Link'}>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** That nobody answers is said where the address is. */
function besideTheAddress(error: unknown): never {
  if (!(error instanceof ApiError) || !cloudTroubleIn(error)) throw error;
  const message = 'does not answer as a cloud does; check it, and that this machine gets there';
  throw new ApiError(error.status, {
    error: error.message,
    code: error.code,
    details: [{ field: 'url', message: `url ${message}` }],
  });
}
