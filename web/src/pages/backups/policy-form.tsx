import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Policy, PolicyBody } from '../../backup-queries.ts';
import { destinationsQuery } from '../../destination-queries.ts';
import { exactText } from '../../forms/exact-text.ts';
import { FoldedFields } from '../../forms/folded-fields.tsx';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { numberIn } from '../../forms/number.ts';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { EnvironmentField } from '../projects/environment-field.tsx';
import { production } from '../projects/environments.ts';
import { AdvancedFields, advancedNames, BandwidthField, hasAdvanced } from './advanced-fields.tsx';
import { DestinationsField } from './destinations-field.tsx';
import { RetentionField } from './retention-field.tsx';
import { ScheduleField } from './schedule-field.tsx';
import { drillPresets, nightlySchedule, ownTimeZone, runPresets } from './schedules.ts';
import { SourcesField } from './sources-field.tsx';

type Settings = Omit<PolicyBody, 'name' | 'projectId' | 'environment' | 'enabled'>;

type Props = {
  /** The policy to change; a new one without. */
  policy?: Policy;
  /** Undefined for Mooring itself, which has neither sources nor drills, and is encrypted in any case. */
  projectId: string | undefined;
  projectName: string;
  save: { error: unknown; isPending: boolean };
  submit: string;
  onSave: (settings: Settings, of: { name: string; environment: string }) => void;
  onClose: () => void;
  children?: ReactNode;
};

/** The settings of a policy. */
export function PolicyForm({ policy, projectId, projectName, save, submit, onSave, onClose, children }: Props) {
  const { data: destinations } = useQuery(destinationsQuery);
  const [environment, setEnvironment] = useState(policy?.environment ?? production);
  const [sources, setSources] = useState<PolicyBody['sources']>(policy?.sources ?? 'all');
  const [schedule, setSchedule] = useState(policy?.schedule ?? nightlySchedule);
  const [timezone, setTimezone] = useState(policy?.timezone ?? ownTimeZone());
  const [chosen, setChosen] = useState(policy?.destinationIds);
  const [isEncrypted, setIsEncrypted] = useState(policy?.encryption.enabled ?? true);
  const [drill, setDrill] = useState(policy?.drill?.schedule);
  const [consistency, setConsistency] = useState(policy?.consistency ?? 'check');
  // Until the person chooses: the default one, or the only one.
  const usual = destinations?.find(({ isDefault }) => isDefault) ?? destinations?.[0];
  const destinationIds = chosen ?? (usual ? [usual.id] : []);
  const onSubmit = (value: FormValues) =>
    onSave(
      {
        sources,
        schedule,
        timezone: timezone.trim(),
        destinationIds,
        retention: retentionIn(value),
        encryption: encryptionIn(value, isEncrypted),
        hooks: hooksIn(value),
        drill: drill === undefined ? null : { schedule: drill, ...given('query', value('drill.query')) },
        consistency,
        bandwidthLimit: bandwidthIn(value),
      },
      { name: value('name'), environment },
    );
  return (
    <Form change={save} onSubmit={onSubmit}>
      <TextField
        label="Name"
        name="name"
        {...exactText}
        maxLength={80}
        defaultValue={policy?.name ?? projectName}
        required
      />
      {children}
      {projectId === undefined ? (
        <p className="text-sm text-muted">
          The database, the settings and the keys of this instance, encrypted with the key of its machine. Volumes and
          databases of projects have policies of their own.
        </p>
      ) : (
        <SourcesField projectId={projectId} environment={environment} value={sources} onChange={setSources} />
      )}
      <ScheduleField
        label="Schedule"
        name="schedule"
        presets={runPresets}
        timezone={timezone}
        value={schedule}
        onChange={setSchedule}
      />
      <TextField
        label="Time zone"
        name="timezone"
        {...exactText}
        list="time-zones"
        value={timezone}
        onChange={({ target }) => setTimezone(target.value)}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <DestinationsField destinations={destinations} value={destinationIds} onChange={setChosen} />
      <RetentionField retention={policy?.retention ?? { last: 7, daily: 0, weekly: 4, monthly: 0 }} />
      {projectId === undefined ? (
        <BandwidthField policy={policy} />
      ) : (
        <>
          <div>
            <Checkbox checked={isEncrypted} onChange={setIsEncrypted}>
              Encrypt archives
            </Checkbox>
            <p className={`mt-1.5 text-sm ${isEncrypted ? 'text-muted' : 'text-warn'}`}>
              {isEncrypted
                ? 'With the backup key of the organization. Without the key nothing is recoverable: export it and keep it elsewhere.'
                : 'Anyone who can read the destination can read the data.'}
            </p>
          </div>
          <div className="grid grid-cols-1 gap-3">
            <Checkbox
              checked={drill !== undefined}
              onChange={(on) => setDrill(on ? drillPresets[0]!.value : undefined)}
            >
              Prove restores by a schedule
            </Checkbox>
            {drill !== undefined && (
              <>
                <ScheduleField
                  label="Drill"
                  name="drill.schedule"
                  presets={drillPresets}
                  timezone={timezone}
                  value={drill}
                  onChange={setDrill}
                />
                <TextField
                  label="Query"
                  name="drill.query"
                  {...exactText}
                  placeholder="select count(*) from orders"
                  hint="Read-only, for databases. Its result is recorded as the proof. Optional."
                  defaultValue={policy?.drill?.query ?? ''}
                />
              </>
            )}
          </div>
          <FoldedFields
            title="Advanced"
            means="Commands, consistency, bandwidth, keys"
            names={advancedNames}
            startsOpen={policy !== undefined && hasAdvanced(policy)}
          >
            {!policy && <EnvironmentField projectId={projectId} value={environment} onChange={setEnvironment} />}
            <AdvancedFields
              policy={policy}
              isEncrypted={isEncrypted}
              isPaused={consistency === 'pause'}
              onPause={(on) => setConsistency(on ? 'pause' : 'check')}
            />
          </FoldedFields>
        </>
      )}
      <FormActions submit={submit}>
        <Button onClick={onClose}>Cancel</Button>
      </FormActions>
    </Form>
  );
}

const given = <K extends string>(key: K, text: string): { [_ in K]?: string } =>
  (text.trim() ? { [key]: text.trim() } : {}) as { [_ in K]?: string };

const retentionIn = (value: FormValues): PolicyBody['retention'] => {
  const [last = 0, daily = 0, weekly = 0, monthly = 0] = ['last', 'daily', 'weekly', 'monthly'].map((kind) =>
    numberIn(value(`retention.${kind}`)),
  );
  return { last, daily, weekly, monthly };
};

function encryptionIn(value: FormValues, enabled: boolean): PolicyBody['encryption'] {
  const recipients = value('encryption.recipients').split(/\s+/).filter(Boolean);
  return { enabled, ...(enabled && recipients.length && { recipients }) };
}

const hooksIn = (value: FormValues): PolicyBody['hooks'] => ({
  ...given('before', value('hooks.before')),
  ...given('after', value('hooks.after')),
  ...given('service', value('hooks.service')),
});

function bandwidthIn(value: FormValues): number | null {
  const megabytes = numberIn(value('bandwidthLimit'));
  if (megabytes === undefined) return null;
  return typeof megabytes === 'number' ? Math.round(megabytes * 1_000_000) : megabytes;
}
