import { ChoiceField } from '../../forms/choice-field.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import type { DomainSettings } from './domain-settings.ts';
import { useServices } from '../projects/environments.ts';

const ways = [
  { value: 'answer' as const, title: 'Answer with this project', means: 'Visitors of the name see what is deployed.' },
  { value: 'redirect' as const, title: 'Redirect to another name', means: 'As www.example.com to example.com.' },
];

/** For names and paths: nothing that a keyboard does to words. */
export const typed = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

type Props = {
  projectId: string;
  environment: string;
  settings: DomainSettings;
  set: (change: Partial<DomainSettings>) => void;
  /** It is the primary one already: another one has to take that over. */
  isFixedPrimary?: boolean;
};

/** Where a name leads, for one that is added and one that is changed. */
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
          {...typed}
          value={redirectTo}
          onChange={({ target }) => set({ redirectTo: target.value })}
        />
      ) : (
        <>
          <ServiceField services={services} value={service} onChange={(to) => set({ service: to })} />
          <Checkbox checked={isPrimary} disabled={isFixedPrimary} onChange={(to) => set({ isPrimary: to })}>
            {isFixedPrimary
              ? 'Primary, until another name is made the primary one'
              : 'Primary: the address that is shown first'}
          </Checkbox>
        </>
      )}
    </>
  );
}

type ServiceProps = { services: string[]; value: string; onChange: (service: string) => void };

/** Which of several services; where there is one, nobody is asked. One that is gone can be told apart and replaced. */
function ServiceField({ services, value, onChange }: ServiceProps) {
  const isGone = value !== '' && !services.includes(value);
  if (!services.length && !isGone) return null;
  const options = [
    { value: '', title: 'The one of the project’s own address' },
    ...services.map((name) => ({ value: name, title: name })),
    ...(isGone ? [{ value, title: `${value} (not deployed)` }] : []),
  ];
  return <SelectField label="Service" name="service" options={options} value={value} onChange={onChange} />;
}
