import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { deploy, type DeploymentJson, ended, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { heldPhases, holdIn, stagedProject } from '../rig/phases.ts';
import { type Service, startService } from '../rig/service.ts';
import { startVisitors, visit, type Visitors } from '../rig/visitors.ts';

const redeploys = 20;
const rollbacks = 5;

describe('clients of a continuously deployed app', () => {
  let service: Service;
  let git: GitServer;
  let visitors: Visitors;
  let projectId: string;
  let url: string;
  let version = 'v0';
  const ready: DeploymentJson[] = [];

  beforeAll(async () => {
    [service, git] = await Promise.all([startService({ env: { MOORING_LOG_LEVEL: 'warn' } }), startGitServer()]);
    projectId = await stagedProject(service, git);
    ready.push(await deploy(service, projectId, busyApp('v0')));
    url = ready[0]!.urls[0]!;
    visitors = startVisitors(url, 'v0', { fresh: 3, kept: 3, posts: 2, sockets: 3, downloads: 2 });
  });
  afterAll(async () => {
    await visitors?.stop();
    await service?.stop();
    await git?.stop();
  });

  const act = (id: string, action: string, body: object = {}) => service.post(`/api/deployments/${id}/${action}`, body);
  const started = async (response: Promise<Response>) =>
    ended(service, (await json<{ deployment_id: string }>(response)).deployment_id);

  /** Once it is ready, no older release responds. */
  async function isServed(deployment: DeploymentJson, expected: string): Promise<void> {
    expect([deployment.status, deployment.error]).toEqual(['ready', null]);
    const { release } = await visit(url, '/', { agent: false });
    expect(release.split(' ')[0]).toBe(expected);
    visitors.expect(release);
    version = expected;
    ready.push(deployment);
  }

  const nothingFailed = () => expect(visitors.figures.failures).toEqual([]);

  it(`notice nothing of ${redeploys} redeploys`, async () => {
    for (let i = 1; i <= redeploys; i++) {
      // Every fourth is a redeploy of the same source.
      const again = i % 4 === 0;
      const next = again ? version : `v${i}`;
      visitors.allow(next);
      await isServed(
        again
          ? await started(act(ready.at(-1)!.id, 'redeploy'))
          : await deploy(service, projectId, busyApp(next, { scripts: { build: 'echo building' } })),
        next,
      );
    }
    nothingFailed();
  }, 300_000);

  it(`notice nothing of ${rollbacks} rollbacks`, async () => {
    for (let i = 1; i <= rollbacks; i++) {
      const { release: before } = await visit(url, '/', { agent: false });
      const target = ready.at(-3)!;
      const back = await started(act(target.id, 'rollback'));
      const { release } = await visit(url, '/', { agent: false });
      await isServed(back, release.split(' ')[0]!);
      expect(Number(release.split(' ')[1])).toBeGreaterThan(Number(before.split(' ')[1]));
    }
    nothingFailed();
  }, 120_000);

  it.each(heldPhases)('notice nothing of a cancel in %s', async (phase) => {
    const tooLate = phase === 'route' || phase === 'retire';
    const next = `cancelled-in-${phase}`;
    if (tooLate) visitors.allow(next);
    const held = await holdIn(phase, { service, projectId, git, url }, next);
    const began = Date.now();
    expect((await act(held.id, 'cancel')).status).toBe(tooLate ? 400 : 200);
    // A start that waits for another program is released; the other phases end while they are blocked.
    if (tooLate || phase === 'start') await held.letGo(service);
    const over = await ended(service, held.id);
    const took = Date.now() - began;
    if (phase === 'source') await held.letGo(service);
    sayFigures(`cancel in ${phase}`, { status: over.status, ms: took });
    expect(took).toBeLessThan(5000);
    if (tooLate) return isServed(over, next);
    expect(over.status).toBe('cancelled');
    expect((await visit(url, '/', { agent: false })).release.split(' ')[0]).toBe(version);
    expect(readdirSync(join(service.dataDir, 'releases'))).not.toContain(held.id);
    return nothingFailed();
  });

  it('notice nothing of failed or rejected releases', async () => {
    const crashing = busyApp('crashing', { more: 'setTimeout(() => process.exit(3), 400);' });
    expect((await deploy(service, projectId, crashing)).status).toBe('failed');
    const held = await holdIn('approve', { service, projectId, git, url }, 'refused');
    await json(act(held.id, 'build/respond', { response: 'reject' }));
    expect((await ended(service, held.id)).error).toMatchObject({ code: 'not_approved' });
    nothingFailed();
  });

  it('leave nothing behind', async () => {
    const { versions, ...figures } = await visitors.stop();
    sayFigures('visitors', { ...figures, versions: versions.size });
    expect(figures.failures).toEqual([]);
    await atRest(service.dataDir);
    expect(leftovers(service.dataDir)).toEqual([]);
  }, 90_000);

  it('wait for an app that restarts', async () => {
    const quick = startVisitors(url, version, { fresh: 3, kept: 3, posts: 2, sockets: 0, downloads: 0 });
    for (let i = 0; i < 3; i++) {
      await json(act(ready.at(-1)!.id, 'restart'));
      await sleep(500);
    }
    const { requests, failures, longestMs, overSecond } = await quick.stop();
    sayFigures('three restarts', { requests, longestMs, overSecond, failures });
    expect(failures).toEqual([]);
  });

  it('get long responses completed before a restart', async () => {
    const crowd = startVisitors(url, version, { fresh: 3, kept: 3, posts: 2, sockets: 0, downloads: 2 });
    await sleep(1000);
    const began = Date.now();
    await json(act(ready.at(-1)!.id, 'restart'));
    const took = Date.now() - began;
    const { requests, failures, longestMs } = await crowd.stop();
    sayFigures('a slow restart', { took, requests, longestMs, failed: failures.length });
    expect(took).toBeLessThan(12_000);
    expect(failures).toEqual([]);
  });
});
