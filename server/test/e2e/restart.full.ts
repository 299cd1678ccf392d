import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProcess } from '../../src/drivers/host/processes.ts';
import { busyApp } from '../rig/busy-app.ts';
import { ask, deploy, type DeploymentJson, ensureProject, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { newGate } from '../rig/gate.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit } from '../rig/visitors.ts';

/** The supervisor of the only app. */
function supervisorOf(dataDir: string): { pid: number } {
  const folder = join(dataDir, 'processes', 'instances');
  const state = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('state.json'))!;
  return (JSON.parse(readFileSync(join(folder, state), 'utf8')) as { supervisor: { pid: number } }).supervisor;
}

describe('restarting an app', () => {
  let service: Service;
  let deployment: DeploymentJson;
  let url: string;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
    const projectId = await ensureProject(service, 'restarted');
    // Slow to start, and drops its open requests on SIGTERM.
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
    // Concurrent restarts are merged.
    await Promise.all([restart(deployment.id), restart(deployment.id)]);
    const { requests, failures, longestMs } = await visitors.stop();
    sayFigures('two restarts', { requests, longestMs, failures });
    expect(failures).toEqual([]);
    expect((await ask(url)).body).toBe('v1');
  }, 90_000);

  describe('after its supervisor was killed', () => {
    const kill = async () => {
      const { pid } = supervisorOf(service.dataDir);
      process.kill(pid, 'SIGKILL');
      await until('it is gone', () => !readProcess(pid));
      return pid;
    };
    const listened = async () => {
      const text = await (await service.get(`/api/deployments/${deployment.id}/logs?kind=runtime`)).text();
      return text.split('listening, version').length - 1;
    };

    it('gets a new supervisor unnoticed', async () => {
      const [before, said] = [await begunAt(), await listened()];
      const visitors = startVisitors(url, 'v1', smallCrowd);
      const pid = await kill();
      await until('it has another one', () => supervisorOf(service.dataDir).pid !== pid, 25_000);
      expect(await begunAt(), 'it is the same process').toBe(before);
      const { requests, failures, longestMs } = await visitors.stop();
      sayFigures('a killed supervisor', { requests, longestMs, failures });
      expect(failures).toEqual([]);
      expect(service.output()).toContain('runs without its supervisor');
      await restart(deployment.id);
      expect(await begunAt()).toBeGreaterThan(before);
      await until('its output is written down', async () => (await listened()) > said);
    }, 60_000);

    it('works without waiting for the new supervisor', async () => {
      const before = await begunAt();
      const pid = await kill();
      await restart(deployment.id);
      expect(await begunAt()).toBeGreaterThan(before);
      expect(supervisorOf(service.dataDir).pid).not.toBe(pid);
    });
  });

  it('reports an app that does not come back', async () => {
    const projectId = await ensureProject(service, 'once');
    const gate = newGate();
    const more = `if (require('node:fs').existsSync('${gate.file}')) process.exit(7);`;
    const { id, error } = await deploy(service, projectId, busyApp('once', { more }));
    expect(error).toBeNull();
    gate.open();
    const answer = await service.post(`/api/deployments/${id}/restart`, {});
    // If it takes longer than the request's deadline, only the app's state tells.
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 503)
      expect(await answer.json()).toMatchObject({
        code: 'unavailable',
        error: 'it did not come back after its restart: it exited again with exit code 7; see its log',
      });
    type Info = { data: { containers: { state: string; exitCode: number | null }[] } };
    const isNotBack = async () => {
      const { data } = await json<Info>(service.get(`/api/deployments/${id}/info`));
      return data.containers.every(({ state, exitCode }) => state !== 'running' && exitCode === 7);
    };
    await until('it is shown', isNotBack, 20_000);
  });
});
