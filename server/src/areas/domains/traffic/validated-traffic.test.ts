import { expect, it } from 'vitest';
import { latencyBounds } from '../../../drivers/edge/edge.ts';
import { validatedTraffic } from './validated-traffic.ts';

const minute = (run: string | undefined, requests: number) => ({
  key: 'prj_1/production',
  minute: 5,
  ...(run && { run }),
  requests,
  statuses: [0, requests, 0, 0, 0],
  bytesIn: 0,
  bytesOut: 0,
  latency: Array(latencyBounds.length + 1).fill(0),
});

it('reports each minute of an edge once, also if it names its run', () => {
  const said = { run: 'a', minutes: [minute(undefined, 1), minute('a', 2), minute('b', 3)] };
  const { minutes } = validatedTraffic(said, { from: 0, to: 9 });
  expect(minutes.map(({ requests }) => requests)).toEqual([2, 3]);
});
