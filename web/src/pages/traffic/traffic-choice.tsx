import { useNavigate, useSearch } from '@tanstack/react-router';
import { type TrafficWindow, trafficWindows } from '../../api.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { type TrafficSearch, toTraffic } from '../../paths.ts';
import { production, useEnvironments } from '../projects/environments.ts';

export const windowTitles: Record<TrafficWindow, string> = {
  '1h': 'the last hour',
  '6h': 'the last 6 hours',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};
const usual: TrafficWindow = '24h';

/** The environment and the time range. */
export interface TrafficChoice {
  environment: string;
  window: TrafficWindow;
  choose: (change: TrafficSearch) => void;
}

/** The choice is part of the URL, so that it can be shared; defaults are omitted. */
export function useTrafficChoice(projectId: string): TrafficChoice {
  const { environment = production, window = usual } = useSearch({ from: '/signed-in/projects/$id/traffic' });
  const navigate = useNavigate();
  return {
    environment,
    window,
    choose: (change) => {
      const next = { environment, window, ...change };
      const search = {
        ...(next.environment !== production && { environment: next.environment }),
        ...(next.window !== usual && { window: next.window }),
      };
      void navigate({ ...toTraffic(projectId, search), replace: true, resetScroll: false });
    },
  };
}

/** The environment can be selected if there is more than production. */
export function TrafficSwitch({ projectId, choice }: { projectId: string; choice: TrafficChoice }) {
  const { environment, window, choose } = choice;
  const environments = useEnvironments(projectId, environment);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {environments.length > 1 && (
        <div className="w-44 max-w-full text-ink">
          <SelectField
            bare
            label="Environment of the traffic"
            name="environment"
            options={environments.map((value) => ({ value, title: value }))}
            value={environment}
            onChange={(value) => choose({ environment: value })}
          />
        </div>
      )}
      <WindowSwitch value={window} onChange={(value) => choose({ window: value })} />
    </div>
  );
}

type SwitchProps = { value: TrafficWindow; onChange: (window: TrafficWindow) => void };

function WindowSwitch({ value, onChange }: SwitchProps) {
  return (
    <fieldset className="flex rounded-lg border border-line bg-surface p-0.5">
      <legend className="sr-only">Time range</legend>
      {trafficWindows.map((window) => (
        <label
          key={window}
          className="relative flex min-h-8.5 cursor-pointer items-center rounded-md px-2.5 hover:text-ink has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="window"
            checked={window === value}
            onChange={() => onChange(window)}
            aria-label={windowTitles[window]}
            className="sr-only"
          />
          {window}
        </label>
      ))}
    </fieldset>
  );
}
