import type { UpdateRun } from '../../update-queries.ts';
import { Icon } from '../../ui/icons.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Spinner } from '../../ui/spinner.tsx';

/** The steps of a running update. The service restarts in the middle of it. */
export function UpdateProgress({ run: { to, steps }, isAway }: { run: UpdateRun; isAway: boolean }) {
  return (
    <Section title={`Updating to ${to}`}>
      <Card className="grid gap-4 p-5">
        <ol aria-label="Steps" className="grid gap-2.5">
          {steps.map(({ phase, message, at }, index) => (
            <li key={`${phase} ${at}`} className="flex gap-2.5 [overflow-wrap:anywhere]">
              <span className="mt-0.5 text-accent">
                {index < steps.length - 1 ? <Icon name="check" size={18} /> : <Spinner size={18} />}
              </span>
              <span className="min-w-0">{message}</span>
            </li>
          ))}
        </ol>
        <p role="status" className="text-sm text-muted">
          {isAway
            ? 'Mooring restarts. This page continues as soon as it responds.'
            : steps.length
              ? 'Deployed apps keep serving.'
              : 'Waiting for the updater.'}
        </p>
      </Card>
    </Section>
  );
}
