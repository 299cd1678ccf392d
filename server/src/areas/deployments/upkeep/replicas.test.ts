import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import type { ImageRelease } from '../../../drivers/runtime/runtime.ts';
import { createLog } from '../../../lib/log.ts';
import { containerKey, serviceStatesOf } from '../model/stack.ts';
import { ReplicaUpkeep } from './replicas.ts';
import { RoundInstances } from './round-instances.ts';

let rig: Restored | undefined;
afterEach(() => rig?.app.close());

it('treats replicas without a route as unchecked after a restart of Mooring', async () => {
  const web = [{ name: 'web', image: 'some' }];
  rig = await exchanged({ entries: web, version: 'v1' }, { entries: web, version: 'v2' }, {});
  const { app, runtime, before, after, context } = rig;
  const { db } = app.database;
  await db.deleteFrom('deployments').where('id', '=', after).execute();
  const row = await db.selectFrom('deployments').selectAll().where('id', '=', before).executeTakeFirstOrThrow();
  expect(serviceStatesOf(row)).toMatchObject([{ name: 'web', runsOf: before }]);
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
    around: new RoundInstances(runtime),
  });
  const all = (await runtime.list()).filter(({ owner }) => owner.deploymentId === before);
  const readiness = all.map((each) => `${each.owner.replica ?? 1} ${upkeep.isReady(each)}`);
  expect(readiness.toSorted()).toEqual(['1 true', '2 true', '3 false']);
});

type Scales = Record<string, number>;

/** Returns an active release with services scaled to these numbers, and the upkeep of their replicas. */
async function scaled(scale: Scales, options: Parameters<typeof exchanged>[3] = {}) {
  const entries = Object.keys(scale).map((name) => ({ name, image: 'some' }));
  rig = await exchanged({ entries, version: 'v1' }, { entries, version: 'v2' }, {}, options);
  const { app, runtime, before, after, context } = rig;
  const { db } = app.database;
  await db.deleteFrom('deployments').where('id', '=', after).execute();
  const scaleTo = (services: Scales) =>
    db
      .updateTable('projects')
      .set({ settings: JSON.stringify({ replicas: 1, scale: services }) })
      .execute();
  await scaleTo(scale);
  for (const { name } of entries) await runtime.restart(before, name);
  const edge = createMemoryEdge();
  const on = {
    db,
    sealer: app.instance.sealer,
    log: createLog('silent', 'json'),
    owner: 'test',
    parts: { ...context.parts, server: null, runtime, edge },
    around: new RoundInstances(runtime),
  };
  const running = async () =>
    (await runtime.list())
      .filter(({ owner }) => owner.deploymentId === before)
      .map(({ owner }) => `${owner.service} ${owner.replica ?? 1}`)
      .toSorted();
  return { on, edge, running, scaleTo, upkeep: new ReplicaUpkeep(() => {}) };
}

it('starts replicas of a service although those of another one fail to start', async () => {
  const { on, upkeep, running } = await scaled(
    { broken: 2, web: 2 },
    {
      onStart: ({ owner }) => {
        if (owner.service === 'broken' && owner.replica) throw new Error('its image is gone');
        return undefined;
      },
    },
  );
  await upkeep.startMissing(on);
  expect(await running()).toEqual(['broken 1', 'web 1', 'web 2']);
});

it('keeps a draining replica that is wanted again', async () => {
  const { on, edge, upkeep, running, scaleTo } = await scaled({ web: 2 });
  await upkeep.startMissing(on);
  const drained = Promise.withResolvers<number>();
  edge.drain = () => drained.promise;
  await scaleTo({ web: 1 });
  await upkeep.endExtra(on);
  await scaleTo({ web: 2 });
  drained.resolve(0);
  await sleep(200);
  expect(await running()).toEqual(['web 1', 'web 2']);
  await scaleTo({ web: 1 });
  await upkeep.endExtra(on);
  await expect.poll(running).toEqual(['web 1']);
});
