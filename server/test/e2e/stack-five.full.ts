import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureProject } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Five, figuresOf, fiveServices, migration, sightings } from '../rig/five-services.ts';
import { has } from '../rig/parts.ts';
import { postgresImage } from '../rig/postgres-image.ts';
import { redisImage } from '../rig/redis-image.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';
import { startVisitors, visit, type Visitors } from '../rig/visitors.ts';

const never = { test: ['CMD', 'node', '-e', 'process.exit(1)'], interval: '300ms', retries: 2 };
const crash = 'FROM node:24-slim\nCMD ["node", "-e", "console.error(\'no luck\'); process.exit(3)"]\n';

type Break = {
  how: string;
  five: Five;
  /** The service that changes too, and works. */
  works: 'web' | 'api';
  fails: string;
  says: RegExp;
  /** The services that depend on the failed one. */
  skipped?: string[];
};
const breaks: Break[] = [
  {
    how: 'a bad image',
    five: { lines: { redis: { image: '127.0.0.1:9/redis:99' } } },
    works: 'web',
    fails: 'redis',
    says: /127\.0\.0\.1:9\/redis:99/,
  },
  {
    how: 'a crash loop',
    five: { dockerfiles: { worker: crash } },
    works: 'web',
    fails: 'worker',
    says: /code 3.*no luck/,
  },
  {
    how: 'a failing health check',
    five: { api: 'broken', lines: { api: { healthcheck: never } } },
    works: 'web',
    fails: 'api',
    says: /its health check fails/,
  },
  {
    how: 'a failing dependency',
    five: { api: 'broken', worker: 'broken', lines: { migrate: migration('select * from nowhere') } },
    works: 'web',
    fails: 'migrate',
    says: /exit code 1\): ERROR: +relation "nowhere" does not exist/,
    skipped: ['api', 'worker'],
  },
  {
    how: 'a build error',
    five: { dockerfiles: { web: 'FROM node:24-slim\nRUN echo cannot compile >&2; exit 9\n' } },
    works: 'api',
    fails: 'web',
    says: /exit code 9/,
  },
];
const names = ['web', 'api', 'worker', 'migrate', 'postgres', 'redis'];
const crowd = { fresh: 1, kept: 1, posts: 1, sockets: 0, downloads: 0 };

describe.runIf(has('docker') && has('postgres') && has('redis'))('a shop with five services', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let visitors: Record<'web' | 'api', Visitors>;
  const versions = { web: 1, api: 1 };
  beforeAll(async () => {
    rig = await startStackStage({ MOORING_START_TIMEOUT: '30' });
    for (const image of [postgresImage(), redisImage()]) await makeImage(rig.docker.client, image);
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, fiveServices());
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls.find((each) => !each.includes('//api.'))!;
    expect(first.urls.toSorted()).toEqual([url.replace('//', '//api.'), url].toSorted());
  }, 240_000);
  afterAll(async () => {
    for (const each of Object.values(visitors ?? {})) await each.stop();
    await rig?.close();
  }, 120_000);

  it('processes an order through API, PostgreSQL, Redis and worker, and shows the result', async () => {
    expect(await figuresOf(url)).toEqual({
      web: 'v1',
      api: 'v1',
      orders: 0,
      done: 0,
      known: 0,
      visits: expect.any(Number),
    });
    for (const order of ['one', 'two', 'three'])
      expect((await visit(url, '/', { agent: false, body: order })).body).toMatch(
        new RegExp(`^web v1 / api v1 placed \\S+ ${order}$`),
      );
    await until('the worker has done them', async () => (await figuresOf(url)).done === 3);
    expect(await figuresOf(url)).toMatchObject({ orders: 3, done: 3, known: 3 });
    visitors = { web: startVisitors(url, 'v1', crowd), api: startVisitors(url.replace('//', '//api.'), 'v1', crowd) };
  }, 60_000);

  it.each(breaks)(
    'with one broken by $how: the deployment is rejected, and deployed again and kept',
    async ({ five, works, fails, says, skipped = [] }) => {
      const next = `v${versions[works] + 1}`;
      visitors[works].allow(next);
      const now = { web: `v${versions.web}`, api: `v${versions.api}` };
      for (const decision of ['reject', 'keep'] as const) {
        const before = await sightings(rig, project);
        const half = await rig.deployed(project, fiveServices({ ...now, [works]: next, ...five }));
        expect(half, JSON.stringify(half)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
        const expected = (name: string) =>
          name === works ? 'ready' : name === fails ? 'failed' : skipped.includes(name) ? 'skipped' : 'unchanged';
        expect(statuses(half)).toEqual(Object.fromEntries(names.map((name) => [name, expected(name)])));
        expect(half.services.find(({ name }) => name === fails)!.error).toMatch(says);
        expect(await figuresOf(url)).toMatchObject({ ...now, [works]: next });
        const decided = await rig.done(half.id, decision);
        const end = decision === 'keep' ? ['ready', 'kept', true] : ['rejected', 'rejected', false];
        expect([decided.status, decided.decision, decided.active]).toEqual(end);
        if (decision === 'keep') versions[works]++;
        expect(await figuresOf(url)).toMatchObject({ web: `v${versions.web}`, api: `v${versions.api}` });
        await untilTidy(rig.docker, rig.service().dataDir);
        const after = await sightings(rig, project);
        expect({ ...after, [works]: '' }, 'nobody has touched the others').toEqual({ ...before, [works]: '' });
      }
    },
    180_000,
  );

  it('has failed no request, and every order is in PostgreSQL, in Redis and processed', async () => {
    const [web, api] = [await visitors.web.stop(), await visitors.api.stop()];
    for (const { requests, posts, longestMs } of [web, api]) sayFigures('visitors', { requests, posts, longestMs });
    expect([...web.failures, ...api.failures]).toEqual([]);
    const orders = 3 + web.posts + api.posts;
    await until('the worker has done all of them', async () => (await figuresOf(url)).done === orders);
    const figures = await figuresOf(url);
    sayFigures('the shop', figures);
    expect(figures).toMatchObject({ orders, done: orders, known: orders });
    expect(figures.visits).toBeGreaterThanOrEqual(web.fresh + web.kept + api.fresh + api.kept);
  }, 60_000);
});
