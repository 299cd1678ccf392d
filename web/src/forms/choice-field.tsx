import { type ReactNode, useId } from 'react';
import { useFieldError } from './form.tsx';

type Choice<T extends string> = { value: T; title: string; means: ReactNode };
type Props<T extends string> = {
  label: string;
  name: string;
  choices: Choice<T>[];
  value: T;
  onChange: (value: T) => void;
};

/** A choice of a few options, each with a description. */
export function ChoiceField<T extends string>({ label, name, choices, value, onChange }: Props<T>) {
  const id = useId();
  const error = useFieldError(name, label);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <div className="divide-y divide-line overflow-hidden rounded-lg border border-line-strong">
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="flex cursor-pointer gap-3 px-3.5 py-2.5 has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
              aria-labelledby={`${id}-${choice.value}`}
              aria-describedby={`${id}-${choice.value}-means`}
              className="mt-1 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0">
              <span id={`${id}-${choice.value}`} className="block text-sm font-medium">
                {choice.title}
              </span>
              <span id={`${id}-${choice.value}-means`} className="block text-sm text-muted">
                {choice.means}
              </span>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
