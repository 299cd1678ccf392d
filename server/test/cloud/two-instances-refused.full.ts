import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { type CloudThings, makeCloudThings, site } from '../rig/cloud-things.ts';
import { listsAgree } from '../rig/cloud-troubles.ts';
import { events, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { has } from '../rig/parts.ts';
import { atRest, startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';
import { until } from '../rig/until.ts';
import type { Asked } from '../rig/whole-answer.ts';

/** Two real instances on loopback. The link's token is revoked in the cloud while it is in use. */
describe.runIf(has('docker'))('a revoked token of the cloud link', () => {
  let two: TwoInstances;
  let things: CloudThings;
  const newToken = async () =>
    (
      await json<{ data: { id: string; token: string } }>(
        two.cloud.now.post('/api/tokens', { name: 'link', permissions: '*' }),
      )
    ).data;
  const revoke = (id: string) =>
    fetch(`${two.cloud.now.url}/api/tokens/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ownerToken}` },
    });
  const link = async () => (await json<{ data: object }>(two.home.now.get('/api/cloud/link'))).data;

  beforeAll(async () => {
    two = await startTwoInstances();
    await two.link();
    things = await makeCloudThings(two);
  }, 120_000);
  afterAll(async () => {
    for (const each of things?.visitors ?? []) await each.stop();
    await two?.close();
  }, 60_000);

  it('ends streams, refuses requests and changes nothing until it is linked again', async () => {
    const { id: tokenId, token } = await newToken();
    expect((await two.link(token)).status).toBe(200);
    const gate = two.gates.newGate();
    two.git.push('app', dockerApp('v3', { scripts: { build: gate.wait } }), 'v3');
    const { id } = await two.promote(things.app, { autoStart: true });
    await until('it builds', () => gate.isReached!(), 30_000);
    const follower = follow(two.home.now.url, id);
    await until('it follows', () => follower.seen.length > 3);
    const watched = await two.home.now.get(`/api/deployments/${id}/stream`);
    const fresh = await two.project('fresh', site('fresh'));
    expect((await revoke(tokenId)).status).toBe(200);
    const began = Date.now();
    const connections = follower.connections;
    const body = { projectId: fresh, deployTarget: 'cloud' };
    const path = `/api/deployments/${id}`;
    const refused: Asked[] = [
      { method: 'GET', path },
      { method: 'GET', path: `${path}/stream` },
      { method: 'POST', path: `${path}/cancel`, body: {} },
      { method: 'POST', path: `${path}/pin`, body: {} },
      { method: 'DELETE', path },
      { method: 'POST', path: '/api/deployments', body: { projectId: things.site } },
      { method: 'POST', path: '/api/deployments/build/access', body },
      { method: 'DELETE', path: `/api/projects/${things.site}` },
    ];
    for (const asked of refused) {
      const answer = await two.atHome(asked);
      expect([asked, answer.status, answer.code]).toEqual([asked, 502, 'cloud_refused']);
    }
    expect(await link()).toMatchObject({ linked: true, reachable: false });
    expect((await two.one(two.cloud, id)).status, 'nothing was cancelled').toBe('building');
    expect(
      (await two.here(things.app)).map((each) => each.id),
      'lists go on',
    ).toContain(id);
    const part = await watched.text();
    const endedMs = Date.now() - began;
    expect(endedMs, 'who is in is looked at every fifteen seconds').toBeLessThan(20_000);
    expect(part).not.toContain('event: end');
    await sleep(1000);
    expect(follower.connections, 'nobody is let in again').toBe(connections);
    expect((await two.link((await newToken()).token)).status).toBe(200);
    gate.open();
    const seen = await follower.ended;
    expect(seen).toEqual(await events(two.cloud.now, id));
    expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'ready' } });
    expect((await two.atHome(refused[6]!)).status, 'it is promoted after all').toBe(200);
    await atRest(two, fresh);
    expect(await two.there(fresh)).toHaveLength(1);
    things.projects.add(fresh);
    sayFigures('refused', { endedMs, connections: follower.connections, listsMs: await listsAgree(things) });
  }, 180_000);

  it('fails no client request, and can be unlinked despite a kill', async () => {
    const failures = things.visitors.flatMap((each) => each.failures);
    const visits = things.visitors.reduce((sum, each) => sum + each.requests, 0);
    sayFigures('visitors', { visits, failed: failures.length });
    expect(failures).toEqual([]);
    expect((await two.atHome({ method: 'DELETE', path: '/api/cloud/link' })).status, 'projects live there').toBe(409);
    for (const id of things.projects)
      await json(two.home.now.post(`/api/projects/${id}/bring-home`, { deploy: false }));
    for (const id of things.projects)
      expect((await two.atHome({ method: 'DELETE', path: `/api/projects/${id}/cloud` })).status).toBe(200);
    for (const afterMs of [0, 3, 6, 12, 25]) {
      const asked = two.atHome({ method: 'DELETE', path: '/api/cloud/link' });
      await sleep(afterMs);
      await two.home.kill();
      await two.home.start();
      const { status } = await asked;
      const isLinked = ((await link()) as { linked: boolean }).linked;
      if (status === 200) expect(isLinked).toBe(false);
      expect([0, 200]).toContain(status);
      expect((await two.link()).status).toBe(200);
    }
    expect((await two.atHome({ method: 'DELETE', path: '/api/cloud/link' })).status).toBe(200);
    expect(await link()).toMatchObject({ linked: false });
  }, 120_000);
});
