import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import type { ServerAccess, ServerNode } from '../../servers/port.ts';
import type { ContainerParts, Parts } from '../model/parts.ts';
import { type FoundRuntime, type ServerDrivers, ServerMachines } from './server-machines.ts';

type Ssh = ServerAccess & { kind: 'ssh' };

describe('machines of servers', () => {
  let app: TestApp;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    app = await startApp('sqlite');
    const post = async (path: string, body: object) =>
      (await app.call('POST', path, { token: ownerToken, body })).body as unknown as {
        data: { id: string };
        deployment_id: string;
      };
    for (const name of ['one', 'two', 'three']) {
      const machine = { name, host: '192.0.2.1', user: 'root', password: 'not used' };
      ids[name] = (await post('/api/servers', machine)).data.id;
      const source = { type: 'local', path: newFolder('site') };
      const projectId = (await post('/api/projects', { name, source })).data.id;
      const { deployment_id: id } = await post('/api/deployments/build/access', { projectId });
      const kept = { serverId: ids[name], artifactKept: 1 };
      await app.database.db.updateTable('deployments').set(kept).where('id', '=', id).execute();
    }
  });
  afterAll(() => app?.close());

  /** `found`: what each server says of its engine. */
  function stage(runtimes: Record<string, Ssh['runtime']>, found: Record<string, FoundRuntime | Error> = {}) {
    const reports: string[] = [];
    const closed: string[] = [];
    const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id)!;
    const accessTo = (name: string): Ssh => ({
      kind: 'ssh',
      name,
      localFolder: name,
      baseDomain: null,
      edgePort: 80,
      edgeTlsPort: 443,
      runtime: runtimes[name] ?? null,
      use: () => Promise.reject(new Error(name)),
    });
    const driversOf = (name: string): ServerDrivers => ({
      runtime: createMemoryRuntime(),
      containers: {} as ContainerParts,
      edge: createMemoryEdge(),
      homeFolder: () => Promise.resolve('/root'),
      openPort: () => Promise.reject(new Error('nothing runs there')),
      close: async () => void closed.push(name),
      dismantle: async () => {},
    });
    const nodes = Object.keys(found)
      .filter((name) => runtimes[name] === 'swarm')
      .map((name): ServerNode => ({ nodeId: `node ${name}`, serverId: ids[name]!, access: accessTo(name) }));
    const machines = new ServerMachines({
      db: app.database.db,
      here: { folders: { dataDir: newFolder('data') } } as unknown as Parts,
      access: async (_, id) => accessTo(nameOf(id)),
      accessAll: async () => new Map(Object.entries(ids).map(([name, id]) => [id, accessTo(name)])),
      nodes: async () => nodes,
      driversOn: async ({ name }) => driversOf(name),
      async runtimeOn(use) {
        const name = await use(async () => '', {}).catch((error: Error) => error.message);
        const answer = found[name];
        if (answer instanceof Error) throw answer;
        return answer;
      },
      onChange: () => {},
      report: (what, error) => reports.push(`${what}: ${(error as Error).message}`),
    });
    const looked = async () => (await machines.onServers()).map(({ server }) => server!.name).toSorted();
    return { machines, reports, looked, closed };
  }

  it('are not those of nodes, whose edges belong to their cluster', async () => {
    const { looked, machines } = stage({ one: 'swarm', two: 'node', three: 'docker' });
    expect(await looked()).toEqual(['one', 'three']);
    await expect(machines.of({ organizationId: '', serverId: ids['two']! })).rejects.toThrow('two, is a node of');
  });

  it('are left when they become nodes', async () => {
    const runtimes: Record<string, Ssh['runtime']> = { one: 'swarm', two: 'node', three: 'docker' };
    const { looked, closed } = stage(runtimes);
    expect(await looked()).toEqual(['one', 'three']);
    Object.assign(runtimes, { one: 'node', two: 'swarm' });
    expect(await looked()).toEqual(['three', 'two']);
    expect(closed).toEqual(['one']);
  });

  it('are looked after, also if one of them answers nonsense', async () => {
    const { looked, reports } = stage({ one: 'docker', three: 'docker' }, { two: new Error('no leader') });
    expect(await looked()).toEqual(['one', 'three']);
    expect(reports).toEqual([`the server ${ids['two']} is skipped by upkeep: no leader`]);
  });

  it('are not cleaned up if they have become the server of a cluster meanwhile', async () => {
    const { machines, closed } = stage({ two: 'swarm' });
    const seen = { id: ids['two']!, organizationId: '', swarmNodeId: 'node two', runtime: null };
    await expect(machines.leave(seen)).rejects.toThrow('two was changed in the meantime');
    expect(closed).toEqual([]);
  });

  const cluster: FoundRuntime = {
    runtime: 'swarm',
    swarmNodeId: 'node one',
    members: ['node one', 'node two'],
    hasContainers: false,
  };
  const worker = { runtime: 'docker' as const, members: [] };
  const cases: [what: string, found: FoundRuntime, isRefused: boolean][] = [
    ['a worker of the cluster', { ...worker, swarmNodeId: 'node two', hasContainers: false }, true],
    ['a worker of another Swarm', { ...worker, swarmNodeId: 'node x', hasContainers: false }, false],
    ['a worker on which projects run already', { ...worker, swarmNodeId: 'node two', hasContainers: true }, false],
    ['in no Swarm', { ...worker, swarmNodeId: null, hasContainers: false }, false],
  ];
  it.each(cases)('refuse a project on %s only if needed', async (_, two, isRefused) => {
    const { machines } = stage({ one: 'swarm' }, { one: cluster, two });
    const parts = machines.of({ organizationId: '', serverId: ids['two']! });
    if (isRefused) await expect(parts).rejects.toThrow('two is a node of the cluster of one');
    else expect((await parts).server?.name).toBe('two');
  });
});
