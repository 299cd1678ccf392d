import type { Policy } from '../../backup-queries.ts';
import { exactText } from '../../forms/exact-text.ts';
import { Field } from '../../forms/field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';

export const advancedNames = [
  'environment',
  'hooks.before',
  'hooks.after',
  'hooks.service',
  'bandwidthLimit',
  'encryption.recipients',
];

export const hasAdvanced = ({ hooks, encryption, bandwidthLimit, consistency }: Policy): boolean =>
  Object.keys(hooks).length > 0 ||
  Boolean(encryption.recipients?.length) ||
  bandwidthLimit !== null ||
  consistency === 'pause';

type Props = {
  policy: Policy | undefined;
  isEncrypted: boolean;
  isPaused: boolean;
  onPause: (on: boolean) => void;
};

export const BandwidthField = ({ policy }: { policy: Policy | undefined }) => (
  <TextField
    label="Bandwidth limit (MB/s)"
    name="bandwidthLimit"
    inputMode="decimal"
    hint="For each destination. No limit if empty."
    defaultValue={policy?.bandwidthLimit ? String(policy.bandwidthLimit / 1_000_000) : ''}
  />
);

/** Settings of a policy that few people need. */
export function AdvancedFields({ policy, isEncrypted, isPaused, onPause }: Props) {
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-5 sm:grid-cols-2">
        <TextField
          label="Command before"
          name="hooks.before"
          {...exactText}
          hint="Runs in the service. If it fails, so does the backup."
          defaultValue={policy?.hooks.before ?? ''}
        />
        <TextField
          label="Command after"
          name="hooks.after"
          {...exactText}
          hint="Runs also after a failure."
          defaultValue={policy?.hooks.after ?? ''}
        />
        <TextField
          label="Service of the commands"
          name="hooks.service"
          {...exactText}
          hint="The first service if empty."
          defaultValue={policy?.hooks.service ?? ''}
        />
        <BandwidthField policy={policy} />
      </div>
      <Checkbox checked={isPaused} onChange={onPause}>
        Pause services while their volumes are read
      </Checkbox>
      {isEncrypted && (
        <Field
          label="Additional recipients"
          name="encryption.recipients"
          hint="Public age keys (age1…), one per line, that can decrypt the archives too."
        >
          {({ className, ...control }) => (
            <textarea
              {...control}
              rows={2}
              {...exactText}
              defaultValue={policy?.encryption.recipients?.join('\n') ?? ''}
              className={`${className} font-mono text-xs`}
            />
          )}
        </Field>
      )}
    </>
  );
}
