import type { InputHTMLAttributes, ReactNode } from 'react';
import { Field } from './field.tsx';

type Props = InputHTMLAttributes<HTMLInputElement> & { label: string; name: string; hint?: ReactNode; bare?: boolean };

export function TextField({ label, name, hint, bare, ...input }: Props) {
  return (
    <Field label={label} name={name} hint={hint} bare={bare}>
      {(control) => <input type="text" {...input} {...control} />}
    </Field>
  );
}

/** Turns off automatic capitals and correction. */
export function EmailField(props: Omit<Props, 'name' | 'label'> & { label?: string }) {
  return (
    <TextField
      type="email"
      name="email"
      label="E-mail address"
      autoCapitalize="none"
      spellCheck={false}
      required
      {...props}
    />
  );
}
