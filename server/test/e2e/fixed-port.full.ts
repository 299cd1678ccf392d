import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, ensureProject, folderOf } from '../rig/deploy.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

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
    expect(error!.hint).toContain('The previous release is starting again.');
    await until('it is back', async () => (await ask(url)).body === 'v2', 30_000);
  });
});
