import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, deploy, ended, ensureProject, events, folderOf, get, json, nodeApp } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

describe('deployment limits', () => {
  let service: Service;
  beforeAll(async () => {
    const limits = { MOORING_BUILDS_AT_ONCE: '1', MOORING_BUILD_TIMEOUT: '3', MOORING_PROMPT_TIMEOUT: '2' };
    service = await startService({ env: { ...limits, MOORING_LOG_LEVEL: 'warn' } });
  });
  afterAll(() => service.stop());

  it('end a build that takes too long, with a message', async () => {
    const began = Date.now();
    const { status, error } = await deploy(
      service,
      await ensureProject(service, 'slow'),
      nodeApp('x', '', { build: 'echo begun; sleep 60' }),
    );
    expect([status, error]).toEqual(['failed', expect.objectContaining({ code: 'timeout', step: 'build' })]);
    expect(error!.message).toContain('3 s');
    expect(Date.now() - began).toBeLessThan(12_000);
  });

  it('check a port with a connection that stays open', async () => {
    const project = await ensureProject(service, 'port', { healthCheck: { type: 'tcp', timeoutSeconds: 8 } });
    const server = (onConnection: string) =>
      folderOf({
        'package.json': '{"scripts":{"start":"node server.js"}}',
        'server.js': `require('node:net').createServer(${onConnection}).listen(process.env.PORT, process.env.HOST)`,
      });
    expect((await deploy(service, project, server('() => {}'))).error).toBeNull();
    const { error } = await deploy(service, project, server('(socket) => socket.destroy()'));
    expect(error).toMatchObject({ code: 'check_failed', message: expect.stringContaining('closed at once') as string });
  });

  it('apply the default answer when a question times out', async () => {
    const project = await ensureProject(service, 'unanswered', { requireApproval: true });
    const { id, error } = await deploy(service, project, nodeApp('x'));
    expect(error).toMatchObject({ code: 'not_approved', step: 'approve' });
    const prompt = (await events(service, id)).find(({ event }) => event === 'prompt');
    expect(prompt!.data).toMatchObject({ options: ['approve', 'reject'], byDefault: 'reject' });
  });

  it('cap concurrent builds, and a pending question blocks no other deployment', async () => {
    const asked = await ensureProject(service, 'asked', { requireApproval: true });
    const [first, second] = [await ensureProject(service, 'first'), await ensureProject(service, 'second')];
    const building = await begin(service, first, nodeApp('1', '', { build: 'sleep 2' }));
    await until('the first builds', async () => (await get(service, building)).status === 'building');
    const waiting = await begin(service, second, nodeApp('2'));
    expect((await get(service, waiting)).status).toBe('queued');
    await ended(service, building);
    expect((await ended(service, waiting)).status).toBe('ready');
    const question = await begin(service, asked, nodeApp('3'));
    type Build = { data: { prompt: unknown } };
    await until('it asks', async () =>
      Boolean((await json<Build>(service.get(`/api/deployments/${question}/build`))).data.prompt),
    );
    const other = await begin(service, second, nodeApp('4'));
    await until('another one builds meanwhile', async () => (await get(service, other)).status !== 'queued');
    expect((await get(service, question)).status).toBe('deploying');
    await Promise.all([ended(service, question), ended(service, other)]);
  });
});

describe('in cloud mode', () => {
  it('rejects deployments on plain processes and from folders', async () => {
    const service = await startService({ env: { MOORING_MODE: 'cloud', MOORING_LOG_LEVEL: 'warn' } });
    const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
    const project = await ensureProject(service, 'git', { source });
    const refused = await service.post('/api/deployments', { projectId: project });
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
    const access = { projectId: project, uploadSessionId: 'upl_x' };
    expect((await service.post('/api/deployments/build/access', access)).status).toBe(403);
    expect((await service.post('/api/projects/folder/session', {})).status).toBe(403);
    expect((await service.post('/api/deployments/prepare', { source: 'local', path: '/tmp' })).status).toBe(403);
    await service.stop();
  });
});
