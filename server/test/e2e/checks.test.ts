import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, ensureProject, events, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';

const timeoutSeconds = 5;
const soon = { startCommand: 'node server.js', healthCheck: { type: 'http', timeoutSeconds } };
const appWith = (server: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { start: 'node server.js' } }),
    'server.js': server,
  });
const listeningOn = (port: string, host: string) =>
  appWith(`require('node:http').createServer((_, response) => response.end('hi')).listen(${port}, '${host}')`);
const warnings = async (service: Service, id: string) =>
  (await events(service, id)).filter(({ data }) => data['level'] === 'warn').map(({ data }) => data['line']);

describe('health check of an app that runs as a process', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_RUNTIME: 'process' } });
  });
  afterAll(() => service?.stop());

  it('reports the error of a crash, not the end of its stack trace', async () => {
    const project = await ensureProject(service, 'crashing');
    const { error } = await deploy(service, project, appWith('const server = {};\n\nserver.listenX(3000);\n'));
    expect(error).toMatchObject({ code: 'crashed', step: 'check' });
    expect(error!.message).toMatch(
      /^The app crashed \d+ times in \d+ s \(exit code 1\): TypeError: server\.listenX is not a function$/,
    );
    expect(error!.excerpt).toEqual(expect.arrayContaining(['server.listenX(3000);']));
    expect(error!.hint, 'there is no previous release').not.toContain('previous release');
  });

  it('reports the error of a build command', async () => {
    const project = await ensureProject(service, 'unbuildable');
    const broken = nodeApp('v1', '', { build: 'node -e "require(\'./missing\')"' });
    const { error } = await deploy(service, project, broken);
    expect(error).toMatchObject({ code: 'build_failed', step: 'build' });
    expect(error!.message).toBe("npm run build failed (exit code 1): Error: Cannot find module './missing'");
  });

  it('reports the port on which the app listens instead of PORT', async () => {
    const project = await ensureProject(service, 'elsewhere', soon);
    const { id, error } = await deploy(service, project, listeningOn('0', '127.0.0.1'));
    const said = /^The app listens on 127\.0\.0\.1:\d+\. It must listen on 0\.0\.0\.0:\$PORT \(PORT is \d+\)$/;
    expect(error).toMatchObject({ code: 'check_failed', message: expect.stringMatching(said) });
    expect(error!.hint).toMatch(/Or name the app's port: mooring project set elsewhere port=\d+\./);
    expect(await warnings(service, id)).toContainEqual(expect.stringMatching(said));
  });

  it("reaches an app on the project's port, and protects that port too", async () => {
    const port = await freePort();
    const project = await ensureProject(service, 'fixed', { ...soon, port });
    const { error, urls } = await deploy(service, project, listeningOn(String(port), '127.0.0.1'));
    expect(error).toBeNull();
    expect((await ask(urls[0]!)).body).toBe('hi');
    const targets = readFileSync(join(service.dataDir, 'edge.json'), 'utf8').match(/"upstream"[^}]*\{[^}]*\}/g);
    expect(targets?.find((target) => target.includes(String(port)))).toContain('"listener"');
  });

  it("reports the app's status code, and that the previous release is serving", async () => {
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
    expect(error!.message).toBe(`/ answered 500 for ${timeoutSeconds} s: Error: no database`);
    expect(error!.hint).toContain('The previous release is still serving.');
    expect(error!.hint).not.toContain('must listen');
  });

  it('reports that a previous release that was stopped for its volume serves again', async () => {
    const project = await ensureProject(service, 'stopped', soon);
    await json(service.post(`/api/projects/${project}/volumes`, { name: 'data', path: 'data' }));
    const { error: none, urls } = await deploy(service, project, nodeApp('v1'));
    expect(none).toBeNull();
    const { error } = await deploy(service, project, nodeApp('v2', "throw new Error('not today');"));
    expect(error!.hint).toMatch(/ The previous release serves again\.$/);
    expect(error!.hint).not.toContain('still serving');
    expect((await ask(urls[0]!)).body).toBe('v1');
  });

  it('is sent with the host name that visitors use', async () => {
    const healthCheck = { type: 'http', path: '/healthz', timeoutSeconds: 8 };
    const project = await ensureProject(service, 'picky', { ...soon, healthCheck });
    // Like ALLOWED_HOSTS of Django.
    const accepting = (host: string) =>
      appWith(`require('node:http').createServer((request, response) => {
        response.writeHead(request.headers.host.split(':')[0] === '${host}' ? 200 : 400).end();
      }).listen(process.env.PORT)`);
    const { error, urls } = await deploy(service, project, accepting('picky.localhost'));
    expect(error).toBeNull();
    expect(new URL(urls[0]!).hostname).toBe('picky.localhost');
    await json(service.post(`/api/projects/${project}/domains`, { name: 'picky.example.com' }));
    const refused = await deploy(service, project, accepting('picky.localhost'));
    expect(refused.error).toMatchObject({ code: 'check_failed', message: '/healthz answered 400 for 8 s' });
    expect((await deploy(service, project, accepting('picky.example.com'))).error).toBeNull();
  });
});

describe('a monorepo of npm workspaces', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_RUNTIME: 'process' } });
  });
  afterAll(() => service?.stop());

  const pkg = (name: string, more: object = {}) => JSON.stringify({ name, version: '1.0.0', ...more });
  const link = (folder: string) => ({ resolved: folder, link: true });
  const web = { dependencies: { greeting: '1.0.0' }, scripts: { build: 'node build.js', start: 'node server.js' } };
  const monorepo = () =>
    folderOf({
      'package.json': pkg('shop', { private: true, workspaces: ['apps/*', 'packages/*'] }),
      'package-lock.json': JSON.stringify({
        name: 'shop',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { name: 'shop', version: '1.0.0', workspaces: ['apps/*', 'packages/*'] },
          'apps/docs': { version: '1.0.0' },
          'apps/web': { version: '1.0.0', dependencies: web.dependencies },
          'node_modules/docs': link('apps/docs'),
          'node_modules/greeting': link('packages/greeting'),
          'node_modules/web': link('apps/web'),
          'packages/greeting': { version: '1.0.0' },
        },
      }),
      'packages/greeting/package.json': pkg('greeting', { main: 'index.js' }),
      'packages/greeting/index.js': `module.exports = 'hello from the workspace';`,
      'apps/docs/package.json': pkg('docs', { scripts: { start: 'node server.js' } }),
      'apps/docs/server.js': '',
      'apps/web/package.json': pkg('web', web),
      'apps/web/build.js': `require('node:fs').writeFileSync('built.json', JSON.stringify(require('greeting')));`,
      'apps/web/server.js': `const text = require('./built.json');
        require('node:http').createServer((_, response) => response.end(text)).listen(process.env.PORT);`,
      'apps/web/.env.example': 'DATABASE_URL=\nAUTH_SECRET=\n',
    });

  it('is rejected at its root, and the error has the command for each app', async () => {
    const project = await ensureProject(service, 'shop');
    const { error } = await deploy(service, project, monorepo());
    expect(error).toMatchObject({ code: 'nothing_to_run', step: 'detect' });
    expect(error!.hint).toContain('`mooring deploy --root apps/docs` or `mooring deploy --root apps/web`');
  });

  it('is installed at its root, and built and started in the app', async () => {
    const project = await ensureProject(service, 'web', { rootDirectory: 'apps/web' });
    const { id, error, urls } = await deploy(service, project, monorepo());
    expect(error).toBeNull();
    expect((await ask(urls[0]!)).body).toBe('hello from the workspace');
    expect(await warnings(service, id)).toContain(
      '2 variables that the source names are not set: DATABASE_URL, AUTH_SECRET',
    );
  });
});

describe.runIf(has('docker'))('health check of an app in a container', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
  });
  afterAll(() => rig?.close());

  it.each([
    { how: 'loopback', port: 'process.env.PORT', host: '127.0.0.1', said: /^The app listens on 127\.0\.0\.1:3000\. / },
    { how: 'another port', port: '3777', host: '0.0.0.0', said: /^The app listens on 0\.0\.0\.0:3777\. / },
  ])('reports that the app listens on $how', async ({ how, port, host, said }) => {
    const project = await ensureProject(rig.service, how.replace(' ', '-'), soon);
    const { id, error } = await deploy(rig.service, project, listeningOn(port, host));
    expect(error).toMatchObject({ code: 'check_failed', message: expect.stringMatching(said) });
    expect(error!.message).toContain('It must listen on 0.0.0.0:$PORT (PORT is 3000)');
    expect(await warnings(rig.service, id)).toContainEqual(expect.stringMatching(said));
  });
});
