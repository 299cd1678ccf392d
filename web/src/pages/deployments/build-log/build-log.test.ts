import type { ServerEvent } from '@mooring/client';
import { expect, it } from 'vitest';
import { BuildLog } from './build-log.ts';

const at = '2026-01-01T00:00:00.000Z';
const event = (id: number, type: string, data: Record<string, unknown>): ServerEvent => ({
  id,
  type,
  data: { seq: id, at, ...data },
});
const line = (id: number, text: string, step: string | null = 'build', level = 'info') =>
  event(id, 'log', { line: text, level, step, stream: 'stdout', service: null });
const textsOf = (log: BuildLog) =>
  Object.fromEntries(log.sections.map(({ step, lines }) => [step, lines.map(({ text }) => text)]));
const logOf = (...events: ServerEvent[]) => {
  const log = new BuildLog();
  for (const each of events) log.add(each);
  return log;
};

it('groups lines by step and drops duplicates', () => {
  const events = [
    event(1, 'status', { status: 'queued' }),
    line(2, 'early', null),
    event(3, 'step', { name: 'build', status: 'running', attempt: 1 }),
    line(4, 'one'),
    line(5, 'two'),
    line(6, 'Starting', 'start'),
    line(7, 'of no step', null),
  ];
  const log = logOf(...events, ...events, line(5, 'two'), line(8, 'three'));
  expect(textsOf(log)).toEqual({ '': ['early'], build: ['one', 'two', 'three'], start: ['Starting', 'of no step'] });
  expect([log.lineCount, log.lastSeq, log.isOver]).toEqual([6, 8, false]);
});

it('marks where a step restarts, and finds the first error and the end', () => {
  const log = logOf(
    line(1, 'error: ignored by the build', 'detect'),
    event(2, 'step', { name: 'build', status: 'running', attempt: 2 }),
    line(3, 'one'),
    line(4, '    at x (a.js:1:2)', 'build', 'error'),
    line(5, 'TypeError: x is not a function', 'build', 'error'),
    event(6, 'end', { status: 'failed' }),
  );
  expect(textsOf(log)['build']?.[0]).toBe('Attempt 2: the step was interrupted and starts again');
  expect(log.firstError('build')).toEqual({ block: 'build', index: 3 });
  expect(log.firstError(undefined)).toEqual({ block: 'detect', index: 0 });
  expect([logOf(line(1, 'fine')).firstError('build'), log.isOver]).toEqual([undefined, true]);
});

it('returns the whole log as text in the order of writing, without colours', () => {
  const log = logOf(line(1, '\u001b[31mred\u001b[0m'), line(2, 'Starting', 'start'), line(3, 'late', 'build'));
  expect(log.text()).toBe(`${at} build: red\n${at} start: Starting\n${at} build: late\n`);
});

it('notifies once for many events', async () => {
  const log = new BuildLog();
  let told = 0;
  log.subscribe(() => told++);
  for (let seq = 1; seq <= 1000; seq++) log.add(line(seq, `${seq}`));
  expect([told, log.version()]).toEqual([0, 0]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([told, log.version()]).toEqual([1, 1]);
});
