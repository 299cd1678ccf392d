import { packageCauses } from './packages.ts';
import { programCauses } from './programs.ts';
import { systemCauses } from './system.ts';

// The first entry with a matching line counts, so special cases come first.
const all = [...programCauses, ...packageCauses, ...systemCauses];

const longestLine = 2_000;

/** Names the cause and the fix of a failure from its output; undefined if it is not a known one. */
export function knownCause(
  output: readonly string[],
  { slug, isBuild }: { slug: string; isBuild: boolean },
): string | undefined {
  const lines = output.map((line) => line.slice(0, longestLine));
  for (const [shows, cause, fix] of isBuild ? all : programCauses)
    for (const line of lines) {
      const match = shows.exec(line);
      if (!match) continue;
      const groups = match.slice(1).filter((group) => group !== undefined);
      const filled = `${cause} ${fix}`.replaceAll(/\$(\d)|\{slug\}/g, (_, place?: string) =>
        place ? (groups[Number(place) - 1] ?? 'it') : slug,
      );
      return filled;
    }
  return undefined;
}
