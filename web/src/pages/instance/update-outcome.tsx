import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asSentence, healthQuery } from '../../api.ts';
import type { UpdateRun } from '../../update-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

/** How the last update ended. `version` runs now. */
export function UpdateOutcome({ run, version }: { run: UpdateRun; version: string }) {
  return (
    <Section title="Last update" aside={run.endedAt && <Time at={run.endedAt} />}>
      {run.state === 'updated' ? <Updated run={run} version={version} /> : <NotUpdated run={run} />}
    </Section>
  );
}

function Updated({ run: { from, to, awayMs, reason }, version }: { run: UpdateRun; version: string }) {
  const { data: loadedFrom } = useQuery(healthQuery);
  return (
    <Notice kind="good">
      <p>
        Updated from {from} to {to}.{awayMs !== null && ` The API was away for ${(awayMs / 1000).toFixed(1)} s.`}
        {reason && ` ${asSentence(reason)}`}
      </p>
      {loadedFrom && loadedFrom.version !== version && (
        <Button size="small" className="mt-2 text-ink" onClick={() => window.location.reload()}>
          Reload the dashboard
        </Button>
      )}
    </Notice>
  );
}

function NotUpdated({ run: { state, from, to, reason, lines } }: { run: UpdateRun }) {
  const isBack = state === 'went_back';
  return (
    <Notice kind={isBack ? 'warn' : 'danger'}>
      <p className="font-medium">{isBack ? `Went back to ${from}` : `The update to ${to} failed`}</p>
      {reason && <p>{asSentence(reason)}</p>}
      <Lines>{lines.join('\n')}</Lines>
    </Notice>
  );
}

const Lines = ({ children }: { children: ReactNode }) =>
  children ? (
    <pre
      tabIndex={0}
      className="mt-2 overflow-x-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs leading-5 text-ink"
    >
      {children}
    </pre>
  ) : null;
