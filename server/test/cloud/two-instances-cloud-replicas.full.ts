import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { site } from '../rig/cloud-things.ts';
import { events } from '../rig/deploy.ts';
import { onEngine } from '../rig/docker-service.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';
import { atRest, cloudSettings, startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';
import { until } from '../rig/until.ts';

/** The cloud has two replicas on PostgreSQL; either one can respond. */
describe.runIf(has('docker') && has('postgres'))('an instance and a cloud of two replicas', () => {
  let two: TwoInstances;
  let second: Killable;
  const portOf = ({ now }: Killable) => Number(new URL(now.url).port);
  const leadTo = (replica: Killable) => {
    two.line.leadTo(portOf(replica));
    return two.line.cutAll();
  };

  beforeAll(async () => {
    const env = {
      DATABASE_URL: await newDatabase(inject('postgresUrl')),
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
    };
    two = await startTwoInstances({ cloud: env });
    second = await startKillable({ ...cloudSettings, ...onEngine(two.docker), ...env });
    await two.link();
  }, 120_000);
  afterAll(async () => {
    await second?.now.stop();
    await two?.close();
  }, 60_000);

  it('streams from one replica what the other promoted, cancels it there, and redeploys', async () => {
    const project = await two.project('held', site('one'));
    two.git.hold();
    const { id } = await two.promote(project, { autoStart: true });
    const followers = [follow(two.home.now.url, id), follow(two.home.now.url, id)];
    await until('it fetches', () => two.git.waiting() > 0);
    let cuts = 0;
    for (let n = 0; n < 6; n++) {
      cuts += leadTo(n % 2 ? two.cloud : second);
      const { length } = followers[0]!.seen;
      await until('it is followed again', () => followers.every(({ connections }) => connections > n + 1));
      expect(followers[0]!.seen.length).toBeGreaterThanOrEqual(length);
    }
    leadTo(second);
    const cancel = { method: 'POST', path: `/api/deployments/${id}/cancel`, body: {} };
    expect((await two.atHome(cancel)).status).toBe(200);
    two.git.letGo();
    for (const follower of followers) {
      const seen = await follower.ended;
      expect(seen).toEqual(await events(two.cloud.now, id));
      expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'cancelled' } });
    }
    const next = await two.promote(project, { autoStart: true });
    await atRest(two, project);
    expect(await two.one(two.home, next.id)).toMatchObject({ status: 'ready', active: true });
    sayFigures('replicas of the cloud', { cuts, connections: followers.map(({ connections }) => connections) });
  }, 90_000);

  it.each([0, 5, 20, 60])(
    'promotes once if one replica is killed after %s ms and the other takes over',
    async (afterMs) => {
      const project = await two.project(`taken-over-${afterMs}`, site('taken over'));
      leadTo(second);
      let killed: Promise<unknown> = Promise.resolve();
      const kill = async () => {
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        two.line.leadTo(portOf(two.cloud));
        await second.kill();
        two.line.cutAll();
      };
      const request = new RegExp(`^PUT /api/cloud/projects/${project}$`);
      two.line.strike = { request, mishap: 'frozen', times: 1, arrived: () => (killed = kill()) };
      const body = { projectId: project, deployTarget: 'cloud', autoStart: false };
      const answer = await two.atHome({ method: 'POST', path: '/api/deployments/build/access', body });
      two.line.strike = undefined;
      await killed;
      expect(answer.status, 'home tries again by itself').toBe(200);
      expect(await two.there(project)).toHaveLength(1);
      await second.start();
    },
  );
});
