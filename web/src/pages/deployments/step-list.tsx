import type { Step } from '../../api.ts';
import { lengthOf } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Card } from '../../ui/page.tsx';

type Kind = Parameters<typeof Badge>[0]['kind'];

const kinds: Record<string, Kind> = { done: 'good', running: 'accent', failed: 'danger' };

export function StepList({ steps }: { steps: Step[] }) {
  if (!steps.length)
    return (
      <EmptyState icon="overview" title="Nothing has begun yet">
        The steps are planned when the deployment gets its turn.
      </EmptyState>
    );
  return (
    <Card>
      <ol className="divide-y divide-line">
        {steps.map(({ name, status, attempt, startedAt, finishedAt }) => (
          <li key={name} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-5 py-3">
            <span className="font-medium capitalize">{name}</span>
            <span className="flex items-center gap-3 text-sm text-muted">
              {attempt > 1 && <span>Attempt {attempt}</span>}
              {startedAt && finishedAt && (
                <span className="tabular-nums">{lengthOf(Date.parse(finishedAt) - Date.parse(startedAt))}</span>
              )}
              <Badge kind={kinds[status]}>{status}</Badge>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
