import { expect, it } from 'vitest';
import { isSettled, replicaStatesOf } from './service-state.ts';

type Running = Parameters<typeof replicaStatesOf>[0];

const service = (name: string, change: Running['services'][number]['change'], status = 'ready') => ({
  name,
  status,
  image: null,
  digest: null,
  error: null,
  change,
  strategy: null,
  reason: null,
  deploymentId: null,
});
const container = (name: string, replica: number, health: string | null = null, state = 'running') => ({
  id: `${name}-${replica}`,
  service: name,
  replica,
  runtime: 'docker',
  state,
  ready: state === 'running' && (health ?? 'healthy') === 'healthy',
  health,
  image: null,
  host: '127.0.0.1',
  port: 3000 + replica,
  startedAt: null,
  restarts: replica,
  exitCode: null,
  notices: [],
  urls: [],
});
const load = (name: string, replica: number) => ({
  service: name,
  replica,
  cpuPercent: 1.5,
  memoryBytes: 100,
  memoryLimitBytes: null,
  networkRxBytes: 0,
  networkTxBytes: 0,
});
const app = (...containers: Running['containers']): Running => ({
  services: [service('app', null)],
  containers,
  usage: [load('app', 1), load('app', 2)],
});

it('counts running replicas as ready unless they are unhealthy or starting, and sums up', () => {
  const running = app(container('app', 2, 'healthy'), container('app', 1), container('app', 3, 'starting'));
  const [state] = replicaStatesOf(running, { replicas: 4, scale: {} }, true);
  expect(state).toMatchObject({ ready: 2, wanted: 4, restarts: 6, load: { cpuPercent: 3, memoryBytes: 200 } });
  expect(state?.replicas.map((each) => each.container.replica)).toEqual([1, 2, 3]);
});

it('is settled only once surplus replicas are gone', () => {
  const settings = { replicas: 1, scale: {} };
  const [before] = replicaStatesOf(app(container('app', 1), container('app', 2)), settings, true);
  expect(before?.replicas.map(({ isStopping }) => isStopping)).toEqual([false, true]);
  const [after] = replicaStatesOf(app(container('app', 1)), settings, true);
  expect([before, after].map((state) => state && isSettled(state))).toEqual([false, true]);
});

it('keeps the running number until the next deployment if scaling waits for it', () => {
  const [state] = replicaStatesOf(app(container('app', 1)), { replicas: 3, scale: {} }, false);
  expect(state).toMatchObject({ ready: 1, wanted: 1, next: 3 });
});

it('takes the number of a compose service from the project or its replicas, and omits removed ones', () => {
  const running = {
    services: [service('app', 'create'), service('web', 'create'), service('gone', 'remove', 'removed')],
    containers: [container('app', 1), container('app', 2), container('web', 1)],
    usage: [],
  };
  const states = replicaStatesOf(running, { replicas: 1, scale: { web: 3 } }, true);
  expect(states).toMatchObject([
    { name: 'app', ready: 2, wanted: 2, load: undefined },
    { name: 'web', ready: 1, wanted: 3 },
  ]);
});
