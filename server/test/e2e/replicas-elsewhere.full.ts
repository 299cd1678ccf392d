import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ask, askAllTheTime, deploy, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { type DockerService, nodeBase, startDockerService } from '../rig/docker-service.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';
import { replicasContract } from '../rig/replicas.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

describe.runIf(has('postgres'))('with PostgreSQL', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { DATABASE_URL: await newDatabase(inject('postgresUrl')) } });
  });
  afterAll(() => service?.stop());
  replicasContract('process on PostgreSQL', () => ({ service }));
});

describe.runIf(has('docker') && has('sshd'))('on a server', () => {
  let server: ManagedServer;
  let service: Service;
  let serverId: string;
  beforeAll(async () => {
    server = await startManagedServer();
    await makeImage(server.docker.client, nodeBase());
    service = await startService({ env: { MOORING_START_TIMEOUT: '20', MOORING_RUNTIME: 'process' } });
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    serverId = (await json<{ data: { id: string } }>(service.post('/api/servers', body))).data.id;
  });
  afterAll(async () => {
    await service?.stop();
    await server?.close();
  });
  replicasContract('server', () => ({ service, address: server.address, project: { serverId } }));
});

describe.runIf(has('docker'))('of a compose file', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
    await makeImage(rig.docker.client, node);
  });
  afterAll(() => rig?.close());

  const program = (version: string) => `
const who = require('node:crypto').randomUUID();
const server = require('node:http').createServer((request, response) => response.end(request.url === '/who' ? who : '${version}'));
server.listen(3000, '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit(0)));`;
  const stack = (version: string) => {
    const service = (more: object) => ({ image: node.name, command: ['node', '-e', program(version)], ...more });
    const services = {
      web: service({ scale: 3, ports: ['3000'] }),
      worker: service({ deploy: { replicas: 2 } }),
    };
    return folderOf({ 'compose.yaml': JSON.stringify({ services }) });
  };

  it('start the number in the file, share the requests, and follow `scale`', async () => {
    const { service, docker } = rig;
    const project = await ensureProject(service, 'composed');
    type Container = { service: string; replica: number; state: string };
    const countsOf = async (id: string) => {
      const { data } = await json<{ data: { containers: Container[] } }>(service.get(`/api/deployments/${id}/info`));
      const running = data.containers.filter(({ state }) => state === 'running');
      return Object.fromEntries(
        [...Map.groupBy(running, (each) => each.service)].map(([name, all]) => [name, all.length]),
      );
    };
    const first = await deploy(service, project, stack('v1'));
    expect(first.error).toBeNull();
    expect(await countsOf(first.id)).toEqual({ web: 3, worker: 2 });
    const [url = ''] = first.urls;
    const whoAt = async () =>
      new Set(await Promise.all(Array.from({ length: 24 }, async () => (await ask(url, '/who')).body)));
    expect((await whoAt()).size).toBe(3);
    const asking = askAllTheTime(url, 4);
    const second = await deploy(service, project, stack('v2'));
    expect(second.error).toBeNull();
    expect(await countsOf(second.id)).toEqual({ web: 3, worker: 2 });
    const scale = (body: object) => service.post(`/api/projects/${project}/scale`, body);
    expect((await scale({ service: 'web', replicas: 4 })).status).toBe(202);
    await until('four answer', async () => (await whoAt()).size === 4, 60_000);
    expect((await scale({ service: 'worker', replicas: 1 })).status).toBe(202);
    await until('one worker is left', async () => (await countsOf(second.id))['worker'] === 1, 60_000);
    expect((await scale({ service: 'nobody', replicas: 1 })).status).toBe(400);
    type Listed = { Id: string; Labels: Record<string, string> };
    const listed = await docker.client.json<Listed[]>({ method: 'GET', path: '/containers/json' });
    const victim = listed.find(({ Labels }) => Labels['mooring.service'] === 'web')!;
    await docker.client.json({ method: 'POST', path: `/containers/${victim.Id}/kill` });
    await until('the one that was killed is back', async () => (await countsOf(second.id))['web'] === 4, 60_000);
    await until('four answer again', async () => (await whoAt()).size === 4, 60_000);
    const third = await deploy(service, project, stack('v3'));
    expect([third.error, await countsOf(third.id)]).toEqual([null, { web: 4, worker: 1 }]);
    expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2', '200 v3']);
  }, 300_000);
});
