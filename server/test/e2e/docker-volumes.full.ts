import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, deploy, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { type DockerService, nodeBase, onEngine, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { startService } from '../rig/service.ts';
import { volumesContract } from '../rig/volumes.ts';

describe.runIf(has('docker'))('in containers', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
  });
  afterAll(() => rig?.close());
  volumesContract('docker', () => rig);

  const reader = (dockerfile: string) =>
    folderOf({
      Dockerfile: `FROM ${nodeBase().name}\nWORKDIR /app\nCOPY . .\n${dockerfile}\nCMD ["node", "server.js"]\n`,
      'server.js': `
const { appendFileSync, readFileSync } = require('node:fs');
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/add') appendFileSync('/kept/lines', 'more\\n');
  let lines = 'none';
  try { lines = readFileSync('/kept/lines', 'utf8'); } catch {}
  response.end(lines);
});
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
    });

  it('of a VOLUME instruction outlive deployments', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'declared by the image');
    const [url = ''] = (await deploy(service, project, reader('VOLUME /kept'))).urls;
    await ask(url, '/add');
    expect(await deploy(service, project, reader('VOLUME /kept'))).toMatchObject({ error: null });
    expect((await ask(url)).body).toBe('more\n');
    const { data } = await json<{ data: object[] }>(service.get(`/api/projects/${project}/volumes`));
    expect(data).toMatchObject([{ path: '/kept', service: 'app', origin: 'image', inUse: true }]);
  }, 90_000);

  it('of 0.1.0, which named them after a deployment, are found and mounted again', async () => {
    const { service, docker } = rig;
    const project = await ensureProject(service, 'from before');
    const first = await deploy(service, project, reader(''));
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('none');
    const { client } = docker;
    type Listed = { Labels: Record<string, string> };
    const all = await client.json<Listed[]>({ method: 'GET', path: '/containers/json' });
    const { Labels } = all.find((each) => each.Labels['mooring.deployment'] === first.id)!;
    const owner = ['instance', 'organization', 'project', 'deployment', 'service', 'fence'].map(
      (name) => `mooring.${name}`,
    );
    const labels = Object.fromEntries(owner.flatMap((name) => (name in Labels ? [[name, Labels[name]]] : [])));
    const Name = `mooring-${first.id}.app-0`;
    await client.json({ method: 'POST', path: '/volumes/create', body: { Name, Labels: labels } });
    const body = { Image: nodeBase().name, HostConfig: { Mounts: [{ Type: 'volume', Source: Name, Target: '/at' }] } };
    const { Id } = await client.json<{ Id: string }>({ method: 'POST', path: '/containers/create', body });
    const tar = execFileSync('tar', ['-C', folderOf({ lines: 'from 0.1.0\n' }), '-cf', '-', 'lines']);
    await client.json({
      method: 'PUT',
      path: `/containers/${Id}/archive`,
      query: { path: '/at' },
      body: Readable.from([tar]),
    });
    await client.json({ method: 'DELETE', path: `/containers/${Id}` });

    const volumes = `/api/projects/${project}/volumes`;
    const orphans = await json<{ data: { id: string }[] }>(service.get(`${volumes}?orphans=true`));
    expect(orphans.data).toMatchObject([{ id: Name, origin: 'image', service: 'app' }]);
    const added = await service.post(volumes, { name: 'kept', path: '/kept', from: Name });
    expect([added.status, await added.json()]).toMatchObject([201, { data: { name: 'kept', pending: true } }]);
    expect(await deploy(service, project, reader(''))).toMatchObject({ error: null });
    expect((await ask(url, '/add')).body).toBe('from 0.1.0\nmore\n');
    expect(await deploy(service, project, reader(''))).toMatchObject({ error: null });
    expect((await ask(url)).body).toBe('from 0.1.0\nmore\n');
    expect((await json<{ data: object[] }>(service.get(`${volumes}?orphans=true`))).data).toEqual([]);
  }, 120_000);

  it('of a process move into the engine with its first active release there, not before', async () => {
    const source = (version: string, server = keeper) =>
      folderOf({
        'package.json': JSON.stringify({ name: 'keeper', version, scripts: { start: 'node server.js' } }),
        'server.js': server,
      });
    const dataDir = newFolder('data');
    let service = await startService({ dataDir });
    try {
      const project = await ensureProject(service, 'moves');
      const volume = `/api/projects/${project}/volumes`;
      await json(service.post(volume, { name: 'data', path: 'data', overlap: true }));
      const goodbye = `process.on('SIGTERM', () => appendFileSync('data/lines', 'goodbye\\n'))`;
      const [url = ''] = (await deploy(service, project, source('1.0.0', `${keeper}\n${goodbye}`))).urls;
      await ask(url, '/add?one');
      await service.stop('SIGTERM');

      service = await startService({ dataDir, env: { MOORING_START_TIMEOUT: '15', ...onEngine(rig.docker) } });
      const broken = await deploy(service, project, source('2.0.0', 'process.exit(1)'));
      expect(broken.error).not.toBeNull();
      expect((await ask(url, '/add?two')).body).toBe('one\ngoodbye\ntwo\n');
      const file = await service.get(`${volume}/data/file?path=lines`);
      expect(await file.text()).toBe('one\ngoodbye\ntwo\n');

      // The release command runs while the process still writes to its folder.
      await json(service.patch(`/api/projects/${project}`, { releaseCommand: 'test ! -e data/lines' }));
      expect(await deploy(service, project, source('3.0.0'))).toMatchObject({ error: null });
      await json(service.patch(`/api/projects/${project}`, { releaseCommand: 'grep three data/lines' }));
      expect((await ask(url, '/add?three')).body).toBe('one\ngoodbye\ntwo\ngoodbye\nthree\n');
      const folders = () => readdirSync(join(dataDir, 'volumes', project, 'production')).toSorted();
      await expect.poll(folders).toEqual(['.draft', '.in-engine', expect.stringMatching(/^\.moved-data-\d+$/)]);
      expect(await deploy(service, project, source('4.0.0'))).toMatchObject({ error: null });
      expect((await ask(url)).body).toBe('one\ngoodbye\ntwo\ngoodbye\nthree\n');
    } finally {
      await service.stop();
    }
  }, 180_000);
});

/** Appends a line to `data/lines` for each `/add` and responds with all of them. */
const keeper = `
const { appendFileSync, readFileSync } = require('node:fs');
const server = require('node:http').createServer((request, response) => {
  if (request.url.startsWith('/add')) appendFileSync('data/lines', request.url.slice(5) + '\\n');
  let lines = '';
  try { lines = readFileSync('data/lines', 'utf8'); } catch {}
  response.end(lines);
});
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`;
