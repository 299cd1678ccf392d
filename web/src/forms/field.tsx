import { type ReactNode, useId } from 'react';
import { useFieldError } from './form.tsx';

type ControlProps = {
  id: string;
  name: string;
  className: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
};
type Props = {
  label: string;
  name: string;
  hint?: ReactNode;
  bare?: boolean;
  children: (control: ControlProps) => ReactNode;
};

/** Connects the label, control, hint and error of one field. */
export function Field({ label, name, hint, bare, children }: Props) {
  const id = useId();
  const error = useFieldError(name, label);
  const note = error ?? hint;
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={bare ? 'sr-only' : 'mb-1.5 block text-sm font-medium'}>
        {label}
      </label>
      {children({
        id,
        name,
        className: 'control',
        'aria-invalid': Boolean(error),
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
      {note && (
        <p
          id={`${id}-note`}
          role={error && 'alert'}
          className={`mt-1.5 text-sm ${error ? 'text-danger' : 'text-muted'}`}
        >
          {note}
        </p>
      )}
    </div>
  );
}
