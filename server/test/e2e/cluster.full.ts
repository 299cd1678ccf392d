import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { containersOf, networksOf } from '../rig/engine-things.ts';
import { has } from '../rig/parts.ts';
import { replicaApp } from '../rig/replicas.ts';
import { shop } from '../rig/stack.ts';
import { startSwarmServers, type SwarmServers } from '../rig/swarm-servers.ts';
import { until } from '../rig/until.ts';

type Node = { id: string; role: string; availability: string; state: string; serverName: string | null };
type Shown = { data: { isHealthy: boolean; problems: string[]; nodes: Node[] } };

describe.runIf(has('docker') && has('sshd'))('a cluster of servers', () => {
  let rig: SwarmServers;
  beforeAll(async () => {
    rig = await startSwarmServers(3, 0);
  }, 120_000);
  afterAll(() => rig?.close());

  const path = () => `/api/servers/${rig.servers[0]!.id}/cluster`;
  const cluster = async () => (await json<Shown>(rig.service.get(path()))).data;
  const nodeOf = async (name: string) => (await cluster()).nodes.find(({ serverName }) => serverName === name)!;

  const deleted = (at: string) =>
    fetch(rig.service.url + at, { method: 'DELETE', headers: { authorization: `Bearer ${ownerToken}` } });

  it('is created, joined and shown', async () => {
    const { service, servers, swarm } = rig;
    const [one, two, three] = servers;
    const addressOf = (server: SwarmServers['servers'][number]) => swarm.addressOf(server.docker);
    const early = await service.post(`${path()}/nodes`, { serverId: two!.id });
    expect([early.status, ((await early.json()) as { error: string }).error]).toEqual([
      409,
      'node1 is not the server of a cluster; run `mooring cluster init node1` first',
    ]);
    await json(service.post(path(), { advertiseAddress: addressOf(one!) }));
    await json(service.post(`${path()}/nodes`, { serverId: two!.id, advertiseAddress: addressOf(two!) }));
    const last = { serverId: three!.id, role: 'manager', advertiseAddress: addressOf(three!) };
    const { data } = await json<Shown>(service.post(`${path()}/nodes`, last));
    const shown = data.nodes.map(({ serverName, role, state }) => `${serverName} ${role} ${state}`);
    expect(shown.toSorted()).toEqual(['node1 manager ready', 'node2 worker ready', 'node3 manager ready']);
    expect(data.problems).toEqual([expect.stringContaining('there are two managers')]);
    const refusals: [Response, string][] = [
      [await service.post(`${path()}/nodes`, { serverId: one!.id }), 'node1 is in this cluster already'],
      [
        await service.post(`/api/servers/${three!.id}/cluster`, {}),
        'node3 is a node of a cluster; remove it from the cluster first (mooring cluster remove node3)',
      ],
      [
        await service.patch(`${path()}/nodes/${(await nodeOf('node1')).id}`, { role: 'worker' }),
        'node1 must stay a manager: projects are deployed to it',
      ],
    ];
    for (const [answer, error] of refusals) {
      expect(answer.status).toBe(409);
      expect(((await answer.json()) as { error: string }).error).toBe(error);
    }
    const wrong = await service.post('/api/projects/ensure', { name: 'wrong', serverId: two!.id });
    expect([wrong.status, ((await wrong.json()) as { error: string }).error]).toEqual([
      409,
      'node2 is a node of a cluster; deploy to the server of the cluster',
    ]);
  }, 120_000);

  it('moves apps away from a drained node without a failed request', async () => {
    const { service, servers } = rig;
    const project = await ensureProject(service, 'web', { serverId: servers[0]!.id, replicas: 3 });
    const first = await ended(service, await begin(service, project, replicaApp('v1')), 240_000);
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    const single = await ensureProject(service, 'single', { serverId: servers[0]!.id });
    const alone = await deploy(service, single, nodeApp('alone'));
    const asking = [askAllTheTime(url, 2, servers[0]!.address), askAllTheTime(alone.urls[0]!, 2, servers[0]!.address)];
    for (const name of ['node2', 'node3']) {
      const { id } = await nodeOf(name);
      const drained = await json<Shown>(service.patch(`${path()}/nodes/${id}`, { availability: 'drain' }));
      expect(drained.data.nodes.find((node) => node.id === id)).toMatchObject({ availability: 'drain' });
      const there = await containersOf(servers.find((server) => server.body.name === name)!.docker);
      const running = there.filter(({ State, Labels }) => State === 'running' && Labels?.['mooring.deployment']);
      expect(running, 'nothing of ours runs there').toEqual([]);
      await json(service.patch(`${path()}/nodes/${id}`, { availability: 'active' }));
    }
    expect([...(await asking[0]!.stop()).keys()]).toEqual(['200 v1']);
    expect([...(await asking[1]!.stop()).keys()]).toEqual(['200 alone']);
  }, 400_000);

  it('serves new apps on a node that was away when they were deployed, and removes the networks of deleted ones', async () => {
    const { service, servers } = rig;
    const [one, two] = servers;
    await two!.docker.stop('SIGKILL');
    const project = await ensureProject(service, 'late', { serverId: one!.id });
    const late = await ended(service, await begin(service, project, nodeApp('late')), 240_000);
    expect(late.error).toBeNull();
    await two!.docker.start();
    const isServed = async () => (await ask(late.urls[0]!, '/', 'GET', two!.address)).body === 'late';
    await until('the edge there has joined the network', isServed, 60_000);
    const networks = async () =>
      (await networksOf(one!.docker)).filter(({ Labels }) => Labels?.['mooring.project'] === project);
    expect(await networks()).toHaveLength(1);
    expect((await deleted(`/api/projects/${project}`)).ok).toBe(true);
    await until('its network is removed', async () => (await networks()).length === 0, 60_000);
  }, 400_000);

  it('does not drain or remove a node with volumes, unless forced', async () => {
    const { service, servers } = rig;
    const project = await ensureProject(service, 'shop', { serverId: servers[0]!.id });
    const deployed = await ended(service, await begin(service, project, shop()), 240_000);
    expect(deployed.error).toBeNull();
    const { nodes } = await cluster();
    const bound = nodes.find((node) => (node as unknown as { stacksWithVolumes: number }).stacksWithVolumes > 0)!;
    const refused = await service.patch(`${path()}/nodes/${bound.id}`, { availability: 'drain' });
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      409,
      expect.stringContaining('db cannot run on another node'),
    ]);
    expect((await ask(deployed.urls[0]!, '/', 'GET', servers[1]!.address)).body).toContain('web v1');
  }, 300_000);

  it('removes a node with its edge, and lets the server be deleted', async () => {
    const { service, servers } = rig;
    const [, two] = servers;
    const kept = await deleted(`/api/servers/${two!.id}`);
    expect([kept.status, ((await kept.json()) as { error: string }).error]).toEqual([
      409,
      'node2 is a node of a cluster; remove it from the cluster first (mooring cluster remove node2)',
    ]);
    const { id } = await nodeOf('node2');
    const { data } = await json<Shown>(deleted(`${path()}/nodes/${id}?force=true`));
    expect(data.nodes.map(({ serverName }) => String(serverName)).toSorted()).toEqual(['node1', 'node3']);
    const left = (await containersOf(two!.docker)).filter(({ Labels }) => Labels?.['mooring.role'] === 'edge');
    expect(left).toEqual([]);
    expect((await deleted(`/api/servers/${two!.id}`)).status).toBe(200);
    const audit = await json<{ data: { action: string }[] }>(service.get('/api/audit'));
    const actions = new Set(audit.data.map(({ action }) => action).filter((action) => action.startsWith('cluster.')));
    expect([...actions].toSorted()).toEqual([
      'cluster.created',
      'cluster.joined',
      'cluster.left',
      'cluster.node_changed',
    ]);
  }, 120_000);
});
