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

/** Links a cloud, or replaces its address or token. */
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
      lead="Mooring checks the token with the cloud before it stores the link."
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
          hint="Your token in the cloud. It needs to administer projects and deployments and to read the git host. Never shown again."
        />
        <FormActions submit={from === 'organization' ? 'Replace' : 'Link'}>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** Shows an unreachable cloud as an error of the address field. */
function besideTheAddress(error: unknown): never {
  if (!(error instanceof ApiError) || !cloudTroubleIn(error)) throw error;
  const message = 'is not a Mooring cloud, or this machine cannot reach it';
  throw new ApiError(error.status, {
    error: error.message,
    code: error.code,
    details: [{ field: 'url', message: `url ${message}` }],
  });
}
