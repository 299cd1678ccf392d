import { type ReactNode, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import { Field } from './field.tsx';

type Props = {
  label: string;
  name: string;
  autoComplete: 'current-password' | 'new-password';
  hint?: ReactNode;
  autoFocus?: boolean;
  required?: boolean;
  maxLength?: number;
};

/** Has a button that reveals the password, so that it need not be typed twice. */
export function PasswordField({ label, name, hint, required = true, ...input }: Props) {
  const [shown, setShown] = useState(false);
  return (
    <Field label={label} name={name} hint={hint}>
      {({ className, ...control }) => (
        <span className="relative block">
          <input
            {...input}
            {...control}
            type={shown ? 'text' : 'password'}
            required={required}
            className={`${className} pr-11`}
          />
          <button
            type="button"
            aria-label={shown ? 'Hide password' : 'Show password'}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-lg text-muted hover:text-ink"
          >
            <Icon name={shown ? 'hidden' : 'shown'} />
          </button>
        </span>
      )}
    </Field>
  );
}

export const NewPasswordField = ({ label = 'Password', name = 'password' }: { label?: string; name?: string }) => (
  <PasswordField
    label={label}
    name={name}
    autoComplete="new-password"
    hint="At least 8 characters. A few random words are good."
  />
);
