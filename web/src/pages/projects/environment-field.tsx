import { useId } from 'react';
import { TextField } from '../../forms/text-field.tsx';
import { production, useEnvironments } from './environments.ts';
import { exactText } from '../../forms/exact-text.ts';

type Props = { projectId: string; value: string; onChange: (environment: string) => void };

/** Suggests existing environments; a domain may be added before its environment is deployed. */
export function EnvironmentField({ projectId, value, onChange }: Props) {
  const id = useId();
  const known = useEnvironments(projectId, production);
  return (
    <>
      <TextField
        label="Environment"
        name="environment"
        hint="It cannot be changed later."
        list={id}
        {...exactText}
        value={value}
        onChange={({ target }) => onChange(target.value.trim())}
      />
      <datalist id={id}>
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}
