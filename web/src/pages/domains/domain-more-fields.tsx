import type { ReactNode } from 'react';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { FoldedFields } from '../../forms/folded-fields.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { type DomainSettings, hstsOptions } from './domain-settings.ts';
import { exactText } from '../../forms/exact-text.ts';

const ways = [
  {
    value: 'redirect' as const,
    title: 'Redirect HTTP to HTTPS',
    means: 'As soon as the certificate is issued.',
  },
  {
    value: 'optional' as const,
    title: 'Serve HTTP and HTTPS',
    means: 'For a proxy in front that terminates TLS, or devices without TLS.',
  },
];
const names = ['environment', 'path', 'https', 'hstsSeconds'];

type Props = {
  settings: DomainSettings;
  set: (change: Partial<DomainSettings>) => void;
  /** Fields that cannot be changed later. */
  children?: ReactNode;
};

/** Settings that few domains need. */
export function DomainMoreFields({ settings: { path, https, hsts }, set, children }: Props) {
  const isUsual = path === '/' && https === 'redirect' && hsts === '';
  const means = children ? 'Environment, path, HTTPS' : 'Path, HTTPS';
  return (
    <FoldedFields title="Advanced" means={means} names={names} startsOpen={!isUsual}>
      {children}
      <TextField
        label="Path"
        name="path"
        hint="Only requests under this path are served. The app sees the full path."
        {...exactText}
        value={path}
        onChange={({ target }) => set({ path: target.value })}
      />
      <ChoiceField
        label="HTTP requests"
        name="https"
        choices={ways}
        value={https}
        onChange={(to) => set({ https: to })}
      />
      <SelectField
        label="HSTS"
        name="hstsSeconds"
        options={hstsOptions(hsts)}
        hint="Browsers insist on HTTPS for this long, even when the certificate is broken. Start with 1 day."
        value={hsts}
        onChange={(to) => set({ hsts: to })}
      />
    </FoldedFields>
  );
}
