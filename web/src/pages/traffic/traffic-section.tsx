import { useQuery } from '@tanstack/react-query';
import { type Traffic, trafficQuery } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { production } from '../projects/environments.ts';
import { StatusMix } from './status-mix.tsx';
import { TrafficChart } from './traffic-chart.tsx';
import { type TrafficChoice, TrafficSwitch, useTrafficChoice, windowTitles } from './traffic-choice.tsx';
import { TrafficFigures } from './traffic-figures.tsx';

/** The requests to one environment: how many, their status classes and response times. */
export function TrafficSection({ projectId }: { projectId: string }) {
  const choice = useTrafficChoice(projectId);
  const traffic = useQuery(trafficQuery(projectId, choice.environment, choice.window));
  return (
    <Section title="Traffic" aside={<TrafficSwitch projectId={projectId} choice={choice} />}>
      <div className={traffic.isPlaceholderData ? 'opacity-60' : ''} aria-busy={traffic.isPlaceholderData}>
        <Loaded query={traffic} lines={4}>
          {(data) => (data.totals.requests ? <Requests traffic={data} /> : <NoRequests choice={choice} />)}
        </Loaded>
      </div>
    </Section>
  );
}

const Requests = ({ traffic }: { traffic: Traffic }) => (
  <Card className="grid grid-cols-1 gap-6 p-5">
    <TrafficFigures totals={traffic.totals} />
    <TrafficChart traffic={traffic} />
    <StatusMix statuses={traffic.totals.statuses} />
  </Card>
);

function NoRequests({ choice: { environment, window, choose } }: { choice: TrafficChoice }) {
  const where = environment === production ? '' : ` to ${environment}`;
  const further = window !== '30d' && (
    <Button onClick={() => choose({ window: '30d' })}>Show {windowTitles['30d']}</Button>
  );
  return (
    <EmptyState icon="traffic" title={`No requests${where} in ${windowTitles[window]}`} action={further}>
      Requests appear here a few seconds after they arrive.
    </EmptyState>
  );
}
