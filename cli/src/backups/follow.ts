import { formatBytes } from '@mooring/client';
import { exitCodes } from '../errors.ts';
import { eventsOf, type StreamEvent } from '../event-stream.ts';
import { type Instance, signedInClient } from '../instance.ts';
import { logText, type Output, plainText, styled } from '../output.ts';
import { retryWhileAway } from '../retry.ts';
import { StatusLine } from '../status-line.ts';
import { countWithNoun, formatDuration } from '../format.ts';
import { type Backup, backupById, type Restore, restoreById } from './find.ts';

export const detachOption = { type: 'boolean', help: 'print the id and do not wait' } as const;

type JobEvent = StreamEvent &
  (
    | { type: 'progress'; phase: string; bytesDone: number; bytesTotal: number | null }
    | { type: 'log'; line: string; level: string }
    | { type: 'status' | 'end'; status: string }
  );

type Followed = { detach?: boolean | undefined };

export async function followBackup(
  instance: Instance,
  { id }: Backup,
  out: Output,
  { detach }: Followed = {},
): Promise<void> {
  if (detach) return out.print({ id }, () => id);
  out.note(`Backup ${id}`);
  await follow(instance, `/api/backups/${id}`, `The backup continues. Cancel it: mooring backup cancel ${id}`, out);
  const backup = await retryWhileAway(() => backupById(signedInClient(instance), id));
  conclude(backup, out, () => {
    const { archives, bytes } = backup;
    out.note(
      `${id} completed${durationWords(backup)}: ${countWithNoun(archives.length, 'archive')}, ${formatBytes(bytes)}, verified.`,
    );
  });
}

export async function followRestore(
  instance: Instance,
  { id, kind }: Restore,
  out: Output,
  { detach }: Followed = {},
): Promise<void> {
  if (detach) return out.print({ id }, () => id);
  const what = kind === 'drill' ? 'drill' : 'restore';
  out.note(`${kind === 'drill' ? 'Drill' : 'Restore'} ${id}`);
  await follow(instance, `/api/restores/${id}`, `The ${what} continues. Cancel it: mooring restore cancel ${id}`, out);
  const restore = await retryWhileAway(() => restoreById(signedInClient(instance), id));
  conclude(restore, out, () => {
    out.note(`${id} completed${durationWords(restore)}.`);
    for (const line of resultLines(restore)) out.note(line);
  });
}

/** Where the data is now, what proves it, and how to undo it. */
export function resultLines({ id, kind, results, proof, undoable }: Restore): string[] {
  const isDrill = kind === 'drill';
  return [
    ...(isDrill ? [] : results.map(({ source, place }) => `${plainText(source)} is restored to ${plainText(place)}.`)),
    ...(proof ? [`Proof: ${plainText(proofText(proof.result))} (${plainText(proof.query)})`] : []),
    ...(undoable ? [`Undo it: mooring restore undo ${id}`] : []),
  ];
}

/** `12 files, 3.1 MB`: the API counts bytes. */
const proofText = (result: string): string =>
  result.replaceAll(
    /(\d+ files?), (\d+) bytes/g,
    (_, files: string, bytes: string) => `${files}, ${formatBytes(Number(bytes))}`,
  );

/** Shows the progress until the end. Ctrl-C detaches and leaves the job running. */
async function follow(instance: Instance, path: `/api/${string}`, onDetach: string, out: Output): Promise<void> {
  const line = new StatusLine();
  const detach = () => {
    line.clear();
    out.note(`\n${onDetach}`);
  };
  // Runs before the listener that ends the process.
  process.prependOnceListener('SIGINT', detach);
  const onContact = (state: 'lost' | 'back') =>
    line.print(state === 'lost' ? 'Connection lost, reconnecting ...' : 'Reconnected.');
  try {
    let phase = '';
    for await (const event of eventsOf<JobEvent>(instance, path, onContact)) {
      if (event.type === 'progress') {
        line.set(`… ${event.phase}${bytesOf(event)}`);
        // Without a terminal there is no status line.
        if (!process.stderr.isTTY && event.phase !== phase) line.print(plainText(event.phase));
        phase = event.phase;
      }
      if (event.type === 'log')
        line.print(styled(event.level === 'info' ? 'dim' : 'yellow', `  ${logText(event.line)}`, process.stderr));
    }
  } finally {
    process.removeListener('SIGINT', detach);
    line.clear();
  }
}

function bytesOf({ bytesDone, bytesTotal }: { bytesDone: number; bytesTotal: number | null }): string {
  if (!bytesDone) return '';
  if (!bytesTotal) return `  ${formatBytes(bytesDone)}`;
  const percent = Math.min(100, Math.floor((bytesDone / bytesTotal) * 100));
  return `  ${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)} (${percent} %)`;
}

/** Only the id goes to stdout. */
function conclude(job: Backup | Restore, out: Output, onSuccess: () => void): void {
  const { id, status, error } = job;
  if (status === 'completed') {
    onSuccess();
    out.print(job, () => id);
    return;
  }
  process.exitCode = exitCodes.failed;
  if (out.json) out.print(job, () => '');
  out.note(
    `mooring: ${id} ${status === 'cancelled' ? 'was cancelled' : status}${error ? `: ${plainText(error.message)}` : ''}`,
  );
  if (error?.hint) out.note(plainText(error.hint));
}

export const durationWords = ({ startedAt, finishedAt }: Pick<Backup, 'startedAt' | 'finishedAt'>): string =>
  startedAt && finishedAt ? ` after ${formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))}` : '';
