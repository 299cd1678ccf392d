import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cloudActions } from '../rig/cloud-actions.ts';
import { type CloudThings, makeCloudThings, site } from '../rig/cloud-things.ts';
import { inTrouble, listsAgree, type Trouble } from '../rig/cloud-troubles.ts';
import { ended, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';
import { until } from '../rig/until.ts';

// The delay after the request has reached the cloud; partial states lie in between.
const moments = [0, 2, 5, 10, 20, 40, 80];
/** Where home retries, the cloud may be back by then. */
const killed = (side: 'cloud' | 'home', i: number): Trouble => ({
  mishap: 'frozen',
  kills: { side, afterMs: moments[i % moments.length]! },
  answers: side === 'home' ? [0] : [503, 200, 202],
});

/** Two real instances on loopback. Each is killed while the other waits for it. */
describe.runIf(has('docker'))('a killed instance or cloud', () => {
  let two: TwoInstances;
  let things: CloudThings;
  let slowestMs = 0;

  beforeAll(async () => {
    two = await startTwoInstances();
    await two.link();
    things = await makeCloudThings(two);
  }, 120_000);
  afterAll(async () => {
    for (const each of things?.visitors ?? []) await each.stop();
    await two?.close();
  }, 60_000);
  afterEach(() => {
    two.line.strike = undefined;
    two.git.letGo();
  });

  const matrix = Object.keys(cloudActions).flatMap((action, i) =>
    (['cloud', 'home'] as const).map((side, j) => ({ action, side, trouble: killed(side, 2 * i + j) })),
  );
  it.each(matrix)('$action, while $side is killed', async ({ action, trouble }) => {
    slowestMs = Math.max(slowestMs, (await inTrouble(things, cloudActions[action]!, trouble)).ms);
  });

  const linked = async () =>
    (await json<{ data: { linked: boolean; reachable: boolean | null } }>(two.home.now.get('/api/cloud/link'))).data;
  it.each(['cloud', 'home'] as const)('link, while %s is killed', async (side) => {
    let back: Promise<unknown> = Promise.resolve();
    const restart = async () => {
      await two[side].kill();
      two.line.cutAll();
      await two[side].start();
    };
    const arrived = () => (back = restart());
    two.line.strike = { request: /^GET \/api\/me$/, mishap: 'frozen', times: 1, arrived };
    const answer = await two.link();
    two.line.strike = undefined;
    await back;
    expect(side === 'home' ? [0] : [503, 200]).toContain(answer.status);
    await until('the link of before holds', async () => (await linked()).reachable);
    expect((await two.link()).status).toBe(200);
  });

  it('brings home, whenever it is killed', async () => {
    for (const afterMs of moments) {
      const id = await two.project(things.name('home'), site('home'));
      await two.promote(id);
      const project = async () =>
        (await json<{ data: { cloud: string } }>(two.home.now.get(`/api/projects/${id}`))).data;
      const asked = two.atHome({ method: 'POST', path: `/api/projects/${id}/bring-home`, body: {} });
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await two.home.kill();
      await two.home.start();
      const { status } = await asked;
      if (status === 200) expect((await project()).cloud).toBe('left');
      if ((await project()).cloud === 'there') await json(two.home.now.post(`/api/projects/${id}/bring-home`, {}));
      expect((await two.atHome({ method: 'DELETE', path: `/api/projects/${id}/cloud` })).status).toBe(200);
      const again = await json<{ data: { id: string } }>(two.home.now.post('/api/deployments', { projectId: id }));
      expect((await ended(two.home.now, again.data.id)).status).toBe('ready');
    }
  }, 120_000);

  it('lists the same as the cloud, and clients have noticed nothing', async () => {
    const listsMs = await listsAgree(things);
    const failures = things.visitors.flatMap((each) => each.failures);
    const requests = things.visitors.reduce((sum, each) => sum + each.requests, 0);
    const kills = { cloud: two.cloud.kills, home: two.home.kills };
    sayFigures('killed', { kills, listsMs, visits: requests, failed: failures.length, slowestMs });
    expect(failures).toEqual([]);
  }, 90_000);
});
