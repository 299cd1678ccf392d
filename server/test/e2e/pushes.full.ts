import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type DeploymentJson, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { announcePush, startGitHostService } from '../rig/githost-service.ts';
import { type GitHostRig, startGitHost } from '../rig/githost.ts';
import type { Killable } from '../rig/killable.ts';
import { until } from '../rig/until.ts';

type Link = { data: { announced: boolean; seenCommit: string } };

describe('pushes to a followed repository', { timeout: 90_000 }, () => {
  let host: GitHostRig;
  let service: Killable;
  let project: string;
  let last: string;
  beforeAll(async () => {
    host = await startGitHost();
    service = await startGitHostService(host);
    last = host.git.push('team/shop', nodeApp('v0'), 'v0');
    project = await ensureProject(service.now, 'shop');
    await json(service.now.post(`/api/projects/${project}/link`, { owner: 'team', repo: 'shop' }));
  });
  afterAll(async () => {
    await service?.now.stop();
    await host?.stop();
  });

  const push = (version: string, scripts = {}) => {
    const before = last;
    last = host.git.push('team/shop', nodeApp(version, '', scripts), version);
    return { before, after: last };
  };
  const all = async () =>
    (await json<{ data: DeploymentJson[] }>(service.now.get(`/api/deployments?projectId=${project}`))).data;
  const live = (version: string) =>
    until(
      `${version} is live`,
      async () => {
        // The edge routes to the new release a moment before it is recorded as active.
        const active = (await all()).find((each) => each.active && each.commitSha === last);
        return active && (await ask(active.urls[0]!)).body === version ? active : undefined!;
      },
      40_000,
    );

  it('are deployed automatically through a webhook that the service has registered', async () => {
    await json(service.now.post('/api/githost/repos/team/shop/webhooks', {}));
    const link = () => json<Link>(service.now.get(`/api/projects/${project}/link`));
    await until('the ping was heard', async () => (await link()).data.announced);
    const secret = host.gaps.secrets.get(`${service.now.url}/api/webhooks/githost`)!;
    const pushed = push('v1');
    expect(await announcePush(host, service.now.url, pushed, secret)).toBe(202);
    expect(await live('v1')).toMatchObject({ trigger: 'push', commitSha: pushed.after, branch: 'main' });
    expect(await announcePush(host, service.now.url, pushed), 'the app announces it as well').toBe(202);
    await until('it is told', () =>
      host.gaps.statuses.some(({ body }) => (body as { state: string }).state === 'success'),
    );
    expect(await all()).toHaveLength(1);
  });

  it('during downtime of the service are deployed after its start', async () => {
    await service.kill();
    const { after } = push('v2');
    await service.start();
    expect(await live('v2')).toMatchObject({ trigger: 'push', commitSha: after });
  });

  it('accepted right before a kill are deployed once', async () => {
    for (const version of ['v3', 'v4']) {
      const pushed = push(version);
      expect(await announcePush(host, service.now.url, pushed)).toBe(202);
      await service.kill();
      await service.start();
      await live(version);
      expect((await all()).filter(({ commitSha }) => commitSha === pushed.after)).toHaveLength(1);
    }
  });

  it('during a deployment are not lost, and the latest one wins', async () => {
    const slow = { build: 'sleep 2' };
    await announcePush(host, service.now.url, push('v6', slow));
    await until('v6 builds', async () => (await all())[0]!.status === 'building');
    await announcePush(host, service.now.url, push('v7', slow));
    await announcePush(host, service.now.url, push('v8'));
    const { commitSha } = await live('v8');
    expect(commitSha).toBe(last);
    const [v8, v7, v6] = (await all()).map(({ status, error }) => error?.code ?? status);
    expect([v6, v7, v8]).toEqual(['ready', 'superseded', 'ready']);
  });

  it("leave no credential in the service's output", () => {
    expect(service.now.output()).not.toMatch(/ghs_|x-access-token|extraHeader/);
  });
});
