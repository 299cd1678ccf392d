import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Traffic, trafficQuery, type TrafficWindow, trafficWindows } from '../../api.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { StatusMix } from './status-mix.tsx';
import { TrafficChart } from './traffic-chart.tsx';
import { TrafficFigures } from './traffic-figures.tsx';

const titles: Record<TrafficWindow, string> = {
  '1h': 'the last hour',
  '6h': 'the last 6 hours',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};

/** How often a project was asked, and how it answered. */
export function TrafficSection({ projectId }: { projectId: string }) {
  const [window, setWindow] = useState<TrafficWindow>('24h');
  const traffic = useQuery(trafficQuery(projectId, window));
  return (
    <Section title="Traffic" aside={<WindowSwitch value={window} onChange={setWindow} />}>
      <div className={traffic.isPlaceholderData ? 'opacity-60' : ''} aria-busy={traffic.isPlaceholderData}>
        <Loaded query={traffic} lines={4}>
          {(data) =>
            data.totals.requests ? (
              <Asked traffic={data} />
            ) : (
              <EmptyState icon="traffic" title={`Nobody asked in ${titles[window]}`}>
                Visitors are counted as they come, some seconds later. Only production is counted here.
              </EmptyState>
            )
          }
        </Loaded>
      </div>
    </Section>
  );
}

const Asked = ({ traffic }: { traffic: Traffic }) => (
  <Card className="grid grid-cols-1 gap-6 p-5">
    <TrafficFigures totals={traffic.totals} />
    <TrafficChart traffic={traffic} />
    <StatusMix statuses={traffic.totals.statuses} />
  </Card>
);

type SwitchProps = { value: TrafficWindow; onChange: (window: TrafficWindow) => void };

function WindowSwitch({ value, onChange }: SwitchProps) {
  return (
    <fieldset className="flex rounded-lg border border-line bg-surface p-0.5">
      <legend className="sr-only">How far back</legend>
      {trafficWindows.map((window) => (
        <label
          key={window}
          className="relative cursor-pointer rounded-md px-2.5 py-1 hover:text-ink has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="window"
            checked={window === value}
            onChange={() => onChange(window)}
            aria-label={titles[window]}
            className="sr-only"
          />
          {window}
        </label>
      ))}
    </fieldset>
  );
}
