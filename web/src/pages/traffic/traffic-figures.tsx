import type { Traffic } from '../../api.ts';
import { formatDuration } from '../../times.ts';
import { countOf, shareOf } from './counts.ts';

export function TrafficFigures({ totals }: Pick<Traffic, 'totals'>) {
  const { requests, statuses, latencyMs } = totals;
  const failed = statuses['5xx'];
  const isTime = true;
  const figures: Figure[] = [
    { title: 'Requests', value: countOf(requests) },
    { title: 'Errors', value: countOf(failed), note: shareOf(failed, requests), isBad: failed > 0 },
    { title: 'Response p50', value: timeOf(latencyMs.p50), isTime },
    { title: 'Response p95', value: timeOf(latencyMs.p95), isTime },
    { title: 'Response p99', value: timeOf(latencyMs.p99), isTime },
  ];
  return (
    <dl className="grid grid-cols-6 gap-x-4 gap-y-4 sm:grid-cols-5">
      {figures.map(({ title, value, note, isBad, isTime }) => (
        <div key={title} className={`sm:col-span-1 ${isTime ? 'col-span-2' : 'col-span-3'}`}>
          <dt className="text-sm text-muted">{title}</dt>
          <dd className="mt-0.5 flex flex-wrap items-baseline gap-x-1.5">
            <span
              className={`text-lg font-semibold sm:text-xl tracking-tight tabular-nums ${isBad ? 'text-danger' : ''}`}
            >
              {value}
            </span>
            {note && <span className="text-xs text-muted">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Figure = { title: string; value: string; note?: string; isBad?: boolean; isTime?: true };

const timeOf = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
