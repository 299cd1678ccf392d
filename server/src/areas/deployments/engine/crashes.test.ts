import { expect, it } from 'vitest';
import { countCrash, mostCrashes } from './step-endings.ts';
import type { StepRow } from '../model/store.ts';

const running = (change: Partial<StepRow> = {}): StepRow => ({
  deploymentId: 'dep_1',
  position: 1,
  name: 'detect',
  status: 'running',
  attempt: 1,
  process: 'prc_1',
  crashes: 0,
  startedAt: 1,
  finishedAt: null,
  result: null,
  ...change,
});

it('counts a step that another process left running', () =>
  expect(countCrash(running(), 'prc_2')).toEqual({ process: 'prc_2', crashes: 1 }));

it.each([
  ['it is retried by the same process', running({ process: 'prc_2' })],
  ['the last process stopped in order', running({ process: null })],
  ['it has not begun', running({ status: 'waiting', process: null })],
])('does not count a crash if %s', (_, row) => expect(countCrash(row, 'prc_2').crashes).toBe(0));

it('fails the deployment after too many crashes, except in steps that may have switched', () => {
  const row = running({ crashes: mostCrashes - 1 });
  expect(() => countCrash(row, 'prc_2')).toThrow('crashed 3 times during the step detect');
  expect(countCrash({ ...row, name: 'route' }, 'prc_2').crashes).toBe(mostCrashes);
});
