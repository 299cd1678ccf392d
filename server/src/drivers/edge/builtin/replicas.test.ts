import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/rig/until.ts';
import { ReplicaBalancer } from './replicas.ts';

let hasReturned = false;
vi.mock('./upstream/accepts-connections.ts', () => ({ acceptsConnections: async () => hasReturned }));

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const a = { host: 'a', port: 1 };
const b = { host: 'b', port: 1 };

it('chooses none once all replicas are silent for a while, and one as soon as it responds', async () => {
  const balancer = new ReplicaBalancer();
  const choose = () => balancer.choose('dep', { type: 'upstream', ...a, others: [b] }, new Set());
  balancer.failed('dep@a:1', a, true);
  for (let i = 0; i < 4; i++) expect(choose()?.upstream).toBe(b);
  balancer.failed('dep@b:1', b, true);
  vi.advanceTimersByTime(4000);
  expect(choose()).not.toBeNull();
  vi.advanceTimersByTime(2000);
  expect(choose()).toBeNull();
  hasReturned = true;
  await until('it is chosen', () => choose() !== null, 5000);
});
