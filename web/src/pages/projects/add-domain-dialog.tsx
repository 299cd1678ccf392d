import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, deploymentsOfQuery, type Domain, useChange } from '../../api.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Form, FormActions, type Values } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { useMay } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

type Does = 'answer' | 'redirect';
type NewDomain = { name: string; service: string | null; redirectTo: string | null; isPrimary: boolean };

const ways = [
  { value: 'answer' as const, title: 'Answer with this project', means: 'Visitors of the name see what is deployed.' },
  { value: 'redirect' as const, title: 'Redirect to another name', means: 'As www.example.com to example.com.' },
];
const typed = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, required: true } as const;

type Props = {
  projectId: string;
  /** Those that are there. */
  domains: Domain[];
  onAdded: (domain: Domain) => void;
  onClose: () => void;
};

export function AddDomainDialog({ projectId, domains, onAdded, onClose }: Props) {
  const [does, setDoes] = useState<Does>('answer');
  const [service, setService] = useState('');
  const hasPrimary = domains.some(({ isPrimary, environment }) => isPrimary && environment === 'production');
  const [isPrimary, setIsPrimary] = useState(!hasPrimary);
  const add = useAdd(projectId, { onAdded, onClose });
  const submit = (value: Values) => {
    const target =
      does === 'answer'
        ? { service: service || null, redirectTo: null, isPrimary }
        : { service: null, redirectTo: value('redirectTo').trim(), isPrimary: false };
    add.mutate({ name: value('name').trim(), ...target });
  };
  return (
    <Dialog
      title="Add a domain"
      lead="It answers at once for whoever gets here; the certificate follows when its DNS leads here."
      onClose={onClose}
    >
      <Form change={add} onSubmit={submit}>
        <TextField label="Name" name="name" placeholder="shop.example.com" {...typed} autoFocus />
        <ChoiceField label="What it does" name="does" choices={ways} value={does} onChange={setDoes} />
        {does === 'redirect' ? (
          <TextField
            label="Redirect to"
            name="redirectTo"
            placeholder="example.com"
            hint="Path and query are kept."
            {...typed}
          />
        ) : (
          <>
            <ServiceField projectId={projectId} value={service} onChange={setService} />
            <Checkbox checked={isPrimary} onChange={setIsPrimary}>
              Primary: the address that is shown first
            </Checkbox>
          </>
        )}
        <FormActions submit="Add domain">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

function useAdd(id: string, { onAdded, onClose }: Pick<Props, 'onAdded' | 'onClose'>) {
  const toast = useToast();
  return useChange(async (body: NewDomain) => {
    const { data } = await unwrap(client.POST('/api/projects/{id}/domains', { params: { path: { id } }, body }));
    toast(`${data.name} is added`);
    onAdded(data);
    onClose();
  });
}

type ServiceProps = { projectId: string; value: string; onChange: (service: string) => void };

/** Which of several services; where there is one, nobody is asked. */
function ServiceField({ projectId, value, onChange }: ServiceProps) {
  const may = useMay();
  const { data } = useQuery({ ...deploymentsOfQuery(projectId), enabled: may('deployment:list') });
  const services = data?.find(({ active, services }) => active && services.length > 1)?.services ?? [];
  if (!services.length) return null;
  const options = [
    { value: '', title: 'The one of the project’s own address' },
    ...services.map(({ name }) => ({ value: name, title: name })),
  ];
  return <SelectField label="Service" name="service" options={options} value={value} onChange={onChange} />;
}
