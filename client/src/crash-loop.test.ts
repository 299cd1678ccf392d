import { expect, it } from 'vitest';
import { keepsCrashing } from './crash-loop.ts';

const now = Date.parse('2026-01-01T00:10:00Z');

it.each([
  ['runs without a restart', { state: 'running', restarts: 0, startedAt: '2026-01-01T00:09:58Z' }, false],
  ['has crashed twice', { state: 'running', restarts: 2, startedAt: '2026-01-01T00:09:58Z' }, false],
  ['has just crashed again', { state: 'running', restarts: 3, startedAt: '2026-01-01T00:09:58Z' }, true],
  ['waits for its next start', { state: 'restarting', restarts: 9, startedAt: null }, true],
  ['has recovered', { state: 'running', restarts: 9, startedAt: '2026-01-01T00:08:00Z' }, false],
])('a container that %s', (_what, container, expected) => {
  expect(keepsCrashing(container, now)).toBe(expected);
});
