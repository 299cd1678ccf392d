const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** `5 minutes ago`, `in 3 days`. */
export function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : seconds > 0 ? 'in a moment' : 'just now';
}

export const exactTime = (iso: string): string => exact.format(Date.parse(iso));
export const dayOf = (iso: string): string => day.format(Date.parse(iso));

/** `340 ms`, `12 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An uptime: `45 s`, `5 min`, `3 h 20 min`, `4 d 2 h`. */
export function uptimeOf(since: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return `${minutes} min`;
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const dayMs = 86_400_000;
export const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();

/** The local start of a calendar day (`2026-11-15`), plus some days; undefined for invalid dates. */
export function startOfDay(date: string | undefined, daysOn = 0): string | undefined {
  const [year, month, dayOfMonth] = date?.split('-').map(Number) ?? [];
  if (!year || !month || !dayOfMonth) return undefined;
  return new Date(year, month - 1, dayOfMonth + daysOn).toISOString();
}
