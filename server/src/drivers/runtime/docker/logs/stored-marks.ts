import { entriesFromEnd } from '../../records/log-reader.ts';
import { logNumbers } from '../../records/log-writer.ts';
import type { LogLine } from '../../runtime.ts';

/** How much of the engine's log is in our files. */
export interface StoredMarks {
  /** Mark of the last stored line; undefined before the first. */
  last: string | undefined;
  /** Returns true once for each line already stored. */
  has(stream: LogLine['stream'], mark: string): boolean;
}

/** The engine reads both streams concurrently, so their lines may be reordered: the last seconds are read again, and
 * stored lines are recognized by stream and mark. */
export const overlapSeconds = 2;

export async function storedMarks(folder: string): Promise<StoredMarks> {
  let last: string | undefined;
  let [enough, oldest] = ['', ''];
  const counts = new Map<string, number>();
  for await (const { entry } of entriesFromEnd(folder)) {
    // Our own lines have no mark.
    if (!entry.mark) continue;
    last ??= entry.mark;
    enough ||= new Date(Date.parse(last) - 2 * overlapSeconds * 1000).toISOString();
    oldest = entry.mark;
    if (oldest < enough) break;
    const key = `${entry.stream} ${entry.mark}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // A loud app fills all files within the overlap: anything older than them was stored and dropped.
  const dropped = oldest >= enough && logNumbers(folder)[0] !== 1 ? oldest : '';
  return {
    last,
    has(stream, mark) {
      if (mark < dropped) return true;
      const key = `${stream} ${mark}`;
      const left = counts.get(key) ?? 0;
      if (left) counts.set(key, left - 1);
      return left > 0;
    },
  };
}

/** Whether this line is in our files. Searches from the end, and not far beyond its time. */
export async function isLineStored(folder: string, stream: LogLine['stream'], mark: string): Promise<boolean> {
  const tooOld = new Date(Date.parse(mark) - overlapSeconds * 1000).toISOString();
  for await (const { entry } of entriesFromEnd(folder)) {
    if (entry.mark === mark && entry.stream === stream) return true;
    if (entry.mark && entry.mark < tooOld) return false;
  }
  return false;
}
