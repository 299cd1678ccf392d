import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cloudActions } from '../rig/cloud-actions.ts';
import { type CloudThings, makeCloudThings, site } from '../rig/cloud-things.ts';
import { cuts, inTrouble, listsAgree } from '../rig/cloud-troubles.ts';
import { ask, ended, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';

/** Two real instances on loopback. The connection between them breaks during every kind of request. */
describe.runIf(has('docker'))('a broken connection to the cloud', () => {
  let two: TwoInstances;
  let things: CloudThings;
  const slowest = { action: '', ms: 0 };

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

  const matrix = Object.keys(cloudActions).flatMap((action) =>
    Object.keys(cuts).map((when) => [action, when] as const),
  );
  it.each(matrix)('%s, cut %s', async (action, when) => {
    const { ms } = await inTrouble(things, cloudActions[action]!, cuts[when]!);
    if (ms > slowest.ms) Object.assign(slowest, { action: `${action}, cut ${when}`, ms });
  });

  const linkedAt = async () =>
    (await json<{ data: { linkedAt: string | null; reachable: boolean } }>(two.home.now.get('/api/cloud/link'))).data;
  it.each(
    ['health', 'me'].flatMap((path) => Object.entries(cuts).map(([when, { mishap }]) => ({ path, when, mishap }))),
  )('link, cut $when, when it requests $path', async ({ path, mishap }) => {
    const before = await linkedAt();
    // An idle connection may have ended: then the request is retried until there is a new connection.
    two.line.strike = { request: new RegExp(`^GET /api/${path}$`), mishap, times: 20 };
    const answer = await two.link();
    two.line.strike = undefined;
    expect([answer.status, answer.code]).toEqual([503, 'cloud_unreachable']);
    expect(await linkedAt(), 'the link of before holds').toEqual({ ...before, reachable: true });
    expect((await two.link()).status).toBe(200);
    expect(await linkedAt()).toMatchObject({ linked: true, reachable: true });
  });

  it.each(Object.entries(cuts))('leaves the project unchanged when the promotion is cut %s', async (_, { mishap }) => {
    const name = things.name('stays');
    const id = await two.project(name, site('here'));
    const promoted = { projectId: id, deployTarget: 'cloud', autoStart: false };
    const promote = { method: 'POST', path: '/api/deployments/build/access', body: promoted };
    const project = async () => (await json<{ data: object }>(two.home.now.get(`/api/projects/${id}`))).data;
    const before = await project();
    const fail = async () => {
      two.line.strike = { request: new RegExp(`^PUT /api/cloud/projects/${id}$`), mishap, times: 2 };
      expect((await two.atHome(promote)).status).toBe(503);
      expect(await project()).toEqual(before);
    };
    await fail();
    const local = await json<{ data: { id: string } }>(two.home.now.post('/api/deployments', { projectId: id }));
    const ready = await ended(two.home.now, local.data.id);
    expect((await ask(ready.urls[0]!)).body).toBe('here');
    expect((await two.atHome(promote)).status, 'it is promoted in the end').toBe(200);
    expect(await two.there(id)).toHaveLength(1);
    expect((await two.atHome({ method: 'DELETE', path: `/api/projects/${id}` })).status).toBe(200);
    const gone = await two.project(name, site('again'));
    two.line.strike = { request: new RegExp(`^PUT /api/cloud/projects/${gone}$`), mishap, times: 2 };
    expect((await two.atHome({ ...promote, body: { ...promoted, projectId: gone } })).status).toBe(503);
    expect((await two.atHome({ method: 'DELETE', path: `/api/projects/${gone}` })).status).toBe(200);
    expect((await two.cloud.now.get(`/api/projects/${gone}`)).status, 'nothing is left there').toBe(404);
  });

  it('lists the same as the cloud, and clients have noticed nothing', async () => {
    const listsMs = await listsAgree(things);
    const failures = things.visitors.flatMap((each) => each.failures);
    const requests = things.visitors.reduce((sum, each) => sum + each.requests, 0);
    const { struck, requests: asked } = two.line;
    sayFigures('cut', { struck, asked, listsMs, visits: requests, failed: failures.length, slowest });
    expect(failures).toEqual([]);
  }, 90_000);
});
