import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ensureProject, events, folderOf, nodeApp } from '../rig/deploy.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';

const soon = { healthCheck: { type: 'http', timeoutSeconds: 5 } };
const appWith = (server: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { start: 'node server.js' } }),
    'server.js': server,
  });
const listeningOn = (port: string, host: string) =>
  appWith(`require('node:http').createServer((_, response) => response.end('hi')).listen(${port}, '${host}')`);
const warnings = async (service: Service, id: string) =>
  (await events(service, id)).filter(({ data }) => data['level'] === 'warn').map(({ data }) => data['line']);

describe('the check of an app that runs as a process', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_RUNTIME: 'process' } });
  });
  afterAll(() => service?.stop());

  it('names the error of a crash, not the end of its stack trace', async () => {
    const project = await ensureProject(service, 'crashing');
    const { error } = await deploy(service, project, appWith('const server = {};\n\nserver.listenX(3000);\n'));
    expect(error).toMatchObject({ code: 'crashed', step: 'check' });
    expect(error!.message).toMatch(
      /^The app crashed \d+ times in \d+ s \(exit code 1\): TypeError: server\.listenX is not a function$/,
    );
    expect(error!.excerpt).toEqual(expect.arrayContaining(['server.listenX(3000);']));
    expect(error!.hint, 'there is no previous release').not.toContain('previous release');
  });

  it('names the error of a build command', async () => {
    const project = await ensureProject(service, 'unbuildable');
    const broken = nodeApp('v1', '', { build: 'node -e "require(\'./missing\')"' });
    const { error } = await deploy(service, project, broken);
    expect(error).toMatchObject({ code: 'build_failed', step: 'build' });
    expect(error!.message).toBe("npm run build failed (exit code 1): Error: Cannot find module './missing'");
  });

  it('says on which port the app listens instead of PORT', async () => {
    const project = await ensureProject(service, 'elsewhere', soon);
    const { id, error } = await deploy(service, project, listeningOn('0', '127.0.0.1'));
    const said = /^The app listens on 127\.0\.0\.1:\d+\. It must listen on 0\.0\.0\.0:\$PORT \(PORT is \d+\)$/;
    expect(error).toMatchObject({ code: 'check_failed', message: expect.stringMatching(said) });
    expect(await warnings(service, id)).toContainEqual(expect.stringMatching(said));
  });

  it('says which status the app answers, and that the previous release serves', async () => {
    const project = await ensureProject(service, 'failing', soon);
    expect((await deploy(service, project, nodeApp('v1'))).error).toBeNull();
    const { error } = await deploy(
      service,
      project,
      appWith(`require('node:http').createServer((_, response) => {
        console.error('Error: no database');
        response.writeHead(500).end();
      }).listen(process.env.PORT)`),
    );
    expect(error!.message).toBe('/ answered 500 for 5 s: Error: no database');
    expect(error!.hint).toContain('The previous release is still serving.');
  });
});

describe.runIf(has('docker'))('the check of an app in a container', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
  });
  afterAll(() => rig?.close());

  it.each([
    { how: 'loopback', port: 'process.env.PORT', host: '127.0.0.1', said: /^The app listens on 127\.0\.0\.1:3000\. / },
    { how: 'another port', port: '3777', host: '0.0.0.0', said: /^The app listens on 0\.0\.0\.0:3777\. / },
  ])('says that the app listens on $how', async ({ how, port, host, said }) => {
    const project = await ensureProject(rig.service, how.replace(' ', '-'), soon);
    const { id, error } = await deploy(rig.service, project, listeningOn(port, host));
    expect(error).toMatchObject({ code: 'check_failed', message: expect.stringMatching(said) });
    expect(error!.message).toContain('It must listen on 0.0.0.0:$PORT (PORT is 3000)');
    expect(await warnings(rig.service, id)).toContainEqual(expect.stringMatching(said));
  });
});
