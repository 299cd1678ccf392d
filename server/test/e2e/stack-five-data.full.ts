import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, ensureProject } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Five, figuresOf, fiveServices, sightings } from '../rig/five-services.ts';
import { has } from '../rig/parts.ts';
import { postgresImage } from '../rig/postgres-image.ts';
import { redisImage } from '../rig/redis-image.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { type StackShown, type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';
import { startVisitors, type Visitors } from '../rig/visitors.ts';

const crowd = { fresh: 1, kept: 1, posts: 1, sockets: 0, downloads: 0 };
const noBuild = 'FROM node:24-slim\nRUN exit 9\n';
/** API and worker retry while a database is unavailable, like an app with a connection pool. */
const five = (more: Five = {}) => fiveServices({ patienceMs: 25_000, ...more });
const postgres = (connections: number) => ['-c', `max_connections=${connections}`];
const redis = (megabytes: number) => ['--maxmemory', `${megabytes}mb`];

describe.runIf(has('docker') && has('postgres') && has('redis'))('databases of a shop with five services', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let apiUrl: string;
  let visitors: Visitors[];
  let placed = 0;
  beforeAll(async () => {
    rig = await startStackStage({ MOORING_START_TIMEOUT: '30' });
    for (const image of [postgresImage(), redisImage()]) await makeImage(rig.docker.client, image);
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, five());
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls.find((each) => !each.includes('//api.'))!;
    apiUrl = url.replace('//', '//api.');
  }, 240_000);
  afterAll(() => rig?.close(), 120_000);
  beforeEach(() => {
    visitors = [startVisitors(url, 'v1', crowd), startVisitors(apiUrl, 'v1', crowd)];
  });
  afterEach(async () => {
    for (const each of visitors) await each.stop();
  });

  const settings = async () => (await ask(apiUrl, '/settings')).body;
  const shapeOf = ({ services }: StackShown, name: string) => {
    const { status, strategy } = services.find((each) => each.name === name)!;
    return [status, strategy];
  };
  /** No request failed, and every order is in PostgreSQL, in Redis and processed. */
  const allWell = async () => {
    for (const each of visitors) {
      const { failures, posts, requests, longestMs } = await each.stop();
      sayFigures('visitors', { requests, posts, longestMs });
      expect(failures).toEqual([]);
      placed += posts;
    }
    await until('the worker has done all orders', async () => (await figuresOf(url)).done === placed);
    expect(await figuresOf(url)).toMatchObject({ orders: placed, done: placed, known: placed });
    await untilTidy(rig.docker, rig.service().dataDir);
  };

  it.each([
    { name: 'postgres', change: { postgres: postgres(60) }, says: 'connections 60 memory 67108864' },
    { name: 'redis', change: { postgres: postgres(60), redis: redis(32) }, says: 'connections 60 memory 33554432' },
  ])(
    'get other settings ($name) while requests wait, and keep their data',
    async ({ name, change, says }) => {
      const before = await sightings(rig, project);
      const next = await rig.deployed(project, five(change));
      expect([next.status, ...shapeOf(next, name)], JSON.stringify(next)).toEqual(['ready', 'ready', 'stop_first']);
      expect(await settings()).toBe(says);
      await allWell();
      const after = await sightings(rig, project);
      expect({ ...after, [name]: '' }, 'nobody has touched the others').toEqual({ ...before, [name]: '' });
      expect(after[name]).not.toBe(before[name]);
    },
    120_000,
  );

  it('are restored with their data when the deployment is rejected', async () => {
    const before = await rig.running(project);
    const half = await rig.deployed(
      project,
      five({ postgres: postgres(70), redis: redis(16), dockerfiles: { web: noBuild } }),
    );
    expect(half, JSON.stringify(half)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    expect(statuses(half)).toEqual({
      web: 'failed',
      api: 'unchanged',
      worker: 'unchanged',
      migrate: 'unchanged',
      postgres: 'ready',
      redis: 'ready',
    });
    expect(await settings()).toBe('connections 70 memory 16777216');
    expect((await rig.done(half.id, 'reject')).status).toBe('rejected');
    expect(await settings()).toBe('connections 60 memory 33554432');
    await allWell();
    expect(await rig.running(project), 'the very same containers').toEqual(before);
  }, 120_000);

  it('are restored automatically when they do not start with their new settings', async () => {
    const before = await rig.running(project);
    const broken: [string, Five][] = [
      ['postgres', { postgres: postgres(-1), redis: redis(32) }],
      ['redis', { postgres: postgres(60), redis: ['--maxmemory', 'plenty'] }],
    ];
    for (const [name, change] of broken) {
      const half = await rig.deployed(project, five(change));
      expect([half.status, half.decision, ...shapeOf(half, name)], JSON.stringify(half)).toEqual([
        'partial_failure',
        'pending',
        'failed',
        'stop_first',
      ]);
      expect(await settings()).toBe('connections 60 memory 33554432');
      expect((await rig.done(half.id, name === 'redis' ? 'keep' : 'reject')).decision).toMatch(/^(kept|rejected)$/);
    }
    await allWell();
    expect(await rig.running(project), 'the very same containers').toEqual(before);
  }, 120_000);

  it('behind an API limited to one replica: requests wait during its replacement', async () => {
    await visitors[0]!.stop();
    placed += visitors[0]!.figures.posts;
    const alone = { postgres: postgres(60), redis: redis(32), lines: { api: { volumes: ['uploads:/uploads'] } } };
    for (const [api, strategy] of [
      ['v2', 'start_first'],
      ['v3', 'stop_first'],
    ] as const) {
      visitors[1]!.allow(api);
      const next = await rig.deployed(project, five({ ...alone, api }));
      expect([next.status, ...shapeOf(next, 'api')], JSON.stringify(next)).toEqual(['ready', 'ready', strategy]);
      expect((await figuresOf(url)).api).toBe(api);
    }
    const half = await rig.deployed(project, five({ ...alone, api: 'v1', dockerfiles: { worker: noBuild } }));
    expect(shapeOf(half, 'api'), JSON.stringify(half)).toEqual(['ready', 'stop_first']);
    await rig.done(half.id, 'reject');
    expect((await figuresOf(url)).api).toBe('v3');
    visitors.shift();
    await allWell();
  }, 120_000);
});
