import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { owner, thingsOf } from '../../../../test/rig/things.ts';
import type { Drivers } from '../../../app.ts';
import type { Parts } from '../model/parts.ts';
import { bringBackVolume, selectVolumes } from '../model/volume-store.ts';
import { purgeVolumes } from '../upkeep/volumes.ts';

/** Volumes of an app deployed by 0.1.0, which named them after a deployment. */
const unnamed = ['mooring-dep_1.app-0', 'mooring-dep_1.app-1'];

describe.each(databaseKinds)('removed volumes, on %s', (kind) => {
  let app: TestApp;
  let path: string;
  let project: string;
  /** Name of a volume that the engine has for this project's production. */
  let made: string | undefined;
  /** Hook that runs when the engine lists its volumes. */
  let onList: () => Promise<unknown> = async () => {};
  const services = {
    volumes: async () => {
      await onList();
      const named = made === undefined ? [] : [{ id: 'mooring-1', stack: `${project}/production`, name: made }];
      const old = unnamed.map((id) => ({ id, stack: null, name: null, deploymentId: 'dep_1' }));
      return [...named, ...old].map((each) => ({ ...each, createdAt: null }));
    },
    volumeSizes: async () => new Map(),
    removeVolume: async () => true,
  };
  const { post, get, newProject } = thingsOf(() => app);
  beforeEach(async () => {
    onList = async () => {};
    made = undefined;
    app = await startApp(kind, { drivers: { ...memoryDrivers(), containers: { services } } as unknown as Drivers });
    project = await newProject();
    path = `/api/projects/${project}/volumes`;
  });
  afterEach(() => app.close());

  const add = async (name: string, more: object = {}) => {
    const { status, body } = await post(path, { name, path: `/${name}`, ...more });
    return { status, body: body as { error?: string; details?: { field: string }[] } };
  };
  const remove = (name: string, query = '') => app.call('DELETE', `${path}/${name}${query}`, owner);
  const rows = async () => {
    const { organizationId } = await app.database.db
      .selectFrom('projects')
      .select('organizationId')
      .where('id', '=', project)
      .executeTakeFirstOrThrow();
    return selectVolumes(app.database.db, { organizationId, projectId: project });
  };
  /** Removed with its data, which upkeep has not deleted yet. */
  const removedWithData = async (name: string) => {
    await add(name);
    await remove(name);
    await app.database.db.updateTable('volumes').set({ purge: 1 }).where('name', '=', name).execute();
  };

  it('cannot be added again while their data is being deleted', async () => {
    await removedWithData('uploads');
    expect(await add('uploads')).toMatchObject({
      status: 409,
      body: { error: 'The data of uploads is still being deleted. Try again in a few seconds.' },
    });
    expect((await get(`${path}?orphans=true`)).body).toMatchObject({
      data: [{ name: 'uploads', deleting: true }, { deleting: false }, { deleting: false }],
    });
    expect(await rows()).toMatchObject([{ name: 'uploads', purge: 1 }]);
  });

  it('are listed as kept data only if a release has mounted them', async () => {
    for (const name of ['mounted', 'added-by-mistake']) {
      await add(name);
      await remove(name);
    }
    made = 'mounted';
    const { data } = (await get(`${path}?orphans=true`)).body as unknown as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['mounted', ...unnamed]);
  });

  it('cannot be restored once the deletion has started', async () => {
    await removedWithData('uploads');
    const [row] = await rows();
    const outcomes: boolean[] = [];
    const { db } = app.database;
    onList = async () => outcomes.push(await bringBackVolume(db, row!, {}, { untilClaimed: true }));
    const folders = { volume: () => '/nowhere', volumeInEngine: () => '/nowhere', volumeDraft: () => '/nowhere' };
    const parts = { server: null, containers: { services }, folders } as unknown as Parts;
    await purgeVolumes({ db, sealer: app.instance.sealer, parts });
    expect([outcomes, await rows()]).toEqual([[false], []]);
  });

  it('keep their data: the name cannot get other data with from', async () => {
    await add('uploads');
    await remove('uploads');
    const { status, body } = await add('uploads', { from: unnamed[0] });
    expect([status, body.error]).toEqual([409, expect.stringMatching(/^The removed volume uploads still has data/)]);
    expect(await rows()).toMatchObject([{ name: 'uploads', engineId: null, removedAt: expect.any(Number) }]);
  });

  it('do not block each other if the data of one cannot be deleted', async () => {
    for (const name of ['broken', 'fine']) await removedWithData(name);
    const folders = {
      volume: (_project: string, _environment: string, name: string) => {
        if (name === 'broken') throw new Error('the disk is read-only');
        return '/nowhere';
      },
      volumeInEngine: () => '/nowhere',
      volumeDraft: () => '/nowhere',
    };
    const parts = { server: null, containers: { services }, folders } as unknown as Parts;
    const purge = purgeVolumes({ db: app.database.db, sealer: app.instance.sealer, parts });
    await expect(purge).rejects.toThrow('the disk is read-only');
    expect((await rows()).map(({ name }) => name)).toEqual(['broken']);
    await add('mine');
    expect((await remove('mine', '?data=delete')).status, 'nobody else waits for it').toBe(200);
    expect((await rows()).map(({ name }) => name)).toEqual(['broken']);
  });

  it('have data that no other volume can take over', async () => {
    const [from, other] = unnamed;
    expect((await add('files', { from })).status).toBe(201);
    for (const _ of ['mounted', 'removed']) {
      const { status, body } = await add('again', { from });
      expect([status, body.details?.[0]?.field]).toEqual([400, 'from']);
      await remove('files');
    }
    expect((await add('files', { from })).status, 'its own name').toBe(201);
    expect((await add('again', { from: other })).status).toBe(201);
    expect(await rows()).toMatchObject([
      { name: 'again', engineId: other },
      { name: 'files', engineId: from, removedAt: null },
    ]);
  });

  it('can be mounted elsewhere, but not in place of a compose volume', async () => {
    expect((await add('data')).status).toBe(201);
    made = 'data';
    const change = (name: string, to: string) => app.call('PATCH', `${path}/${name}`, { ...owner, body: { path: to } });
    expect(await change('data', '/elsewhere')).toMatchObject({ status: 200, body: { data: { path: '/elsewhere' } } });
    made = 'rows';
    expect((await add('rows')).body.error).toBe('name: rows is a volume of the compose file');
  });

  it('cannot be at the path of a file', async () => {
    const advice = 'let the app write the file to a folder of its own, such as data';
    for (const file of ['/app/db.sqlite3', 'data/app.db/', 'settings.JSON'])
      expect(await add('data', { path: file }), file).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(advice), details: [{ field: 'path' }] },
      });
    expect(await rows()).toEqual([]);
    for (const [index, folder] of ['/etc/app.d', '.db', '/srv/v1.2'].entries())
      expect((await add(`data-${index}`, { path: folder })).status, folder).toBe(201);
    expect((await app.call('PATCH', `${path}/data-0`, { ...owner, body: { path: '/app/a.db' } })).status).toBe(400);
  });

  const counted = (answers: { status: number }[]) =>
    Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));

  it('are added once by concurrent requests for the same name or path', async () => {
    const names = await Promise.all(Array.from({ length: 4 }, () => add('data')));
    expect(counted(names)).toEqual({ 201: 1, 400: 3 });
    const paths = await Promise.all(['a', 'b', 'c'].map((name) => add(name, { path: '/srv/files' })));
    expect(counted(paths)).toEqual({ 201: 1, 400: 2 });
    expect(await rows()).toHaveLength(2);
  });

  it('are not added concurrently with a scale-up', async () => {
    const scale = () => post(`/api/projects/${project}/scale`, { replicas: 3 });
    const [added, scaled] = await Promise.all([add('data'), scale()]);
    expect([
      [201, 400],
      [400, 202],
    ]).toContainEqual([added.status, scaled.status]);
  });
});
