import type { Step } from '../../../api.ts';
import { formatDuration } from '../../../times.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useSeconds } from '../../../ui/seconds.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { titleOfStep } from './step-titles.ts';

type Kind = Parameters<typeof Badge>[0]['kind'];

const looks: Record<Step['status'], [title: string, kind: Kind]> = {
  waiting: ['Waiting', 'plain'],
  running: ['Running', 'accent'],
  done: ['Done', 'good'],
  failed: ['Failed', 'danger'],
  cancelled: ['Cancelled', 'warn'],
  skipped: ['Skipped', 'plain'],
  not_run: ['Not run', 'plain'],
};

type Props = { name: string; step: Step | undefined; lineCount: number; isFolded: boolean; onToggle: () => void };

/** The heading of a step's log lines. A step without lines cannot be folded. */
export function StepHeader({ name, step, lineCount, isFolded, onToggle }: Props) {
  const hasLines = lineCount > 0;
  return (
    <button
      type="button"
      disabled={!hasLines}
      aria-expanded={hasLines ? !isFolded : undefined}
      onClick={onToggle}
      className="flex h-full w-full items-center gap-2 border-b border-line bg-surface px-3 text-left font-sans text-sm -outline-offset-2 enabled:hover:bg-raised"
    >
      <Icon
        name="right"
        size={15}
        className={`text-muted transition-transform ${hasLines ? '' : 'invisible'} ${isFolded ? '' : 'rotate-90'}`}
      />
      <span className={`truncate font-medium ${step?.status === 'not_run' ? 'text-muted' : ''}`}>
        {titleOfStep(name)}
      </span>
      {hasLines && (
        <span className="hidden whitespace-nowrap text-muted sm:inline">
          {lineCount === 1 ? '1 line' : `${lineCount.toLocaleString('en')} lines`}
        </span>
      )}
      {step && <StepState step={step} />}
    </button>
  );
}

function StepState({ step: { status, attempt, startedAt, finishedAt } }: { step: Step }) {
  const [title, kind] = looks[status];
  return (
    <span className="ml-auto flex shrink-0 items-center gap-3 text-muted">
      {attempt > 1 && <span className="hidden sm:inline">Attempt {attempt}</span>}
      <span className="tabular-nums">
        {startedAt && finishedAt && formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))}
        {startedAt && !finishedAt && status === 'running' && <Elapsed since={startedAt} />}
      </span>
      {status === 'running' && <Spinner size={14} />}
      <Badge kind={kind}>{title}</Badge>
    </span>
  );
}

function Elapsed({ since }: { since: string }) {
  // Renders again every second.
  useSeconds();
  return formatDuration(Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 1000)) * 1000);
}
