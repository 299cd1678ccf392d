import { afterEach, expect, it } from 'vitest';
import { ownerToken } from '../../../../test/rig/app.ts';
import { instanceKey } from '../../../drivers/edge/edge.ts';
import { createLog } from '../../../lib/log.ts';
import { ReleaseNames } from '../../domains/release-names.ts';
import { RoundInstances } from './round-instances.ts';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { stacksOfRound } from './resting-stacks.ts';
import { repointServices } from './service-routes.ts';

let rig: Restored;
afterEach(() => rig.app.close());

it('shows the URLs of services after their domains change', async () => {
  const entries = [{ name: 'web', image: 'some', ports: ['80'] }];
  rig = await exchanged({ entries, version: '1' }, { entries, version: '2' }, {}, { onStart: () => ({ port: 8080 }) });
  const { app, context, runtime, before, after } = rig;
  const { db } = app.database;
  const set = (id: string, change: { status: 'ready'; active: number }) =>
    db.updateTable('deployments').set(change).where('id', '=', id).execute();
  await set(before, { status: 'ready', active: 0 });
  await set(after, { status: 'ready', active: 1 });
  const parts = { ...context.parts, names: new ReleaseNames(db) };
  const deps = { db, parts, sealer: app.instance.sealer, log: createLog('silent', 'json'), owner: 'test' };
  const round = () => repointServices({ ...deps, around: new RoundInstances(runtime) });
  const urls = async (): Promise<unknown> => {
    const row = await db.selectFrom('deployments').select('urls').where('id', '=', after).executeTakeFirstOrThrow();
    return JSON.parse(row.urls);
  };
  const domains = `/api/projects/${context.deployment.projectId}/domains`;
  const call = (method: string, path: string, body?: object) => app.call(method, path, { token: ownerToken, body });
  const url = (host: string) => parts.edge.url(host);

  for (const key of [instanceKey, 'prj_gone/production']) await parts.edge.point({ key, fence: 1, routes: [] });
  await round();
  const keys = (await parts.edge.list()).map(({ key }) => key);
  expect([instanceKey, 'prj_gone/production'].map((key) => keys.includes(key))).toEqual([true, false]);
  expect(await urls()).toEqual([url('shop.apps.example')]);
  // It moves to another server during a round.
  const all = { ...deps, around: new RoundInstances(runtime) };
  const seen = await stacksOfRound(all);
  await set(after, { status: 'ready', active: 0 });
  await parts.edge.point({ key: 'prj_gone/production', fence: 2, routes: [] });
  await repointServices({ ...all, seen: async () => seen });
  expect((await parts.edge.list()).map(({ key }) => key)).toEqual(keys.filter((key) => key !== 'prj_gone/production'));
  await set(after, { status: 'ready', active: 1 });
  expect((await call('POST', domains, { name: 'a.example.com' })).status).toBe(201);
  await round();
  expect(await urls()).toEqual([url('a.example.com'), url('shop.apps.example')]);
  expect((await parts.edge.list()).flatMap(({ routes }) => routes).map(({ host }) => host)).toContain('a.example.com');
  await call('DELETE', `${domains}/a.example.com`);
  await round();
  expect(await urls()).toEqual([url('shop.apps.example')]);
});
