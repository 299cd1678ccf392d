import type { Traffic } from '../../api.ts';
import { countOf, shareOf } from './counts.ts';

type Statuses = Traffic['totals']['statuses'];

/** From success to failure; also the stacking order of the chart. */
export const statusKinds = [
  { kind: '2xx', title: 'Successful', fill: 'fill-accent', box: 'bg-accent' },
  { kind: '3xx', title: 'Redirects', fill: 'fill-muted/70', box: 'bg-muted/70' },
  { kind: '1xx', title: 'Informational', fill: 'fill-good', box: 'bg-good' },
  { kind: '4xx', title: 'Client errors', fill: 'fill-rope', box: 'bg-rope' },
  { kind: '5xx', title: 'Server errors', fill: 'fill-danger', box: 'bg-danger' },
] as const satisfies { kind: keyof Statuses; title: string; fill: string; box: string }[];

/** Requests by status class, as a bar and in numbers. */
export function StatusMix({ statuses }: { statuses: Statuses }) {
  const there = statusKinds.filter(({ kind }) => statuses[kind] > 0);
  const all = there.reduce((sum, { kind }) => sum + statuses[kind], 0);
  return (
    <div>
      <div aria-hidden="true" className="flex h-2 gap-px overflow-hidden rounded-full">
        {there.map(({ kind, box }) => (
          <span key={kind} className={`min-w-0.5 ${box}`} style={{ flexGrow: statuses[kind] }} />
        ))}
      </div>
      <ul aria-label="Statuses" className="mt-3 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {there.map(({ kind, title, box }) => (
          <li key={kind} className="flex items-center gap-2">
            <span aria-hidden="true" className={`size-2.5 rounded-full ${box}`} />
            <span className="tabular-nums">
              {title} {countOf(statuses[kind])}
            </span>
            <span className="text-muted tabular-nums">
              {kind}, {shareOf(statuses[kind], all)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
