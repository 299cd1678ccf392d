import { Cron } from 'croner';

/** Why a schedule or time zone cannot be used, as the rest of a sentence that begins with the field; null if it can. */
export function scheduleProblem(
  schedule: string,
  timezone: string,
): { field: 'schedule' | 'timezone'; problem: string } | null {
  if (!isTimeZone(timezone))
    return { field: 'timezone', problem: 'must be the name of a time zone, such as Europe/Berlin or UTC' };
  try {
    if (nextTime(schedule, timezone, Date.now()) !== null) return null;
  } catch {
    return { field: 'schedule', problem: 'must be a cron expression of five fields, such as 30 3 * * *' };
  }
  return { field: 'schedule', problem: 'never fires: there is no such day' };
}

/** Returns the first time of the schedule after `after`; null if there is none. */
export const nextTime = (schedule: string, timezone: string, after: number): number | null =>
  new Cron(schedule, { timezone, mode: '5-part' }).nextRun(new Date(after))?.getTime() ?? null;

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
