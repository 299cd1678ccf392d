import { formatBytes, unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { type Backup, isJobRunning, type Job, type Restore } from '../../backup-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { type JobLogLine, useJobStream } from './use-job-stream.ts';

/** The progress of a backup or restore while it runs, why it failed, and its log. */
export function JobProgress({ job }: { job: Job }) {
  const path = 'archives' in job ? '/api/backups' : '/api/restores';
  const { progress, lines, isLost } = useJobStream(path, job.id);
  return (
    <>
      {isJobRunning(job) && (
        <Card className="grid grid-cols-1 gap-3 p-5">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <div role="status">
              <Waiting>{isLost ? 'Connection lost, reconnecting' : phaseWords(progress ?? job.progress)}</Waiting>
            </div>
            <CancelButton job={job} />
          </div>
          <Bar {...(progress ?? job.progress)} />
        </Card>
      )}
      {job.error && <FailureNotice error={job.error} alert />}
      {lines.length > 0 && (
        <Section title="Log">
          <Log lines={lines} />
        </Section>
      )}
    </>
  );
}

const phaseWords = ({ phase }: Job['progress']): string =>
  phase.charAt(0).toUpperCase() + phase.slice(1).replace('-', ' ');

function Bar({ bytesDone, bytesTotal }: Job['progress']) {
  if (!bytesDone && !bytesTotal) return null;
  const share = bytesTotal ? Math.min(1, bytesDone / bytesTotal) : undefined;
  return (
    <div>
      {share !== undefined && (
        <div
          role="progressbar"
          aria-label="Progress"
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          className="h-2 overflow-hidden rounded-full bg-sunken"
        >
          <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
        </div>
      )}
      <p className="mt-1.5 text-sm text-muted tabular-nums">
        {formatBytes(bytesDone)}
        {bytesTotal ? ` of ${formatBytes(bytesTotal)}` : ''}
      </p>
    </div>
  );
}

const Log = ({ lines }: { lines: JobLogLine[] }) => (
  <ul className="grid grid-cols-1 gap-1 overflow-x-auto rounded-xl border border-line bg-surface p-4 font-mono text-[0.8125rem] shadow-card">
    {lines.map(({ seq, line, level }) => (
      <li key={seq} className={`[overflow-wrap:anywhere] ${level === 'error' ? 'text-danger' : ''}`}>
        {line}
      </li>
    ))}
  </ul>
);

function CancelButton({ job }: { job: Backup | Restore }) {
  const may = usePermissions();
  const [isAsking, setIsAsking] = useState(false);
  const params = { path: { id: job.id } };
  const cancel = useChange(async () => {
    if ('archives' in job) await unwrap(client.POST('/api/backups/{id}/cancel', { params }));
    else await unwrap(client.POST('/api/restores/{id}/cancel', { params }));
    setIsAsking(false);
  });
  if (!may('backup:write')) return null;
  const isInPlace = 'target' in job && job.target === 'in-place';
  const what = 'archives' in job ? 'backup' : job.kind;
  return (
    <>
      <Button size="small" onClick={() => setIsAsking(true)}>
        Cancel {what}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Cancel this ${what}?`}
          confirm={`Cancel ${what}`}
          dismiss="Keep it running"
          change={cancel}
          onConfirm={() => cancel.mutate(undefined)}
          onClose={() => setIsAsking(false)}
        >
          {isInPlace
            ? 'Data that was replaced already is restored from the backup that was taken before.'
            : 'Earlier backups are not affected.'}
        </ConfirmDialog>
      )}
    </>
  );
}
