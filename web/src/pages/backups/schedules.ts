import { Cron } from 'croner';

export const nightlySchedule = '30 3 * * *';
export const customSchedule = '';

export const runPresets = [
  { value: nightlySchedule, title: 'Every night at 3:30' },
  { value: '0 */6 * * *', title: 'Every 6 hours' },
  { value: '0 * * * *', title: 'Every hour' },
  { value: '30 3 * * 0', title: 'Every Sunday at 3:30' },
  { value: customSchedule, title: 'Other (cron expression)' },
];

export const drillPresets = [
  { value: '0 5 * * 0', title: 'Every Sunday at 5:00' },
  { value: '0 5 * * *', title: 'Every day at 5:00' },
  { value: '0 5 1 * *', title: 'On the first of each month at 5:00' },
  { value: customSchedule, title: 'Other (cron expression)' },
];

/** A schedule in words if it is a preset, or else as it is. */
export const scheduleWords = (schedule: string): string =>
  [...runPresets, ...drillPresets].find(({ value }) => value === schedule)?.title ?? schedule;

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The next time of a schedule; undefined while it is incomplete or wrong, which the API explains. */
export function nextRun(schedule: string, timezone: string): string | undefined {
  try {
    return new Cron(schedule, { timezone, mode: '5-part' }).nextRun()?.toISOString();
  } catch {
    return undefined;
  }
}

/** `Wed, Nov 18, 3:30 AM`, in the time zone of the schedule. */
export const timeIn = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(Date.parse(iso));
