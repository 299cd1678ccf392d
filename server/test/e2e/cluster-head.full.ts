import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, askAllTheTime, begin, ended, ensureProject, get, json } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';
import { replicaApp } from '../rig/replicas.ts';
import { type Service, startService } from '../rig/service.ts';
import { startSwarmServers, type SwarmServers } from '../rig/swarm-servers.ts';
import { until } from '../rig/until.ts';

type Node = { id: string; role: string; state: string; serverName: string | null };
type Shown = { data: { serverId: string; problems: string[]; nodes: Node[] } };

const parts = ['docker', 'sshd', 'registry', 'postgres'] as const;

describe.runIf(parts.every(has))('the server of a cluster of two replicas', () => {
  let rig: SwarmServers;
  /** Changes the server of the cluster, and everything else is asked of the first replica. */
  let replica: Service;
  let project = '';
  let url = '';
  beforeAll(async () => {
    const env = {
      DATABASE_URL: await newDatabase(inject('postgresUrl')),
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_RUNTIME: 'process',
      MOORING_START_TIMEOUT: '30',
    };
    rig = await startSwarmServers(3, 0, { hasOwnRegistry: true, env });
    replica = await startService({ env });
  }, 240_000);
  afterAll(async () => {
    await replica?.stop();
    await rig?.close();
  });

  const idOf = (number: 1 | 2 | 3) => rig.servers[number - 1]!.id;
  const pathOf = (number: 1 | 2 | 3) => `/api/servers/${idOf(number)}/cluster`;
  const shown = async (number: 1 | 2 | 3) => (await json<Shown>(rig.service.get(pathOf(number)))).data;
  const nodeOf = async (head: 1 | 2 | 3, name: string) =>
    (await shown(head)).nodes.find(({ serverName }) => serverName === name)!;
  const moveHead = (from: 1 | 2 | 3, to: 1 | 2 | 3) => replica.post(`${pathOf(from)}/head`, { serverId: idOf(to) });
  const refusalOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: string }).error];
  const release = async (version: string) => {
    const deployed = await ended(rig.service, await begin(rig.service, project, replicaApp(version)), 240_000);
    expect(deployed.error).toBeNull();
    return deployed;
  };
  const running = async (id: string) => {
    type Info = { data: { containers: { state: string }[] } };
    const { data } = await json<Info>(rig.service.get(`/api/deployments/${id}/info`));
    return data.containers.filter(({ state }) => state === 'running').length;
  };
  const scale = async (id: string, replicas: number) => {
    await json(rig.service.post(`/api/projects/${project}/scale`, { replicas }));
    // Releases on a lost server are given up after a while.
    await until(`${replicas} replicas run`, async () => (await running(id)) === replicas, 240_000);
  };

  it('must be a manager of the cluster', async () => {
    const { service, servers, swarm } = rig;
    const [one, two, three] = servers;
    const join = (server: typeof one, role: string) =>
      json<Shown>(
        service.post(`${pathOf(1)}/nodes`, {
          serverId: server!.id,
          role,
          advertiseAddress: swarm.addressOf(server!.docker),
        }),
      );
    await json(service.post(pathOf(1), { advertiseAddress: swarm.addressOf(one!.docker) }));
    expect(await refusalOf(await moveHead(1, 1))).toEqual([409, 'node1 is the server of the cluster already']);
    expect(await refusalOf(await moveHead(1, 2))).toEqual([
      409,
      'node2 is not a node of the cluster of node1; let it join first (mooring cluster join node2 --manager)',
    ]);
    await join(two, 'worker');
    expect(await refusalOf(await moveHead(1, 2))).toEqual([
      409,
      'node2 is a worker; make it a manager first (mooring cluster role node2 manager)',
    ]);
    await join(three, 'manager');
    const { data } = await join(two, 'manager');
    expect(
      data.nodes.map(({ role }) => role),
      'a worker that joins as a manager',
    ).toEqual(Array(3).fill('manager'));
  }, 120_000);

  it('moves to another manager while it is running', async () => {
    const { service, servers } = rig;
    project = await ensureProject(service, 'web', { serverId: idOf(1), replicas: 2 });
    const id = await begin(service, project, replicaApp('v1'));
    await until('it is being built', async () => (await get(service, id)).status === 'building');
    expect(await refusalOf(await moveHead(1, 3))).toEqual([
      409,
      `the deployment ${id} is in progress. Try again when it has ended, or cancel it with \`mooring cancel ${id}\``,
    ]);
    const first = await ended(service, id, 240_000);
    expect(first.error).toBeNull();
    [url = ''] = first.urls;
    const asking = servers.map(({ address }) => askAllTheTime(url, 1, address));
    const { data } = await json<Shown>(moveHead(1, 3));
    expect([data.serverId, data.problems]).toEqual([idOf(3), []]);
    type Places = { data: { serverId: string } };
    for (const path of [`/api/projects/${project}`, `/api/deployments/${id}`])
      expect((await json<Places>(service.get(path))).data.serverId).toBe(idOf(3));
    type Rows = { data: { id: string; runtime: string; baseDomain: string }[] };
    const rows = (await json<Rows>(service.get('/api/servers'))).data;
    expect(servers.map((server) => rows.find((row) => row.id === server.id)?.runtime)).toEqual([
      'node',
      'node',
      'swarm',
    ]);
    const output = await service.get(`/api/deployments/${id}/logs?kind=runtime`);
    expect(await output.text(), 'recorded before').toContain('listening as');
    // Its image is in the registry, and perhaps not on the new server.
    await scale(id, 3);
    const { id: before } = await nodeOf(3, 'node1');
    await json(service.patch(`${pathOf(3)}/nodes/${before}`, { availability: 'drain' }));
    const second = await release('v2');
    expect(second.urls).toEqual(first.urls);
    await json(service.patch(`${pathOf(3)}/nodes/${before}`, { availability: 'active' }));
    for (const each of asking) expect([...(await each.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
    const audit = await json<{ data: { action: string; target: { name: string } }[] }>(service.get('/api/audit'));
    expect(audit.data.find(({ action }) => action === 'cluster.head_changed')?.target.name).toBe('node3');
  }, 600_000);

  it('is replaced when it is lost', async () => {
    const { service, servers, swarm } = rig;
    const lost = servers[2]!;
    const deployed = await release('v3');
    const asking = servers.slice(0, 2).map(({ address }) => askAllTheTime(url, 1, address));
    swarm.setConnected(lost.docker, false);
    await lost.sshd.switchOff();
    await lost.docker.stop('SIGKILL');
    const isDown = async () => (await nodeOf(3, 'node3').catch(() => undefined))?.state === 'down';
    await until('the cluster says that it is down', isDown, 120_000);
    expect((await shown(3)).problems).toEqual([
      'node3, the server of the cluster, does not respond or is no longer a node; if it is lost, deploy through another manager (mooring cluster head <node>)',
      'node3 is down',
    ]);
    const { id: nodeId } = await nodeOf(3, 'node3');
    const remove = (head: 2 | 3) =>
      fetch(`${service.url}${pathOf(head)}/nodes/${nodeId}?force=true`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ownerToken}` },
      });
    expect((await remove(3)).status, 'projects are deployed to it').toBe(409);
    expect((await json<Shown>(moveHead(3, 2))).data.serverId).toBe(idOf(2));
    await scale(deployed.id, 4);
    const fourth = await release('v4');
    expect(fourth.urls).toEqual(deployed.urls);
    await scale(fourth.id, 5);
    const { data } = await json<Shown>(remove(2));
    expect(data.nodes.map(({ serverName }) => String(serverName)).toSorted()).toEqual(['node1', 'node2']);
    type Begun = { deployment_id: string };
    const back = await json<Begun>(service.post(`/api/deployments/${deployed.id}/rollback`, {}));
    expect((await ended(service, back.deployment_id, 240_000)).error).toBeNull();
    for (const each of asking) expect([...(await each.stop()).keys()].toSorted()).toEqual(['200 v3', '200 v4']);
    expect((await ask(url, '/', 'GET', servers[0]!.address)).body).toBe('v3');
  }, 900_000);
});
