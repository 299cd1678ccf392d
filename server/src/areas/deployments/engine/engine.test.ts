import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { until } from '../../../../test/rig/until.ts';
import { inTransaction } from '../../../db/database.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { appendEvents, EventLog, LostLeaseError } from '../../../events/event-log.ts';
import { cancelQueued } from '../requests/create.ts';
import { claimNextDeployment, renewLease, updateUnderFence } from '../model/queue.ts';
import type { DeploymentRow } from '../model/store.ts';
import { keptArtifacts } from '../rollout/tidy.ts';

describe.each(databaseKinds)('deployment engine on %s', (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
  });
  afterEach(() => app.close());

  const post = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });
  const site = () => {
    const folder = newFolder('site');
    writeFileSync(join(folder, 'index.html'), '<p>hello</p>');
    return folder;
  };
  const newProject = async (name: string, fields: object = {}) =>
    (await post('/api/projects', { name, source: { type: 'local', path: site() }, ...fields })).body as unknown as {
      data: { id: string };
    };
  const queue = async (projectId: string, environment = 'production') =>
    (
      (await post('/api/deployments/build/access', { projectId, environment })).body as unknown as {
        deployment_id: string;
      }
    ).deployment_id;
  const row = (id: string) =>
    app.database.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const claim = (owner: string, held: string[] = []) => claimNextDeployment(app.database.db, kind, owner, held);

  it("gives a deployment to one worker, and the project's next one when it ends", async () => {
    const { data } = await newProject('one');
    const [first, second] = [await queue(data.id), await queue(data.id)];
    const preview = await queue(data.id, 'preview');
    const claims = await Promise.all([claim('a'), claim('b'), claim('c'), claim('d')]);
    expect(new Set(claims.filter(Boolean).map((each) => each!.id))).toEqual(new Set([first, preview]));
    expect(await claim('e')).toBeUndefined();
    const held = claims.find((each) => each?.id === first)!;
    await updateUnderFence(app.database.db, first, held.fence, { status: 'ready', leaseOwner: null, leaseUntil: null });
    expect((await claim('e'))?.id).toBe(second);
  });

  it('takes over after the lease expires, and fences off the old worker', async () => {
    const { data } = await newProject('taken');
    const id = await queue(data.id);
    const dead = (await claim('dead'))!;
    expect(await claim('other'), 'while the lease lasts').toBeUndefined();
    await app.database.db
      .updateTable('deployments')
      .set({ leaseUntil: Date.now() - 1000 })
      .where('id', '=', id)
      .execute();
    const next = (await claim('other'))!;
    expect(next.id).toBe(id);
    expect(next.fence).toBeGreaterThan(dead.fence);
    expect(await updateUnderFence(app.database.db, id, dead.fence, { status: 'ready' })).toBe(false);
    expect(await renewLease(app.database.db, kind, id, dead.fence)).toBeUndefined();
    const events = new EventLog(app.database.db);
    events.add(id, dead.fence, 'log', { line: 'from the dead' });
    await expect(events.flush(id)).rejects.toThrow(LostLeaseError);
    expect((await row(id)).status).toBe('building');
  });

  it('resumes its own deployments at once after a restart', async () => {
    const { data } = await newProject('own');
    const id = await queue(data.id);
    await claim('me');
    expect((await claim('me'))?.id).toBe(id);
    expect(await claim('me', [id]), 'not with what it holds').toBeUndefined();
  });

  it('numbers events without gaps under concurrent writes', async () => {
    const { data } = await newProject('numbered');
    const id = await queue(data.id);
    const { fence } = (await claim('me'))!;
    const logs = [new EventLog(app.database.db), new EventLog(app.database.db)];
    for (let i = 0; i < 900; i++) logs[i % 2]!.add(id, fence, 'log', { line: `line ${i}` });
    await Promise.all(logs.map((log) => log.flush(id)));
    const stored = await logs[0]!.read(id, 0, 2000);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
    expect(stored.filter(({ type }) => type === 'log')).toHaveLength(900);
    expect((await row(id)).lastSeq).toBe(stored.length);
  });

  it('cancels a queued deployment with an end event, but not a started one', async () => {
    const { data } = await newProject('cancelled');
    const id = await queue(data.id);
    const cancel = () =>
      inTransaction(app.database.db, (trx) =>
        cancelQueued(trx, orgOf()!, id, { code: 'superseded', message: 'newer' }),
      );
    const { organizationId } = await row(id);
    const orgOf = () => organizationId;
    expect(await cancel()).toBe(true);
    expect(await cancel()).toBe(false);
    const types = (await new EventLog(app.database.db).read(id, 0, 10)).map(({ type }) => type);
    expect(types).toEqual(['status', 'status', 'end']);
    expect(JSON.parse((await row(id)).error!)).toMatchObject({ code: 'superseded' });
  });

  it('gives a deployment that is bound to one replica only to that replica', async () => {
    const { data } = await newProject('bound');
    const id = await queue(data.id);
    await app.database.db.updateTable('deployments').set({ machine: 'b' }).where('id', '=', id).execute();
    expect(await claim('a')).toBeUndefined();
    expect((await claim('b'))?.id).toBe(id);
    await app.database.db.updateTable('deployments').set({ leaseUntil: 0 }).where('id', '=', id).execute();
    expect(await claim('a'), 'nor after its lease').toBeUndefined();
    const info = await app.call('GET', `/api/deployments/${id}/info`, { token: ownerToken });
    expect([info.status, info.body]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
  });

  it('gives an address to one project only', async () => {
    const { data: shop } = await newProject('shop');
    const access = (projectId: string, environment: string) =>
      post('/api/deployments/build/access', { projectId, environment });
    expect((await access(shop.id, 'beta')).status).toBe(200);
    expect((await access(shop.id, 'beta')).status, 'its own').toBe(200);
    const { data: other } = await newProject('shop-beta');
    expect((await access(other.id, 'production')).status, 'another address').toBe(200);
    const taken = await post('/api/projects', { name: 'Mine', slug: 'shop' });
    expect([taken.status, taken.body['error']]).toEqual([409, 'there is a slug shop already']);
    const names = await app.database.db.selectFrom('host_names').select(['name', 'projectId']).execute();
    expect(names.find(({ name }) => name === 'shop--beta')?.projectId).toBe(shop.id);
    expect(names.find(({ name }) => name === 'shop-beta')?.projectId).toBe(other.id);
    const { data: first } = await newProject('a');
    expect((await access(first.id, `x${'y'.repeat(30)}`)).status).toBe(200);
    const { data: long } = await newProject('l'.repeat(48));
    expect((await access(long.id, 'preview-of-something')).status, 'no label is longer than 63').toBe(400);
  });

  it('rejects deployments in a project that is being deleted', async () => {
    const { data } = await newProject('leaving');
    await app.database.db.updateTable('projects').set({ deletingAt: 1 }).where('id', '=', data.id).execute();
    expect((await post('/api/deployments/build/access', { projectId: data.id })).status).toBe(409);
    expect((await app.call('DELETE', `/api/projects/${data.id}`, { token: ownerToken })).status).toBe(200);
  });

  it('does not reuse the number of a deleted project', async () => {
    const numberOf = async (name: string) => {
      const { data } = await newProject(name);
      const project = await app.database.db
        .selectFrom('projects')
        .select('number')
        .where('id', '=', data.id)
        .executeTakeFirstOrThrow();
      return { id: data.id, number: project.number };
    };
    const second = await numberOf('n2');
    await app.call('DELETE', `/api/projects/${second.id}`, { token: ownerToken });
    expect((await numberOf('n3')).number).toBe(second.number + 1);
  });

  it('rejects events of a deleted deployment', async () => {
    const append = inTransaction(app.database.db, (trx) =>
      appendEvents(trx, 'dep_none', [{ type: 'log', at: 1, data: {} }]),
    );
    await expect(append).rejects.toThrow(LostLeaseError);
  });

  it('keeps artifacts for the rollback window and pins, and removes the rest', async () => {
    await app.close();
    const drivers = memoryDrivers();
    app = await startApp(kind, { drivers });
    await app.deployments.start();
    const { data } = await newProject('tidy', { rollbackWindow: 2 });
    const ids: string[] = [];
    const finish = async () => {
      const id = await queue(data.id);
      await until('it is ready', async () => (await row(id)).status === 'ready' && (await row(id)).leaseOwner === null);
      ids.push(id);
    };
    await finish();
    const said = (await new EventLog(app.database.db).read(ids[0]!, 0, 100)).filter(({ type }) => type === 'status');
    expect(said.map(({ data: text }) => (JSON.parse(text) as { status: string }).status)).toEqual([
      'queued',
      'building',
      'deploying',
      'ready',
    ]);
    await post(`/api/deployments/${ids[0]}/pin`, {});
    for (let i = 0; i < 4; i++) await finish();
    const kept = await Promise.all(ids.map(async (id) => (await row(id)).artifactKept));
    expect(kept, 'pinned, two before the active one, the active one').toEqual([1, 0, 1, 1, 1]);
    const edge = await drivers.edge.list();
    const { folder } = edge[0]!.routes[0]!.target as { folder: string };
    expect(existsSync(join(folder, 'index.html'))).toBe(true);
    expect(edge[0]!.routes[0]!.deploymentId).toBe(`${ids[4]}/app`);
  });

  it.each([new EngineAwayError('the connection was lost'), new Error('removal is already in progress')])(
    'tidies again after a removal that failed once: %s',
    async (failure) => {
      await app.close();
      const drivers = memoryDrivers();
      const remove = drivers.runtime.remove.bind(drivers.runtime);
      const removed: string[] = [];
      drivers.runtime.remove = async (id, service) => {
        await remove(id, service);
        if (removed.push(id) === 1) throw failure;
      };
      app = await startApp(kind, { drivers });
      await app.deployments.start();
      const { data } = await newProject('tidied', { rollbackWindow: 1 });
      const [first, , third] = [await queue(data.id), await queue(data.id), await queue(data.id)];
      await until('the third is done', async () => {
        const { status, leaseOwner } = await row(third);
        return status === 'ready' && leaseOwner === null;
      });
      expect(removed).toEqual([first, first]);
      expect((await row(first)).artifactKept).toBe(0);
    },
  );
});

it('keeps artifacts of each environment, not deployments: a rollback shares its artifact', () => {
  const make = (id: string, artifact: string, more: Partial<DeploymentRow> = {}) =>
    ({
      id,
      artifactId: artifact,
      environment: 'production',
      active: 0,
      pinned: 0,
      finishedAt: 1,
      status: 'ready',
      ...more,
    }) as DeploymentRow;
  const staging = { environment: 'staging' };
  const newestFirst = [
    make('s3', 's3', { ...staging, active: 1 }),
    make('s2', 's2', staging),
    make('s1', 's1', staging),
    make('d5', 'd1', { active: 1 }),
    make('d4', 'd4', { status: 'failed' }),
    make('d3', 'd3'),
    make('d2', 'd2'),
    make('d1', 'd1'),
  ];
  expect([...keptArtifacts(newestFirst, 1)].toSorted()).toEqual(['d1', 'd3', 's2', 's3']);
});
