import type { ReactNode } from 'react';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Fold } from '../../forms/fold.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { typed } from './domain-fields.tsx';
import { type DomainSettings, hstsOptions } from './domain-settings.ts';

const ways = [
  {
    value: 'redirect' as const,
    title: 'Send visitors to HTTPS',
    means: 'Once there is a certificate, never before.',
  },
  {
    value: 'optional' as const,
    title: 'Answer both',
    means: 'For a proxy in front that ends TLS, and for devices that know none.',
  },
];
const names = ['environment', 'path', 'https', 'hstsSeconds'];

type Props = {
  settings: DomainSettings;
  set: (change: Partial<DomainSettings>) => void;
  /** What is chosen once, and not changed later. */
  children?: ReactNode;
};

/** What few people need to say about a name. */
export function DomainMoreFields({ settings: { path, https, hsts }, set, children }: Props) {
  const isUsual = path === '/' && https === 'redirect' && hsts === '';
  const means = children ? 'Environment, path, HTTPS' : 'Path, HTTPS';
  return (
    <Fold title="Advanced" means={means} names={names} startsOpen={!isUsual}>
      {children}
      <TextField
        label="Path"
        name="path"
        hint="Only what is below it is answered; the app sees the whole path."
        {...typed}
        value={path}
        onChange={({ target }) => set({ path: target.value })}
      />
      <ChoiceField
        label="Without TLS"
        name="https"
        choices={ways}
        value={https}
        onChange={(to) => set({ https: to })}
      />
      <SelectField
        label="Tell browsers (HSTS)"
        name="hstsSeconds"
        options={hstsOptions(hsts)}
        hint="They keep to it for so long, whatever happens to the certificate. Begin with a day."
        value={hsts}
        onChange={(to) => set({ hsts: to })}
      />
    </Fold>
  );
}
