import { useState } from 'react';
import type { FormValues } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';

const options = [
  { value: '7', title: 'In 7 days' },
  { value: '30', title: 'In 30 days' },
  { value: '90', title: 'In 90 days' },
  { value: '365', title: 'In a year' },
  { value: 'own', title: 'Custom number of days' },
  { value: 'never', title: 'Never' },
];

export function ExpiryField() {
  const [choice, setChoice] = useState('90');
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <SelectField label="Expires" name="expiry" options={options} value={choice} onChange={setChoice} />
      {choice === 'own' && (
        <TextField label="Days" name="expiresInDays" type="number" min={1} max={3650} defaultValue={14} />
      )}
    </div>
  );
}

/** Days, or undefined for a token that does not expire. Other text goes to the API, which rejects it. */
export function readExpiry(value: FormValues): number | undefined {
  const choice = value('expiry');
  if (choice === 'never') return undefined;
  return Number(choice === 'own' ? value('expiresInDays') : choice);
}
