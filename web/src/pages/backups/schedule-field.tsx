import { useState } from 'react';
import { exactText } from '../../forms/exact-text.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { relativeTime } from '../../times.ts';
import { customSchedule, nextRun, timeIn } from './schedules.ts';

type Props = {
  label: string;
  name: string;
  presets: { value: string; title: string }[];
  timezone: string;
  value: string;
  onChange: (schedule: string) => void;
};

/** A schedule by a preset or a cron expression, with its next time. */
export function ScheduleField({ label, name, presets, timezone, value, onChange }: Props) {
  const [isCustom, setIsCustom] = useState(!presets.some((preset) => preset.value === value));
  const next = nextRun(value, timezone);
  const preview = next ? `Next: ${timeIn(next, timezone)}, ${relativeTime(next)}` : 'No next run: check the fields.';
  const choose = (chosen: string) => {
    setIsCustom(chosen === customSchedule);
    if (chosen !== customSchedule) onChange(chosen);
  };
  return (
    <div className="grid grid-cols-1 gap-3">
      <SelectField
        label={label}
        name={isCustom ? `${name}.preset` : name}
        options={presets}
        hint={isCustom ? undefined : preview}
        value={isCustom ? customSchedule : value}
        onChange={choose}
      />
      {isCustom && (
        <TextField
          label={`${label}: cron expression`}
          name={name}
          {...exactText}
          placeholder="30 3 * * *"
          hint={`Minute, hour, day of month, month, day of week. ${preview}`}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  );
}
