import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, type Domain, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ConflictHelp } from './conflict-help.tsx';
import { DomainFields } from './domain-fields.tsx';
import { DomainMoreFields } from './domain-more-fields.tsx';
import { domainBodyOf, type DomainBody, type DomainSettings, usualSettings } from './domain-settings.ts';
import { EnvironmentField } from '../projects/environment-field.tsx';
import { production } from '../projects/environments.ts';
import { exactText } from '../../forms/exact-text.ts';

type Props = {
  projectId: string;
  /** The domains of the project. */
  domains: Domain[];
  onAdded: (domain: Domain) => void;
  onClose: () => void;
};

export function AddDomainDialog({ projectId, domains, onAdded, onClose }: Props) {
  const [environment, setEnvironment] = useState(production);
  const hasPrimary = domains.some((each) => each.isPrimary && each.environment === environment);
  const [chosen, setChosen] = useState<Partial<DomainSettings>>({});
  // The first domain of an environment is its primary one by default.
  const settings = { ...usualSettings, isPrimary: !hasPrimary, ...chosen };
  const set = (change: Partial<DomainSettings>) => setChosen((before) => ({ ...before, ...change }));
  const add = useAdd(projectId, { onAdded, onClose });
  return (
    <Dialog
      title="Add a domain"
      lead="The domain serves immediately. Its certificate is issued once its DNS records point here."
      onClose={onClose}
    >
      <Form
        change={add}
        onSubmit={(value) => add.mutate({ name: value('name').trim(), environment, ...domainBodyOf(settings) })}
      >
        <TextField label="Name" name="name" placeholder="shop.example.com" {...exactText} required autoFocus />
        <DomainFields projectId={projectId} environment={environment} settings={settings} set={set} />
        <DomainMoreFields settings={settings} set={set}>
          <EnvironmentField projectId={projectId} value={environment} onChange={setEnvironment} />
        </DomainMoreFields>
        <FormActions
          submit="Add domain"
          help={<ConflictHelp error={add.error} name={add.variables?.name} domains={domains} />}
        >
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type NewDomain = DomainBody & { name: string; environment: string };

function useAdd(id: string, { onAdded, onClose }: Pick<Props, 'onAdded' | 'onClose'>) {
  const toast = useToast();
  return useChange(async (body: NewDomain) => {
    const { data } = await unwrap(client.POST('/api/projects/{id}/domains', { params: { path: { id } }, body }));
    toast(`${data.name} is added`);
    onAdded(data);
    onClose();
  });
}
