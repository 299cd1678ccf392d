import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { begin, deploy, ended, ensureProject, events, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const compose = (version: string) => ({
  'compose.yaml': `
services:
  web:
    image: ${node.name}
    command: [node, -e, "const h=require('http'),f=require('fs');h.createServer((q,s)=>s.end(f.readFileSync('/conf/greeting','utf8'))).listen(8000)"]
    ports: ["18000:8000"]
    volumes: ["./conf:/conf:ro"]
`,
  'conf/greeting': `hello ${version}`,
});

describe.runIf(has('docker') && has('sshd'))('servers with failures', () => {
  let server: ManagedServer;
  let docker: Docker;
  let service: Service;
  let serverId: string;
  beforeAll(async () => {
    [server, docker] = await Promise.all([startManagedServer(), startDocker()]);
    await makeImage(server.docker.client, nodeBase());
    await makeImage(server.docker.client, node);
    await makeImage(docker.client, nodeBase());
    const env = { MOORING_START_TIMEOUT: '15', MOORING_ENGINE_TIMEOUT: '20', ...onEngine(docker) };
    service = await startService({ env });
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    serverId = (await json<{ data: { id: string } }>(service.post('/api/servers', body))).data.id;
  });
  afterAll(async () => {
    await service?.stop();
    await server?.close();
    await docker?.close();
  });

  const send = (method: string, path: string, body: object = {}) =>
    fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const there = () => ({ deployTarget: 'server', serverId });
  type Listed = { Image: string; Labels: Record<string, string> };
  const runningOn = async ({ client }: Docker) =>
    (await client.json<Listed[]>({ method: 'GET', path: '/containers/json' })).map(
      ({ Labels }) => Labels['mooring.deployment'],
    );

  it('builds locally and transfers the image on request', async () => {
    const project = await ensureProject(service, 'shipped');
    const made = await deploy(service, project, nodeApp('v1'), { ...there(), buildStrategy: 'local' });
    expect(made).toMatchObject({ status: 'ready', error: null });
    const lines = (await events(service, made.id)).map(({ data }) => String(data['line']));
    expect(lines).toContainEqual(expect.stringMatching(/^Sending the image to the server, \d+ MB$/));
    expect(await runningOn(server.docker)).toContain(made.id);
    expect(await runningOn(docker)).not.toContain(made.id);
    const images = await docker.client.json<{ RepoTags: string[] | null }[]>({ method: 'GET', path: '/images/json' });
    expect(images.flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.includes(made.id))).toEqual([]);
  });

  it('provides services with files of their source, also changed ones', async () => {
    const project = await ensureProject(service, 'files');
    const greeting = async () => (await fetch(`http://${server.address}:18000/`)).text();
    expect(await deploy(service, project, folderOf(compose('one')), there())).toMatchObject({ error: null });
    expect(await greeting()).toBe('hello one');
    expect(await deploy(service, project, folderOf(compose('two')))).toMatchObject({ error: null });
    expect(await greeting()).toBe('hello two');
  });

  it('resumes a deployment whose connection breaks repeatedly', { timeout: 120_000 }, async () => {
    const project = await ensureProject(service, 'cut');
    const id = await begin(service, project, nodeApp('v1'), there());
    let cuts = 0;
    const cutting = setInterval(() => cuts++ < 4 && server.sshd.cut(), 2500);
    const done = await ended(service, id, 90_000).finally(() => clearInterval(cutting));
    expect(done).toMatchObject({ status: 'ready', error: null });
  });

  it('names the server that does not respond, and resumes when it does', async () => {
    const project = await ensureProject(service, 'away');
    expect(await deploy(service, project, nodeApp('v1'), there())).toMatchObject({ status: 'ready' });
    server.sshd.cut();
    await server.sshd.changeHostKey();
    const refused = await deploy(service, project, nodeApp('v2'));
    expect(refused).toMatchObject({
      status: 'failed',
      error: { code: 'server_away', message: expect.stringMatching(/elsewhere.*host key/) },
    });
    expect(
      (await send('PATCH', `/api/servers/${serverId}`, { hostKey: null, privateKey: server.body.privateKey })).status,
    ).toBe(200);
    expect(await deploy(service, project, nodeApp('v3'))).toMatchObject({ status: 'ready', error: null });
  });

  it('cannot be deleted with projects on it, and a moving project leaves nothing running', async () => {
    expect((await send('DELETE', `/api/servers/${serverId}`)).status).toBe(409);
    const project = await ensureProject(service, 'away');
    const moved = await send('PATCH', `/api/projects/${project}`, { serverId: null });
    expect(moved.status).toBe(400);
    const local = await service.post('/api/deployments/build/access', { projectId: project, deployTarget: 'local' });
    expect(local.status).toBe(400);
    const gone = await send('DELETE', `/api/projects/${project}`);
    expect(gone.status, service.output().slice(-3000)).toBe(200);
    const all = { method: 'GET', path: '/containers/json', query: { all: true } } as const;
    await until('its containers are gone', async () => {
      const left = await server.docker.client.json<Listed[]>(all);
      return left.every(({ Labels }) => Labels['mooring.project'] !== project);
    });
  });
});
