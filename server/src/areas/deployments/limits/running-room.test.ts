import { expect, it } from 'vitest';
import { keptStack, withServicesLeft } from '../rollout/kept-stack.ts';
import { newServiceState, type ServiceState, type Stack } from '../model/stack.ts';
import { runningRoom } from './reserve.ts';

const room = (memoryBytes: number) => ({ memoryBytes, cpus: 1 });
const stack: Stack = {
  project: { name: '', services: [], volumes: [], networks: [], configs: [], secrets: [], warnings: [] },
  digests: {},
  contents: {},
  secrets: [],
};
const state = (name: string, change: Partial<ServiceState>): ServiceState => ({ ...newServiceState(name), ...change });

/** Partial failure: `a` works, `b` stays in its old version, `c` never ran, `d` was to be removed. */
const half = [
  state('a', { status: 'ready', change: 'replace', runsOf: 'new', room: room(100), roomBefore: room(10) }),
  state('b', { status: 'failed', change: 'replace', runsOf: 'old', room: room(1), roomBefore: room(20) }),
  state('c', { status: 'skipped', change: 'create', runsOf: null, room: room(1000), roomBefore: room(0) }),
  state('d', { status: 'waiting', change: 'remove', runsOf: 'old', room: room(0), roomBefore: room(30) }),
];

it('counts the services of a partial failure in the version that runs', () => {
  expect(runningRoom(half)).toEqual({ memoryBytes: 150, cpus: 3 });
});

it('keeps counting them after the partial failure is kept, and for the next deployment', () => {
  const { states } = keptStack({ stack, states: half }, { stack, states: [] });
  expect(runningRoom(states)).toEqual({ memoryBytes: 120, cpus: 2 });
  expect(states.find(({ name }) => name === 'b')!.room, 'what the next one finds').toEqual(room(20));
});

it('counts services that could not be rolled back after a rejection', () => {
  const before = [
    state('a', { status: 'ready', runsOf: 'old', room: room(10) }),
    state('b', { status: 'ready', runsOf: 'old', room: room(20) }),
  ];
  const { states } = withServicesLeft({ stack, states: before }, { stack, states: half }, new Set(['a']));
  expect(runningRoom(states)).toEqual({ memoryBytes: 120, cpus: 2 });
});
