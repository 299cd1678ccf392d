import { ChoiceField } from '../../forms/choice-field.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import type { DomainSettings } from './domain-settings.ts';
import { useServices } from '../projects/environments.ts';
import { exactText } from '../../forms/exact-text.ts';

const ways = [
  { value: 'answer' as const, title: 'Serve this project', means: 'Requests to the domain reach the app.' },
  {
    value: 'redirect' as const,
    title: 'Redirect to another domain',
    means: 'For example, www.example.com to example.com.',
  },
];

type Props = {
  projectId: string;
  environment: string;
  settings: DomainSettings;
  set: (change: Partial<DomainSettings>) => void;
  /** The domain is the primary one; only making another one primary changes that. */
  isFixedPrimary?: boolean;
};

/** What a domain routes to, in the dialogs that add and edit one. */
export function DomainFields({ projectId, environment, settings, set, isFixedPrimary = false }: Props) {
  const { does, redirectTo, service, isPrimary } = settings;
  const services = useServices(projectId, environment);
  return (
    <>
      <ChoiceField label="What it does" name="does" choices={ways} value={does} onChange={(to) => set({ does: to })} />
      {does === 'redirect' ? (
        <TextField
          label="Redirect to"
          name="redirectTo"
          placeholder="example.com"
          hint="Path and query are kept."
          {...exactText}
          value={redirectTo}
          onChange={({ target }) => set({ redirectTo: target.value })}
        />
      ) : (
        <>
          <ServiceField services={services} value={service} onChange={(to) => set({ service: to })} />
          <Checkbox checked={isPrimary} disabled={isFixedPrimary} onChange={(to) => set({ isPrimary: to })}>
            {isFixedPrimary
              ? 'Primary, until another domain is made primary'
              : 'Primary: the address that is shown first'}
          </Checkbox>
        </>
      )}
    </>
  );
}

type ServiceProps = { services: string[]; value: string; onChange: (service: string) => void };

/** The service that receives the requests, if there are several. Marks one that is no longer deployed. */
function ServiceField({ services, value, onChange }: ServiceProps) {
  const isGone = value !== '' && !services.includes(value);
  if (!services.length && !isGone) return null;
  const options = [
    { value: '', title: 'Same as the project’s own address' },
    ...services.map((name) => ({ value: name, title: name })),
    ...(isGone ? [{ value, title: `${value} (not deployed)` }] : []),
  ];
  return <SelectField label="Service" name="service" options={options} value={value} onChange={onChange} />;
}
