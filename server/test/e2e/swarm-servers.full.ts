import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { replicaApp } from '../rig/replicas.ts';
import { startSwarmServers, type SwarmServers } from '../rig/swarm-servers.ts';
import { until } from '../rig/until.ts';

describe.runIf(has('docker') && has('sshd'))('a Swarm of servers', () => {
  let rig: SwarmServers;
  beforeAll(async () => {
    rig = await startSwarmServers(3, 3);
    const { service, servers } = rig;
    for (const { id } of servers) await json(service.post(`/api/servers/${id}/test`, {}));
    const project = await ensureProject(service, 'first', { serverId: servers[0]!.id });
    // The first deployment waits for the edges, and sends the base image to the registry.
    const id = await begin(service, project, nodeApp('first'));
    expect((await ended(service, id, 240_000)).error).toBeNull();
  }, 400_000);
  afterAll(() => rig?.close());

  const shownBy = async (url: string) =>
    Promise.all(rig.servers.map(async ({ address }) => (await ask(url, '/', 'GET', address)).body));

  it('serves every app through the edge of every node', async () => {
    const { service, servers } = rig;
    const project = await ensureProject(service, 'web', { serverId: servers[0]!.id });
    const first = await deploy(service, project, nodeApp('v1'));
    expect(first.error).toBeNull();
    expect(await shownBy(first.urls[0]!)).toEqual(['v1', 'v1', 'v1']);
    const asking = servers.map(({ address }) => askAllTheTime(first.urls[0]!, 1, address));
    expect((await deploy(service, project, nodeApp('v2'))).error).toBeNull();
    expect(await shownBy(first.urls[0]!)).toEqual(['v2', 'v2', 'v2']);
    for (const each of asking) expect([...(await each.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
  }, 120_000);

  it('keeps serving and deploying while a node is away, and brings its edge up to date', async () => {
    const { service, servers, swarm } = rig;
    const project = await ensureProject(service, 'steady', { serverId: servers[0]!.id, replicas: 2 });
    const first = await deploy(service, project, replicaApp('v1'));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    const [one, two, three] = servers;
    const asking = [one, two].map((server) => askAllTheTime(url, 2, server!.address));
    await three!.docker.stop('SIGKILL');
    const second = await begin(service, project, replicaApp('v2'));
    expect((await ended(service, second, 120_000)).error).toBeNull();
    await three!.docker.start();
    await until(
      'its edge has the new release',
      async () => (await ask(url, '/', 'GET', three!.address)).body === 'v2',
      60_000,
    );
    for (const each of asking) expect([...(await each.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
    expect(swarm.nodes).toHaveLength(3);
  }, 240_000);

  it('gives secrets and configs to every node', async () => {
    const { service, servers, swarm } = rig;
    const project = await ensureProject(service, 'files', { serverId: servers[0]!.id });
    const shown = (text: string) => `const { readFileSync } = require('node:fs');
      const all = ['/run/secrets/key', '/text', '/etc/own.conf'].map((path) => readFileSync(path, 'utf8').trim()).join();
      require('node:http').createServer((_, response) => response.end('${text} ' + all)).listen(3000);`;
    const files = (text: string) =>
      folderOf({
        'compose.yaml': `services:
  web:
    build: .
    expose: ["3000"]
    secrets: [key]
    configs: [{ source: text, target: /text }]
    volumes: ["./own.conf:/etc/own.conf:ro"]
secrets: { key: { file: ./key } }
configs: { text: { content: inline } }
`,
        Dockerfile: 'FROM node:24-slim\nCOPY server.js /\nCMD ["node", "/server.js"]\n',
        'server.js': shown(text),
        key: `key of ${text}`,
        'own.conf': 'own',
      });
    const first = await ended(service, await begin(service, project, files('v1')), 120_000);
    expect(first.error).toBeNull();
    expect(await shownBy(first.urls[0]!)).toEqual(Array(3).fill('v1 key of v1,inline,own'));
    const second = await ended(service, await begin(service, project, files('v2')), 120_000);
    expect(await shownBy(second.urls[0]!)).toEqual(Array(3).fill('v2 key of v2,inline,own'));
    type Found = { Spec: { TaskTemplate: { ContainerSpec: { Secrets?: object[] }; Placement: object } } }[];
    const query = { filters: { label: [`mooring.deployment=${second.id}`] } };
    const [found] = await swarm.nodes[0]!.client.json<Found>({ method: 'GET', path: '/services', query });
    const { ContainerSpec, Placement } = found!.Spec.TaskTemplate;
    expect(ContainerSpec.Secrets).toHaveLength(3);
    expect(JSON.stringify(Placement)).not.toContain('node.id==');
    type Begun = { deployment_id: string };
    const { deployment_id } = await json<Begun>(service.post(`/api/deployments/${first.id}/rollback`, {}));
    expect((await ended(service, deployment_id, 120_000)).error).toBeNull();
    expect(await shownBy(first.urls[0]!)).toEqual(Array(3).fill('v1 key of v1,inline,own'));
  }, 400_000);

  it('names a node that the Swarm reaches and Mooring does not', async () => {
    const { service, servers } = rig;
    const project = await ensureProject(service, 'named', { serverId: servers[0]!.id });
    expect((await deploy(service, project, nodeApp('v1'))).error).toBeNull();
    await servers[2]!.sshd.switchOff();
    const id = await begin(service, project, nodeApp('v2'));
    const isNamed = async () =>
      (await (await service.get(`/api/deployments/${id}/logs`)).text()).includes('Retrying: the node node3: ');
    await until('the log names it', isNamed, 120_000);
    await servers[2]!.sshd.switchOn();
    expect((await ended(service, id, 120_000)).error).toBeNull();
  }, 400_000);

  it('keeps serving while the manager that it deploys to is away', async () => {
    const { service, servers } = rig;
    const project = await ensureProject(service, 'managed', { serverId: servers[0]!.id, replicas: 3 });
    const first = await deploy(service, project, replicaApp('v1'));
    expect(first.error).toBeNull();
    const asking = servers.slice(1).map((server) => askAllTheTime(first.urls[0]!, 2, server.address));
    await servers[0]!.docker.stop('SIGKILL');
    type Info = { data: { containers: { state: string }[] } };
    const states = async () =>
      (await json<Info>(service.get(`/api/deployments/${first.id}/info`))).data.containers.map(({ state }) => state);
    await sleep(30_000);
    await until('three run', async () => (await states()).filter((each) => each === 'running').length === 3, 60_000);
    await servers[0]!.docker.start();
    expect((await ended(service, await begin(service, project, replicaApp('v2')), 120_000)).error).toBeNull();
    await sleep(2000);
    for (const each of asking) expect([...(await each.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
  }, 300_000);

  it('finds another manager after a restart, and goes on when that one becomes a worker', async () => {
    const [one] = rig.servers;
    const project = await ensureProject(rig.service, 'found', { serverId: one!.id });
    const first = await deploy(rig.service, project, nodeApp('v1'));
    expect(first.error).toBeNull();
    await one!.docker.stop('SIGKILL');
    await rig.restart();
    const { service } = rig;
    type Info = { data: { containers: { state: string }[] } };
    const isKnown = async () => {
      const answer = await service.get(`/api/deployments/${first.id}/info`);
      return answer.ok && ((await answer.json()) as Info).data.containers[0]?.state === 'running';
    };
    await until('the state of the app is known', isKnown, 90_000);
    await one!.docker.start();
    const path = `/api/servers/${one!.id}/cluster`;
    type Nodes = { data: { nodes: { id: string; serverName: string }[] } };
    const isBack = async () => (await service.get(path)).ok;
    await until('the head is back', isBack, 60_000);
    const { nodes } = (await json<Nodes>(service.get(path))).data;
    for (const { id, serverName } of nodes)
      if (serverName !== one!.body.name) await json(service.patch(`${path}/nodes/${id}`, { role: 'worker' }));
    const second = await ended(service, await begin(service, project, nodeApp('v2')), 120_000);
    expect(second.error, service.output()).toBeNull();
    expect(await shownBy(first.urls[0]!)).toEqual(['v2', 'v2', 'v2']);
  }, 400_000);
});
