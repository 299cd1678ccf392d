import type { Step } from '../../api.ts';
import { lengthOf } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Card } from '../../ui/page.tsx';

type Kind = Parameters<typeof Badge>[0]['kind'];

const kinds: Record<string, Kind> = { done: 'good', running: 'accent', failed: 'danger', cancelled: 'warn' };

export function StepList({ steps, isFinished }: { steps: Step[]; isFinished: boolean }) {
  if (!steps.length)
    return isFinished ? (
      <EmptyState icon="overview" title="No steps">
        The deployment ended before its first step.
      </EmptyState>
    ) : (
      <EmptyState icon="overview" title="Queued">
        The steps are planned when the deployment starts.
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
              <Badge kind={kinds[status]}>{status.replace('_', ' ')}</Badge>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
