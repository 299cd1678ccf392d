import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { registryServiceName } from '../../../drivers/images/registry/registry-spec.ts';
import { ownerLabels } from '../../../drivers/runtime/docker/labels.ts';
import type { NodeInfo, ServiceInfo } from '../../../drivers/runtime/swarm/types.ts';
import type { Caller } from '../../../http/caller.ts';
import { Clusters } from './service.ts';

const instanceId = 'instance';
const registry = registryServiceName(instanceId);
const names = ['one', 'two', 'three'] as const;
type Name = (typeof names)[number];

const nodeOf = (name: string): NodeInfo => ({
  ID: `node-${name}`,
  Version: { Index: 1 },
  Spec: { Labels: {}, Role: 'manager', Availability: 'active' },
  Status: { State: 'ready' },
  Description: { Hostname: `host-${name}` },
});

const serviceOn = (name: string, node: string): ServiceInfo => ({
  ID: name,
  Version: { Index: 1 },
  Spec: {
    Name: name,
    Labels: {},
    TaskTemplate: { ContainerSpec: { Image: 'x' }, Placement: { Constraints: [`node.id==${node}`] } },
    Mode: { Replicated: { Replicas: 1 } },
  },
});

describe('the server of a cluster', () => {
  let app: TestApp;
  let caller: Caller;
  let clusters: Clusters;
  const ids = {} as Record<Name, string>;
  const engines: Server[] = [];
  /** Servers that do not respond. */
  let away: Name[] = [];
  /** The nodes of servers that are in another Swarm than the others. */
  let apart: Partial<Record<Name, string>> = {};
  let nodes: NodeInfo[] = [];
  let services: ServiceInfo[] = [];
  let writes: string[] = [];
  let move = async () => {};

  function answer(name: Name, request: IncomingMessage, response: ServerResponse): void {
    if (away.includes(name)) return void request.socket.destroy();
    const path = request.url!.replace(/^\/v[\d.]+|\?.*$/g, '');
    const own = apart[name];
    const known: Record<string, unknown> = {
      '/_ping': {},
      '/info': { Swarm: { NodeID: own ?? `node-${name}`, ControlAvailable: true } },
      '/nodes': own ? [{ ...nodeOf('x'), ID: own }] : nodes,
      '/services': services,
      '/tasks': [],
      ...Object.fromEntries(
        [...services, ...nodes].map((each) => [`/${'Status' in each ? 'nodes' : 'services'}/${each.ID}`, each]),
      ),
    };
    if (request.method === 'DELETE') services = services.filter(({ ID }) => path !== `/services/${ID}`);
    if (request.method !== 'GET') writes.push(`${name} ${request.method} ${path}`);
    const found = request.method === 'POST' ? {} : known[path];
    response.setHeader('api-version', '1.41');
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? { message: 'not found' }));
  }

  beforeAll(async () => {
    app = await startApp();
    const ports: Record<string, number> = {};
    for (const name of names) {
      const engine = createServer((request, response) => answer(name, request, response));
      engines.push(engine);
      await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
      const body = { name, host: '127.0.0.1', user: 'a', password: 'secret' };
      const made = await app.call('POST', '/api/servers', { token: ownerToken, body });
      ids[name] = (made.body as unknown as { data: { id: string } }).data.id;
      ports[name] = (engine.address() as AddressInfo).port;
    }
    const { db } = app.database;
    const { id, name } = await db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    const user = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    caller = {
      userId: user.id,
      email: user.email,
      name: 'Owner',
      isInstanceOwner: true,
      via: { type: 'session', hash: '' },
      organization: { id, name, memberId: '', role: 'owner', grants: [], permissions: new Set() },
      ip: '127.0.0.1',
    };
    clusters = new Clusters({
      db,
      instanceId,
      isSwarmHere: false,
      connectTo: (row) => () => connect({ host: '127.0.0.1', port: ports[row.name]! }),
      hooks: () => ({
        requireEmpty: async () => {},
        moveAway: async () => {},
        removeEdge: async () => {},
        moveProjects: () => move(),
        forget: () => {},
      }),
    });
  });
  afterAll(async () => {
    for (const engine of engines) engine.close();
    await app?.close();
  });

  const set = (name: Name, row: object) =>
    app.database.db.updateTable('servers').set(row).where('id', '=', ids[name]).execute();
  beforeEach(async () => {
    [away, apart, nodes, services, writes] = [[], {}, names.map(nodeOf), [], []];
    move = async () => {};
    for (const name of names)
      await set(name, { runtime: name === 'one' ? 'swarm' : 'node', swarmNodeId: `node-${name}` });
  });
  const changeHead = (to: Name, force = false) => clusters.changeHead(caller, ids.one, { serverId: ids[to], force });
  const lose = (name: Name) => {
    away.push(name);
    nodes.find(({ ID }) => ID === `node-${name}`)!.Status.State = 'down';
  };

  it('leaves the registry alone if its node responds, and before projects have moved', async () => {
    services = [serviceOn(registry, 'node-three'), serviceOn(`${registry}-collect`, 'node-three')];
    lose('one');
    await changeHead('two');
    expect(writes).toEqual([]);

    await set('one', { runtime: 'node' });
    await set('two', { runtime: 'swarm' });
    away = [];
    lose('three');
    move = () => Promise.reject(new Error('something is being deployed'));
    const back = () => clusters.changeHead(caller, ids.two, { serverId: ids.one, force: false });
    await expect(back()).rejects.toThrow('something is being deployed');
    expect(writes).toEqual([]);
    move = async () => {};
    await back();
    expect(writes).toEqual([`one DELETE /services/${registry}`, `one DELETE /services/${registry}-collect`]);
  });

  it('has moved even if the new one does not respond afterwards', async () => {
    services = [serviceOn(registry, 'node-one')];
    lose('one');
    move = async () => void away.push('two');
    const { serverId, problems } = await changeHead('two');
    expect(serverId).toBe(ids.two);
    expect(problems).toEqual([expect.stringContaining('the registry may still wait'), 'one is down']);
  });

  it.each([
    ['in another Swarm', 'node-one'],
    ['in another Swarm since a test', null],
  ])('is not asked when its machine is %s', async (_, swarmNodeId) => {
    apart = { one: 'node-new' };
    await set('one', { swarmNodeId });
    const { nodes: shown, problems } = await clusters.get(caller, ids.one);
    expect(shown.map(({ id }) => id)).toEqual(names.map((name) => `node-${name}`));
    expect(problems[0]).toContain('one, the server of the cluster, does not respond or is no longer a node');
    expect((await changeHead('two')).serverId).toBe(ids.two);
  });

  it('keeps services with mounted folders, unless it is lost or the move is forced', async () => {
    const ours = (service: string, node: string, Type: string): ServiceInfo => {
      const { Spec, ...info } = serviceOn(service, node);
      const owner = { instanceId, organizationId: 'o', projectId: 'p', deploymentId: 'd', service, fence: 1 };
      const TaskTemplate = { ...Spec.TaskTemplate, ContainerSpec: { Image: 'x', Mounts: [{ Type }] } };
      return { ...info, Spec: { ...Spec, Labels: ownerLabels(owner), TaskTemplate } };
    };
    services = [ours('db', 'node-one', 'volume'), ours('cms', 'node-one', 'bind'), ours('far', 'node-two', 'bind')];
    await expect(changeHead('two')).rejects.toThrow('mounted folders or files of cms are on one.');
    expect((await changeHead('two', true)).serverId).toBe(ids.two);
    await set('one', { runtime: 'swarm' });
    await set('two', { runtime: 'node' });
    lose('one');
    expect((await changeHead('two')).serverId).toBe(ids.two);
  });

  it('is asked without a recorded node if there is no other manager', async () => {
    away = ['two', 'three'];
    await set('one', { swarmNodeId: null });
    expect((await clusters.get(caller, ids.one)).problems.join()).not.toContain('does not respond');
  });

  it.each(['node-three', 'host-three'])('is not represented by %s, which becomes a worker', async (node) => {
    lose('one');
    const demote = () => clusters.change(caller, ids.one, node, { role: 'worker', force: false });
    await demote();
    expect(writes).toEqual(['two POST /nodes/node-three/update']);
    lose('two');
    await expect(demote()).rejects.toThrow('host-three is the only manager that responds');
  });
});
