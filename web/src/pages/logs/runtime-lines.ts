import type { Schemas } from '@mooring/client';
import { type LogLine, logLine } from './lines.ts';

type FetchedLine = Schemas['LogLine'];

/** Maximum number of lines of a running app on the page. */
export const mostLines = 10_000;
/** Replicas write independently, so a line may arrive after a newer one. */
const lateMs = 3000;

/** Polls overlap a little with the newest known line. */
export function logSince(known: readonly LogLine[]): string | undefined {
  const newest = known.at(-1);
  return newest && new Date(Date.parse(newest.at) - lateMs).toISOString();
}

/** Adds the new lines and keeps the newest 10,000. */
export function mergeLogLines(known: readonly LogLine[], fetched: readonly FetchedLine[]): readonly LogLine[] {
  const since = logSince(known) ?? '';
  // Only the overlap can contain duplicates.
  const left = countsOf(known.slice(known.findLastIndex(({ at }) => at < since) + 1));
  const added = fetched.filter((line) => isUnknown(line, left));
  if (!added.length) return known;
  const last = known.reduce((most, { number }) => Math.max(most, number), 0);
  const shown = added.map((line, index) => logLine(last + index + 1, line));
  return [...known, ...shown].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(-mostLines);
}

const keyOf = (at: string, service: string | null, replica: number | null, text: string): string =>
  [at, service, replica, text].join('\n');

function countsOf(lines: readonly LogLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { at, service, replica, raw } of lines) {
    const key = keyOf(at, service, replica, raw);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** A replica may write the same text twice within a millisecond, so equal lines are counted. */
function isUnknown({ at, service, replica, line }: FetchedLine, left: Map<string, number>): boolean {
  const key = keyOf(at, service, replica, line);
  const count = left.get(key) ?? 0;
  left.set(key, count - 1);
  return count <= 0;
}
