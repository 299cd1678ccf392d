import { describe, expect, it } from 'vitest';
import { backupsToRemove } from './retention.ts';
import { nextTime, scheduleProblem } from './schedule.ts';

describe('schedule', () => {
  it('fires in its time zone, once on days that a clock change shortens or lengthens', () => {
    const next = (schedule: string, from: string) =>
      new Date(nextTime(schedule, 'Europe/Berlin', Date.parse(from))!).toISOString();
    expect(next('30 3 * * *', '2026-11-17T00:00:00Z')).toBe('2026-11-17T02:30:00.000Z');
    expect(next('30 3 * * *', '2026-07-17T00:00:00Z')).toBe('2026-07-17T01:30:00.000Z');
    // 02:30 does not exist on that day.
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z')).toMatch(/^2026-03-29T01:/);
    // 02:30 exists twice.
    const first = next('30 2 * * *', '2026-10-24T12:00:00Z');
    expect(first).toMatch(/^2026-10-25T0[01]:30/);
    expect(next('30 2 * * *', first)).toBe('2026-10-26T01:30:00.000Z');
  });

  it.each([
    ['30 3 * *', 'UTC', 'schedule'],
    ['0 30 3 * * *', 'UTC', 'schedule'],
    ['every day', 'UTC', 'schedule'],
    ['0 0 30 2 *', 'UTC', 'schedule'],
    ['0 0 * * *', 'Europe/Atlantis', 'timezone'],
    ['0 0 * * *', '', 'timezone'],
  ])('rejects %s in %s', (schedule, timezone, field) => {
    expect(scheduleProblem(schedule, timezone)?.field).toBe(field);
  });

  it('accepts a leap day', () => {
    expect(scheduleProblem('0 0 29 2 *', 'UTC')).toBeNull();
  });
});

describe('retention', () => {
  const at = (day: string, hour = 3) => Date.parse(`${day}T${String(hour).padStart(2, '0')}:00:00Z`);
  const backup = (day: string, pinned = false, hour = 3) => ({
    id: `${day}-${hour}`,
    finishedAt: at(day, hour),
    pinned,
  });
  const none = { last: 0, daily: 0, weekly: 0, monthly: 0 };

  it('keeps the last ones, and the newest of each day, week and month', () => {
    const backups = [
      backup('2026-11-17', false, 9),
      backup('2026-11-17', false, 3),
      backup('2026-11-16'),
      backup('2026-11-15'),
      backup('2026-11-08'),
      backup('2026-10-31'),
      backup('2026-10-02'),
      backup('2026-09-30'),
    ];
    expect(backupsToRemove(backups, { ...none, last: 2 }, 'UTC')).toHaveLength(6);
    expect(backupsToRemove(backups, { ...none, daily: 2 }, 'UTC')).not.toContain('2026-11-16-3');
    expect(backupsToRemove(backups, { ...none, daily: 2 }, 'UTC')).toContain('2026-11-17-3');
    // Sunday the 15th is in the week before Monday the 16th.
    expect(backupsToRemove(backups, { ...none, weekly: 2 }, 'UTC')).not.toContain('2026-11-15-3');
    expect(backupsToRemove(backups, { ...none, monthly: 3 }, 'UTC')).toEqual([
      '2026-11-17-3',
      '2026-11-16-3',
      '2026-11-15-3',
      '2026-11-08-3',
      '2026-10-02-3',
    ]);
  });

  it('never removes the newest or a pinned one', () => {
    const backups = [backup('2026-11-17'), backup('2026-11-16', true), backup('2026-11-15')];
    expect(backupsToRemove(backups, none, 'UTC')).toEqual(['2026-11-15-3']);
    expect(backupsToRemove([backup('2026-11-17')], none, 'UTC')).toEqual([]);
  });
});
