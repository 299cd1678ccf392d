import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, ensureProject, folderOf } from '../rig/deploy.ts';
import { appPorts, freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';

const appWith = (server: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { start: 'node server.js' } }),
    'server.js': server,
  });

describe("an app that listens on the project's port instead of PORT", () => {
  let service: Service;
  let project: string;
  let port: number;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_RUNTIME: 'process' } });
    port = await freePort();
    project = await ensureProject(service, 'fixed', { port });
  });
  afterAll(() => service?.stop());
  const fixed = (version: string, more = '') =>
    appWith(`${more}
      require('node:http').createServer((_, response) => response.end('${version}')).listen(${port}, '127.0.0.1');`);

  it('is reached there, replaced by the next release, and restored when that fails', async () => {
    const first = await deploy(service, project, fixed('v1'));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('v1');
    expect((await deploy(service, project, fixed('v2'))).error).toBeNull();
    expect((await ask(url)).body).toBe('v2');
    const { error } = await deploy(service, project, fixed('v3', 'throw new Error("not today");'));
    expect(error).toMatchObject({ code: 'crashed', message: expect.stringContaining('Error: not today') });
    expect(error!.hint).toContain('The previous release serves again.');
    expect((await ask(url)).body).toBe('v2');
  });
});

describe('an app that ignores PORT, of a project without a port', () => {
  it('is reached where it listens, replaced by the next release, and found again after a restart', async () => {
    const service = await startService({ env: { MOORING_RUNTIME: 'process' } });
    try {
      const port = appPorts();
      const project = await ensureProject(service, 'stubborn');
      const app = (version: string, listens = `${port}`) =>
        appWith(`require('node:http').createServer((_, response) => response.end('${version}')).listen(${listens});`);
      const first = await deploy(service, project, app('v1'));
      expect(first.error).toBeNull();
      const [url = ''] = first.urls;
      expect((await ask(url)).body).toBe('v1');
      const began = Date.now();
      const second = await deploy(service, project, app('v2'));
      expect(second.error).toBeNull();
      expect(Date.now() - began, 'the port is known now').toBeLessThan(12_000);
      expect((await ask(url)).body).toBe('v2');
      expect((await service.post(`/api/deployments/${second.id}/restart`, {})).status).toBe(200);
      expect((await ask(url)).body).toBe('v2');
      expect((await deploy(service, project, app('v3', 'process.env.PORT'))).error).toBeNull();
      expect((await deploy(service, project, app('v4', 'process.env.PORT'))).error).toBeNull();
      expect((await ask(url)).body).toBe('v4');
    } finally {
      await service.stop();
    }
  });

  it('is not reached if it listens on two others', async () => {
    const service = await startService({ env: { MOORING_RUNTIME: 'process' } });
    try {
      const port = appPorts();
      const ports = [port, port + 1];
      const listens = ports.map((port) => `require('node:http').createServer().listen(${port});`).join('');
      const { error } = await deploy(service, await ensureProject(service, 'two'), appWith(listens));
      expect(error).toMatchObject({ code: 'check_failed', message: expect.stringContaining('It must listen on') });
    } finally {
      await service.stop();
    }
  });
});
