import { formatBytes } from '@mooring/client';
import type { Backup } from '../../backup-queries.ts';
import { exactTime } from '../../times.ts';

const height = 100;
const failedHeight = 12;
const barWidth = 0.7;
/** Few bars keep their width. */
const fewest = 20;

/** Sizes of backups over time. The table below it has the same numbers. */
export function SizeChart({ backups }: { backups: Backup[] }) {
  const oldestFirst = backups.filter(({ finishedAt }) => finishedAt !== null).toReversed();
  const most = Math.max(1, ...oldestFirst.map(({ bytes }) => bytes));
  const failed = oldestFirst.filter(({ status }) => status === 'failed').length;
  const width = Math.max(fewest, oldestFirst.length);
  const label = `Sizes of ${oldestFirst.length} backups, at most ${formatBytes(most)}${failed ? `, ${failed} failed` : ''}`;
  if (oldestFirst.length < 2) return null;
  return (
    <figure className="rounded-xl border border-line bg-surface p-5 shadow-card">
      <figcaption className="mb-2 flex justify-between text-xs text-muted">
        <span>Size of each backup</span>
        <span className="tabular-nums">largest {formatBytes(most)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="h-24 w-full border-b border-line-strong"
      >
        {oldestFirst.map((backup, index) => (
          <Bar key={backup.id} backup={backup} x={index + width - oldestFirst.length} most={most} />
        ))}
      </svg>
      <div className="mt-1 flex justify-between text-xs text-muted">
        <span>{exactTime(oldestFirst[0]!.createdAt)}</span>
        <span>{exactTime(oldestFirst.at(-1)!.createdAt)}</span>
      </div>
    </figure>
  );
}

/** A failed backup has a short bar in red, because its size says nothing. */
function Bar({ backup, x, most }: { backup: Backup; x: number; most: number }) {
  const { status, bytes, createdAt } = backup;
  const isFailed = status === 'failed';
  const size = isFailed ? failedHeight : Math.max(2, (bytes / most) * height);
  return (
    <g className="hover:opacity-70">
      <title>{`${exactTime(createdAt)}: ${isFailed ? 'failed' : formatBytes(bytes)}`}</title>
      <rect x={x} width={1} height={height} fill="transparent" />
      <rect
        x={x + (1 - barWidth) / 2}
        y={height - size}
        width={barWidth}
        height={size}
        className={isFailed ? 'fill-danger' : status === 'completed' ? 'fill-accent' : 'fill-muted/70'}
      />
    </g>
  );
}
