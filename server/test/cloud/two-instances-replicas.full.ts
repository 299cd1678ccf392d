import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type CloudThings, makeCloudThings, site } from '../rig/cloud-things.ts';
import { events, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';
import { atRest, startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';
import { until } from '../rig/until.ts';
import { askWhole } from '../rig/whole-answer.ts';

/** Home has two replicas on PostgreSQL: one continues what the other has started with the cloud. */
describe.runIf(has('docker') && has('postgres'))('an instance of two replicas and its cloud', () => {
  let two: TwoInstances;
  let things: CloudThings;
  let second: Killable;

  beforeAll(async () => {
    const env = {
      DATABASE_URL: await newDatabase(inject('postgresUrl')),
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
    };
    two = await startTwoInstances({ home: env });
    await two.link();
    second = await startKillable(env);
    things = await makeCloudThings(two);
  }, 120_000);
  afterAll(async () => {
    for (const each of things?.visitors ?? []) await each.stop();
    await second?.now.stop();
    await two?.close();
  }, 60_000);

  const promotion = (projectId: string) => ({
    method: 'POST',
    path: '/api/deployments/build/access',
    body: { projectId, deployTarget: 'cloud', autoStart: false },
  });
  const bySecond = (asked: Parameters<typeof askWhole>[1]) => askWhole(second.now.url, asked);

  it('streams and cancels through the other replica', async () => {
    const gate = two.gates.newGate();
    const project = await two.project('held', dockerApp('v1', { scripts: { build: `echo here; ${gate.wait}` } }));
    const { id } = await two.promote(project, { autoStart: true });
    const followers = [two.home, second].map((each) => follow(each.now.url, id));
    await until('it builds', () => gate.isReached!(), 30_000);
    two.line.cutAll();
    await two.home.kill();
    expect((await bySecond({ method: 'POST', path: `/api/deployments/${id}/cancel`, body: {} })).status).toBe(200);
    await two.home.start();
    for (const follower of followers) {
      const seen = await follower.ended;
      expect(seen).toEqual(await events(two.cloud.now, id));
      expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'cancelled' } });
    }
    for (const each of [two.home, second]) expect(await two.one(each, id)).toEqual(await two.one(two.cloud, id));
  }, 90_000);

  it.each([0, 5, 20, 60])(
    'promotes once if the first replica is killed after %s ms and the other gets the request',
    async (afterMs) => {
      const project = await two.project(things.name('passed-on'), site('passed on'));
      let killed: Promise<unknown> = Promise.resolve();
      const kill = () => new Promise((resolve) => setTimeout(resolve, afterMs)).then(() => two.home.kill());
      const request = new RegExp(`^PUT /api/cloud/projects/${project}$`);
      two.line.strike = { request, mishap: 'frozen', times: 1, arrived: () => (killed = kill()) };
      expect((await two.atHome(promotion(project))).status).toBe(0);
      two.line.strike = undefined;
      await killed;
      expect((await bySecond(promotion(project))).status).toBe(200);
      expect(await two.there(project)).toHaveLength(1);
      await two.home.start();
      for (const each of [two.home, second]) {
        const shown = await json<{ data: object }>(each.now.get(`/api/projects/${project}`));
        expect(shown.data).toMatchObject({ deployTarget: 'cloud', cloud: 'there' });
      }
    },
  );

  it('promotes once if both replicas get the request at the same time', async () => {
    const project = await two.project(things.name('both'), site('both'));
    const answers = await Promise.all([two.atHome(promotion(project)), bySecond(promotion(project))]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length, JSON.stringify(answers)).toBeGreaterThan(0);
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect(await two.there(project)).toHaveLength(1);
  });

  it('rolls back through one replica what the other shows, and clients have noticed nothing', async () => {
    const { id } = await things.before(things.app);
    expect((await bySecond({ method: 'POST', path: `/api/deployments/${id}/rollback`, body: {} })).status).toBe(200);
    await atRest(two, things.app);
    expect((await things.serving(things.app)).rollbackOf).toBe(id);
    for (const each of [two.home, second])
      await until('its list says so', async () => {
        const { data } = await json<{ data: unknown }>(
          each.now.get(`/api/deployments?limit=100&projectId=${things.app}`),
        );
        return JSON.stringify(data) === JSON.stringify(await two.there(things.app));
      });
    const failures = things.visitors.flatMap((each) => each.failures);
    const visits = things.visitors.reduce((sum, each) => sum + each.requests, 0);
    sayFigures('replicas', { kills: two.home.kills, visits, failed: failures.length });
    expect(failures).toEqual([]);
  }, 90_000);
});
