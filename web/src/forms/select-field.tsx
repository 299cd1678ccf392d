import type { ReactNode } from 'react';
import { Icon } from '../ui/icons.tsx';
import { Field } from './field.tsx';

type Option<T> = { value: T; title: string };
type Props<T> = {
  label: string;
  name: string;
  options: Option<T>[];
  hint?: ReactNode;
  bare?: boolean;
  value: T;
  onChange: (value: T) => void;
};

/** Uses the native select, which works best with keyboards, screen readers and phones. */
export function SelectField<T extends string>({ label, name, options, hint, bare, value, onChange }: Props<T>) {
  const choose = (text: string) => {
    const chosen = options.find((option) => option.value === text);
    if (chosen) onChange(chosen.value);
  };
  return (
    <Field label={label} name={name} hint={hint} bare={bare}>
      {({ className, ...control }) => (
        <span className="relative block">
          <select
            {...control}
            value={value}
            onChange={(event) => choose(event.target.value)}
            className={`${className} appearance-none pr-9`}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.title}
              </option>
            ))}
          </select>
          <Icon name="down" size={16} className="pointer-events-none absolute top-3 right-3 text-muted" />
        </span>
      )}
    </Field>
  );
}
