/** `0.4 s`, `12 s`, `2 min 05 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** An age in the largest sensible unit. */
export function age(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  const [size, unit] = (
    [
      [86_400, 'd'],
      [3600, 'h'],
      [60, 'min'],
    ] as const
  ).find(([length]) => seconds >= length) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** `just now`, `5 minutes ago`, `2 days ago`. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${countWithNoun(Math.floor(seconds / 60), 'minute')} ago`;
  if (seconds < 86_400) return `${countWithNoun(Math.floor(seconds / 3600), 'hour')} ago`;
  return `${countWithNoun(Math.floor(seconds / 86_400), 'day')} ago`;
}

export const countWithNoun = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Quotes a name for the shell if necessary. */
export const shellWord = (name: string): string =>
  /^[\w./@:-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
