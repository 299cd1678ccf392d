import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { inTransaction } from '../../../db/database.ts';
import { selectServer } from '../../servers/port.ts';
import { saveHold } from '../model/hold-store.ts';
import { moveProjects } from './move-projects.ts';

describe.each(databaseKinds)('projects of a cluster on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(kind);
  });
  afterAll(() => app?.close());

  const post = async (path: string, body: object) => {
    type Made = { data: { id: string; organizationId: string }; deployment_id: string };
    const answer = await app.call('POST', path, { token: ownerToken, body });
    expect(answer.text).toContain('"success":true');
    return answer.body as unknown as Made;
  };
  const add = async (name: string) => {
    const { id } = (await post('/api/servers', { name, host: '127.0.0.1', user: 'a', password: 'secret' })).data;
    const row = await app.database.db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return (await selectServer(app.database.db, row.organizationId, id))!;
  };

  it('move to another server with everything that names theirs, unless one is busy', async () => {
    const { db } = app.database;
    const [from, to, other] = [await add('from'), await add('to'), await add('other')];
    const source = { type: 'local', path: newFolder('site') };
    const projectId = (await post('/api/projects', { name: 'web', source, serverId: from.id })).data.id;
    const apart = (await post('/api/projects', { name: 'apart', source, serverId: other.id })).data.id;
    const { deployment_id: id } = await post('/api/deployments/build/access', { projectId, autoStart: false });
    await post('/api/projects/folder/session', { mode: 'server', serverId: from.id });
    await db.insertInto('server_upkeep').values({ serverId: from.id, owner: 'a replica', until: 7 }).execute();
    const removed = { id: 'dep_1', artifactId: 'dep_1', imageDigest: null, serverId: from.id };
    const removal = {
      organizationId: from.organizationId,
      projectId: 'prj_gone',
      volumes: false,
      servers: [null, from.id],
      deployments: [removed],
    };
    const task = { id: 'prj_gone', kind: 'remove_project', owner: 'a replica', createdAt: Date.now() };
    await db
      .insertInto('background_tasks')
      .values({ ...task, details: JSON.stringify(removal) })
      .execute();
    const move = () => inTransaction(db, (trx) => moveProjects(trx, from, to));
    const deployment = () => db.selectFrom('deployments').select(['serverId']).where('id', '=', id).executeTakeFirst();

    await db.updateTable('deployments').set({ status: 'deploying' }).where('id', '=', id).execute();
    await expect(move()).rejects.toThrow(`the deployment ${id} is in progress`);
    expect(await deployment()).toEqual({ serverId: from.id });

    const set = (row: object) => db.updateTable('deployments').set(row).where('id', '=', id).execute();
    await set({ status: 'ready', leaseOwner: 'a worker that cannot end the previous release' });

    const { organizationId } = from;
    const hold = { id: 'hold', organizationId, deploymentId: id, jobId: 'job', how: 'gate' as const, services: [] };
    await saveHold(db, hold);
    await expect(move()).rejects.toThrow('backed up or restored');
    await saveHold(db, { ...hold, isOver: true });

    const adoption = { projectId, organizationId, serverId: from.id, originals: '{}', warnings: null, createdBy: '' };
    await db
      .insertInto('adoptions')
      .values({ ...adoption, state: 'switched', createdAt: 1, updatedAt: 1 })
      .execute();
    await expect(move()).rejects.toThrow('adopts containers on that server');
    await db.updateTable('adoptions').set({ state: 'confirmed' }).execute();

    await move();
    expect(await db.selectFrom('adoptions').select('serverId').execute()).toEqual([{ serverId: to.id }]);
    expect(await deployment()).toEqual({ serverId: to.id });
    const projects = await db.selectFrom('projects').select(['id', 'serverId']).execute();
    expect(new Map(projects.map((each) => [each.id, each.serverId]))).toEqual(
      new Map([
        [projectId, to.id],
        [apart, other.id],
      ]),
    );
    expect(await db.selectFrom('uploads').select('serverId').execute()).toEqual([{ serverId: to.id }]);
    const leases = await db
      .selectFrom('server_upkeep')
      .select(['owner', 'until'])
      .where('serverId', '=', to.id)
      .execute();
    expect(leases).toEqual([{ owner: 'a replica', until: 7 }]);
    const { details } = await db
      .selectFrom('background_tasks')
      .select('details')
      .where('id', '=', 'prj_gone')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(details)).toEqual({
      ...removal,
      servers: [null, to.id],
      deployments: [{ ...removed, serverId: to.id }],
    });
  });
});
