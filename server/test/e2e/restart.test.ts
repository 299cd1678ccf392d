import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { ask, deploy, type DeploymentJson, ensureProject, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';
import { startVisitors, visit } from '../rig/visitors.ts';

describe('an app that is started again', () => {
  let service: Service;
  let deployment: DeploymentJson;
  let url: string;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
    const projectId = await ensureProject(service, 'restarted');
    // Slow to come up, and it takes everything with it when it is asked to end.
    const more = `process.on('SIGTERM', () => process.exit(0)); const until = Date.now() + 1200; while (Date.now() < until);`;
    deployment = await deploy(service, projectId, busyApp('v1', { more }));
    url = deployment.urls[0]!;
  });
  afterAll(() => service?.stop());
  const restart = (id: string) => json(service.post(`/api/deployments/${id}/restart`, {}));
  const begunAt = async () => Number((await visit(url, '/', { agent: false })).release.split(' ')[1]);

  it('loses no request, not even those that take seconds', async () => {
    const before = await begunAt();
    const visitors = startVisitors(url, 'v1', { fresh: 2, kept: 2, posts: 2, sockets: 0, downloads: 3 });
    await until('downloads are under way', () => visitors.figures.fresh > 20);
    await restart(deployment.id);
    expect(await begunAt(), 'it is another process').toBeGreaterThan(before);
    // Two at once are one.
    await Promise.all([restart(deployment.id), restart(deployment.id)]);
    const { requests, failures, longestMs } = await visitors.stop();
    sayFigures('two restarts', { requests, longestMs, failures });
    expect(failures).toEqual([]);
    expect((await ask(url)).body).toBe('v1');
  }, 90_000);
});
