import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import type { DeploymentTable } from '../../../db/tables.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import { createLog } from '../../../lib/log.ts';
import { retirement } from './replaced-releases.ts';
import { Surroundings } from './surroundings.ts';

describe.each(databaseKinds)('releases that were replaced and run all the same, on %s', (kind) => {
  let app: TestApp;
  let runtime: ReturnType<typeof createMemoryRuntime>;
  let edge: Edge;
  let underWay: number;
  let clock: number;
  let look: () => Promise<void>;
  beforeEach(async () => {
    app = await startApp(kind);
    [runtime, underWay, clock] = [createMemoryRuntime(), 0, Date.now()];
    edge = { ...createMemoryEdge(), drain: async () => underWay };
    const round = retirement(() => clock);
    const on = { db: app.database.db, parts: { runtime, edge }, log: createLog('silent', 'json'), owner: 'test' };
    look = () => round({ ...on, around: new Surroundings(runtime) });
  });
  afterEach(() => app.close());

  const { newProject, newDeployment } = thingsOf(() => app);
  const set = (id: string, state: Partial<DeploymentTable>) =>
    app.database.db.updateTable('deployments').set(state).where('id', '=', id).execute();
  const make = async (projectId: string, state: Partial<DeploymentTable>, environment = 'production') => {
    const id = await newDeployment(projectId, undefined, { environment });
    await set(id, state);
    const owner = { instanceId: '', organizationId: '', projectId, deploymentId: id, service: 'app', fence: 1 };
    await runtime.start({ kind: 'folder', owner, folder: '', command: '', env: {}, secretKeys: [], user: null });
    return id;
  };
  const stateOf = async (id: string) => (await runtime.find(id))!.state;

  it('are stopped, and nothing else is', async () => {
    const projectId = await newProject();
    const old = await make(projectId, { status: 'ready' });
    const active = await make(projectId, { status: 'ready', active: 1 });
    const alone = await make(projectId, { status: 'ready' }, 'preview');
    const elsewhere = await make(projectId, { status: 'ready', machine: 'another' });
    await look();
    expect(await Promise.all([old, active, alone, elsewhere].map(stateOf))).toEqual([
      'exited',
      'running',
      'running',
      'running',
    ]);
  });

  it('are left to a worker while there is one', async () => {
    const projectId = await newProject();
    const old = await make(projectId, { status: 'ready' });
    const active = await make(projectId, { status: 'ready', active: 1, lease_owner: 'test', lease_until: clock });
    await look();
    expect(await stateOf(old), 'the active one retires it').toBe('running');
    await set(active, { lease_owner: null, lease_until: null });
    const next = await make(projectId, { status: 'deploying' });
    await look();
    expect(await stateOf(old), 'the next one will').toBe('running');
    await set(next, { status: 'failed' });
    // Begun in the very moment in which the last request was answered.
    edge.drain = async () => {
      await set(next, { status: 'building' });
      return 0;
    };
    await look();
    expect(await stateOf(old)).toBe('running');
    edge.drain = async () => 0;
    await set(next, { status: 'failed' });
    await look();
    expect([await stateOf(old), await stateOf(active)]).toEqual(['exited', 'running']);
  });

  it('answer what they have first, for half a minute, and go on while the edge leads to them', async () => {
    const projectId = await newProject();
    const old = await make(projectId, { status: 'ready' });
    await make(projectId, { status: 'ready', active: 1 });
    const target = { type: 'upstream', host: '127.0.0.1', port: 1 } as const;
    const key = `${projectId}/production`;
    await edge.point({ key, fence: 1, routes: [{ host: 'a', path: '/', deploymentId: old, target }] });
    await look();
    expect(await stateOf(old)).toBe('running');
    await edge.remove(key);
    underWay = 1;
    for (let i = 0; i < 3; i++, clock += 10_000) await look();
    expect(await stateOf(old)).toBe('running');
    clock += 1000;
    await look();
    expect(await stateOf(old)).toBe('exited');
  });
});
