import { useState } from 'react';
import { Field } from '../../forms/field.tsx';
import type { FormValues } from '../../forms/form.tsx';
import { Icon } from '../../ui/icons.tsx';

type Mode = 'detected' | 'own' | 'none';
const titles: Record<Mode, string> = { detected: 'As detected', own: 'This command', none: 'No command' };

/** A command of a project: as detected, custom, or none. */
export function CommandField({
  label,
  name,
  value,
  hint,
}: {
  label: string;
  name: string;
  value: string | null;
  hint?: string;
}) {
  const [mode, setMode] = useState<Mode>(value === null ? 'detected' : value === '' ? 'none' : 'own');
  return (
    <Field label={label} name={name} hint={hint}>
      {({ className, ...control }) => (
        <span className="flex gap-2">
          <span className={`relative block ${mode === 'own' ? '' : 'flex-1'}`}>
            <select
              aria-label={`${label}: which`}
              name={`${name}.mode`}
              value={mode}
              onChange={(event) => setMode(event.target.value as Mode)}
              className={`${className} appearance-none pr-9`}
            >
              {Object.entries(titles).map(([each, title]) => (
                <option key={each} value={each}>
                  {title}
                </option>
              ))}
            </select>
            <Icon name="down" size={16} className="pointer-events-none absolute top-3 right-3 text-muted" />
          </span>
          <input
            {...control}
            hidden={mode !== 'own'}
            defaultValue={value ?? ''}
            autoCapitalize="none"
            spellCheck={false}
            className={`${className} min-w-0 flex-1 font-mono text-sm`}
          />
        </span>
      )}
    </Field>
  );
}

/** Null means "as detected", an empty string "none". */
export function commandIn(value: FormValues, name: string): string | null {
  const mode = value(`${name}.mode`) as Mode;
  if (mode === 'own') return value(name).trim() || null;
  return mode === 'none' ? '' : null;
}
