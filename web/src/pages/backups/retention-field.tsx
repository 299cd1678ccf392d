import type { Policy } from '../../backup-queries.ts';
import { useFieldError } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';

const kinds = [
  { kind: 'last', label: 'Last' },
  { kind: 'daily', label: 'Daily' },
  { kind: 'weekly', label: 'Weekly' },
  { kind: 'monthly', label: 'Monthly' },
] as const;

/** How many backups to keep. The newest and pinned ones always stay. */
export function RetentionField({ retention }: Pick<Policy, 'retention'>) {
  const error = useFieldError('retention', 'Retention');
  return (
    <fieldset name="retention" className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">Backups to keep</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {kinds.map(({ kind, label }) => (
          <TextField
            key={kind}
            label={label}
            name={`retention.${kind}`}
            inputMode="numeric"
            defaultValue={String(retention[kind])}
          />
        ))}
      </div>
      <p role={error && 'alert'} className={`mt-1.5 text-sm ${error ? 'text-danger' : 'text-muted'}`}>
        {error ?? 'The last ones, and the newest of each day, week and month. The newest and pinned ones always stay.'}
      </p>
    </fieldset>
  );
}
