import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, deploy, ended, ensureProject, events, json, nodeApp } from '../rig/deploy.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

describe('names that move from one project to another', () => {
  let service: Service;
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
    const env = { MOORING_EDGE_PORT: String(port), MOORING_ACME_DIRECTORY: 'none', MOORING_LOG_LEVEL: 'warn' };
    service = await startService({ env });
  });
  afterAll(() => service?.stop());

  const visit = (host: string, path = '/') => ask(`http://${host}:${port}`, path);
  const rollBackTo = async (id: string) => {
    type Begun = { deployment_id: string };
    return ended(service, (await json<Begun>(service.post(`/api/deployments/${id}/rollback`, {}))).deployment_id);
  };

  it('do not reach an earlier release that had them, not even below a path', async () => {
    const [one, other] = [await ensureProject(service, 'one'), await ensureProject(service, 'other')];
    const wanted = { publicEndpoints: [{ domain: 'handbook', targetPath: '/admin' }] };
    const first = await deploy(service, one, nodeApp('one'), wanted);
    expect(first.urls).toEqual([`http://handbook.localhost:${port}/admin`]);
    await deploy(service, one, nodeApp('one'));
    // It is free once the release has been cleaned up.
    const wantIt = { publicEndpoints: [{ domain: 'handbook' }] };
    const theirs = await until('the name is free', () =>
      begin(service, other, nodeApp('other'), wantIt).catch(() => undefined),
    );
    expect((await ended(service, theirs!)).status).toBe('ready');
    const back = await rollBackTo(first.id);
    expect([back.status, back.urls]).toEqual(['ready', [`http://one.localhost:${port}`]]);
    expect((await visit('handbook.localhost', '/admin')).body).toBe('other');
    expect((await visit('one.localhost')).body).toBe('one');
  });

  it('stay with a queued deployment while the previous one finishes', async () => {
    const waiting = await ensureProject(service, 'waiting');
    const slow = nodeApp('slow', '', { build: 'sleep 3' });
    const before = await begin(service, waiting, slow);
    const after = await begin(service, waiting, nodeApp('next'), {
      publicEndpoints: [{ domain: 'reserved-for-next' }],
    });
    expect((await ended(service, before)).status).toBe('ready');
    const thief = await ensureProject(service, 'thief');
    const stolen = begin(service, thief, nodeApp('thief'), { publicEndpoints: [{ domain: 'reserved-for-next' }] });
    await expect(stolen).rejects.toThrow('409');
    expect((await ended(service, after)).urls).toEqual([`http://reserved-for-next.localhost:${port}`]);
  });
});

describe("a name that becomes the instance's own", () => {
  it('is removed from its project, which responds under its other names', async () => {
    const port = await freePort();
    const env = { MOORING_EDGE_PORT: String(port), MOORING_ACME_DIRECTORY: 'none', MOORING_LOG_LEVEL: 'warn' };
    const before = await startService({ env });
    const project = await ensureProject(before, 'panel');
    await deploy(before, project, nodeApp('shop'));
    const visit = (host: string) => ask(`http://${host}:${port}`);
    expect((await visit('panel.localhost')).body).toBe('shop');
    await before.stop('SIGTERM');
    const publicUrl = { MOORING_PUBLIC_URL: `http://panel.localhost:${port}` };
    const service = await startService({ env: { ...env, ...publicUrl }, dataDir: before.dataDir });
    await until('the edge has let go of it', async () => (await visit('panel.localhost')).status === 404, 25_000);
    await json(service.post(`/api/projects/${project}/domains`, { name: 'shop.example.com' }));
    await until('the other one is answered', async () => (await visit('shop.example.com')).body === 'shop', 25_000);
    const next = await deploy(service, project, nodeApp('shop 2'));
    expect([next.status, next.urls]).toEqual(['ready', [`http://shop.example.com:${port}`]]);
    const lines = (await events(service, next.id)).map(({ data }) => String(data['line']));
    expect(lines).toContainEqual(expect.stringContaining('panel.localhost is the address of this instance itself'));
    expect((await visit('panel.localhost')).status).toBe(404);
    await service.stop();
  }, 90_000);
});
