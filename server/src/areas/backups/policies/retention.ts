export type Retention = { last: number; daily: number; weekly: number; monthly: number };
export type KeptBackup = { id: string; finishedAt: number; pinned: boolean };

/**
 * Returns the ids of completed backups that are no longer needed: neither among the last, nor the newest of a kept
 * day, week or month, nor pinned. The newest one always stays.
 */
export function backupsToRemove(backups: KeptBackup[], retention: Retention, timezone: string): string[] {
  const newestFirst = backups.toSorted((a, b) => b.finishedAt - a.finishedAt);
  const kept = new Set(newestFirst.slice(0, Math.max(1, retention.last)).map(({ id }) => id));
  for (const [count, periodOf] of [
    [retention.daily, dayOf],
    [retention.weekly, weekOf],
    [retention.monthly, monthOf],
  ] as const) {
    const periods = new Map<string, string>();
    for (const { id, finishedAt } of newestFirst) {
      const period = periodOf(localDate(finishedAt, timezone));
      if (!periods.has(period)) periods.set(period, id);
    }
    for (const id of [...periods.values()].slice(0, count)) kept.add(id);
  }
  return newestFirst.filter(({ id, pinned }) => !pinned && !kept.has(id)).map(({ id }) => id);
}

/** `2026-11-17`. */
const localDate = (ms: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(ms);

const dayOf = (date: string): string => date;
const monthOf = (date: string): string => date.slice(0, 7);
/** Weeks begin on Monday. */
function weekOf(date: string): string {
  const days = Math.floor(Date.parse(date) / 86_400_000);
  // 1970-01-01 was a Thursday.
  return String(Math.floor((days + 3) / 7));
}
