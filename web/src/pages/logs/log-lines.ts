import type { Schemas } from '@mooring/client';

type LogLine = Schemas['LogLine'];
/** A line with a number that no other line of the same log has. */
export type ShownLine = Pick<LogLine, 'at' | 'line' | 'stream' | 'service' | 'replica'> & { number: number };

export const mostLines = 2000;
/** Replicas write independently, so a line may arrive after a newer one. */
const lateMs = 3000;

/** From when on to ask for lines: a little before the newest one. */
export function sinceOf(known: readonly ShownLine[]): string | undefined {
  const newest = known.at(-1);
  return newest && new Date(Date.parse(newest.at) - lateMs).toISOString();
}

/** Adds the lines that are not known yet, and keeps the newest 2,000. */
export function merged(known: readonly ShownLine[], fetched: readonly LogLine[]): readonly ShownLine[] {
  const added = unknown(fetched.map(plainLine), countsOf(known));
  if (!added.length) return known;
  const last = known.reduce((most, { number }) => Math.max(most, number), 0);
  const shown = added.map((line, index) => ({ ...line, number: last + index + 1 }));
  return [...known, ...shown].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(-mostLines);
}

type PlainLine = Omit<ShownLine, 'number'>;

const plainLine = ({ at, line, stream, service, replica }: LogLine): PlainLine => ({
  at,
  line: plainText(line),
  stream,
  service,
  replica,
});

const keyOf = ({ at, service, replica, stream, line }: PlainLine): string =>
  JSON.stringify([at, service, replica, stream, line]);

function countsOf(lines: readonly PlainLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  return counts;
}

/** A replica may write the same text twice within a millisecond, so equal lines are counted. */
function unknown(lines: readonly PlainLine[], left: Map<string, number>): PlainLine[] {
  return lines.filter((line) => {
    const key = keyOf(line);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

// CSI, OSC and other escape sequences, including unterminated ones.
const escapes = new RegExp(
  [
    '\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);

/** A line without colour codes and control characters. Progress bars overwrite their line: only the last state stays. */
export function plainText(line: string): string {
  const last = line.trimEnd().split('\r').at(-1) ?? '';
  return last
    .replaceAll('\t', '    ')
    .replaceAll(escapes, '')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trimEnd();
}
