import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, type Domain, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { DomainFields } from './domain-fields.tsx';
import { DomainMoreFields } from './domain-more-fields.tsx';
import { domainBodyOf, domainChanges, type DomainBody, domainSettingsOf } from './domain-settings.ts';

/** Edits everything but the name and environment of a domain. */
export function EditDomainDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { projectId, name, environment, isPrimary } = domain;
  const [settings, setSettings] = useState(() => domainSettingsOf(domain));
  const set = (change: Partial<typeof settings>) => setSettings((before) => ({ ...before, ...change }));
  const edit = useEdit(domain, onClose);
  return (
    <Dialog
      title={`Edit ${name}`}
      lead={`Environment: ${environment}. Changes take effect immediately.`}
      onClose={onClose}
    >
      <Form change={edit} onSubmit={() => edit.mutate(domainChanges(domain, domainBodyOf(settings)))}>
        <DomainFields
          projectId={projectId}
          environment={environment}
          settings={settings}
          set={set}
          isFixedPrimary={isPrimary}
        />
        <DomainMoreFields settings={settings} set={set} />
        <FormActions submit="Save changes">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

function useEdit({ projectId: id, name }: Domain, onClose: () => void) {
  const toast = useToast();
  return useChange(async (body: Partial<DomainBody>) => {
    if (Object.keys(body).length) {
      const params = { path: { id, name } };
      await unwrap(client.PATCH('/api/projects/{id}/domains/{name}', { params, body }));
      toast(`${name} is changed`);
    }
    onClose();
  });
}
