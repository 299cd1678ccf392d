import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import type { ImageRelease } from '../../../drivers/runtime/runtime.ts';
import { createLog } from '../../../lib/log.ts';
import { containerKey, statesOf } from '../model/stack.ts';
import { ReplicaUpkeep } from './replicas.ts';
import { Surroundings } from './surroundings.ts';

let rig: Restored | undefined;
afterEach(() => rig?.app.close());

it('takes replicas that the edge does not lead to for unproven after a restart of the service', async () => {
  const web = [{ name: 'web', image: 'some' }];
  rig = await exchanged({ entries: web, version: 'v1' }, { entries: web, version: 'v2' }, {});
  const { app, runtime, before, after, context } = rig;
  const { db } = app.database;
  await db.deleteFrom('deployments').where('id', '=', after).execute();
  const row = await db.selectFrom('deployments').selectAll().where('id', '=', before).executeTakeFirstOrThrow();
  expect(statesOf(row)).toMatchObject([{ name: 'web', runsOf: before }]);
  await db
    .updateTable('projects')
    .set({ settings: JSON.stringify({ replicas: 1, scale: { web: 3 } }) })
    .where('id', '=', row.projectId)
    .execute();
  await runtime.restart(before, 'web');
  const spec = { ...(runtime.releases.get(`${before}/web`) as ImageRelease), listensOn: 80 };
  for (const [replica, port] of [
    [2, 7002],
    [3, 7003],
  ] as const)
    await runtime.start({ ...spec, port, owner: { ...spec.owner, replica } });
  const edge = createMemoryEdge();
  const others = [{ host: '127.0.0.1', port: 7002 }];
  const target = { type: 'upstream' as const, host: '127.0.0.1', port: 1, others };
  const route = { host: 'shop.localhost', path: '/', deploymentId: containerKey(before, 'web'), target };
  await edge.point({ key: `${row.projectId}/production`, fence: 1, routes: [route] });
  const upkeep = new ReplicaUpkeep(() => {});
  const parts = { ...context.parts, server: null, runtime, edge };
  await upkeep.startMissing({
    db,
    sealer: app.instance.sealer,
    log: createLog('silent', 'json'),
    owner: 'test',
    parts,
    around: new Surroundings(runtime),
  });
  const all = (await runtime.list()).filter(({ owner }) => owner.deploymentId === before);
  const readiness = all.map((each) => `${each.owner.replica ?? 1} ${upkeep.isReady(each)}`);
  expect(readiness.toSorted()).toEqual(['1 true', '2 true', '3 false']);
});
