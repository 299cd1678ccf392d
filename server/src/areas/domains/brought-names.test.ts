import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { projectWith } from '../../../test/rig/domains.ts';
import { newToken, signInOwner } from '../../../test/rig/people.ts';
import { inTransaction } from '../../db/database.ts';
import { newServiceState } from '../deployments/model/stack.ts';

type Domain = {
  name: string;
  environment: string;
  isPrimary: boolean;
  action: { required: boolean; fix: string | null };
};

describe.each(databaseKindsInFull)('domains in deployment requests, on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(kind, { env: { MOORING_BASE_DOMAIN: 'apps.example.net' } });
  });
  afterAll(() => app.close());

  const call = (method: string, path: string, body?: object) => app.call(method, path, { token: ownerToken, body });
  const deploy = (projectId: string, more: object = {}) =>
    call('POST', '/api/deployments/build/access', { projectId, autoStart: false, ...more });
  const withNames = (...names: string[]) => ({ publicEndpoints: names.map((customDomain) => ({ customDomain })) });
  const errorOf = ({ body }: Answer) => (body as unknown as { error: string }).error;
  const idOf = ({ body }: Answer) => (body as unknown as { deployment_id: string }).deployment_id;
  const list = async (id: string) =>
    (await call('GET', `/api/projects/${id}/domains`)).body['data'] as unknown as Domain[];
  const namesOf = async (id: string) => (await list(id)).map(({ name }) => name);
  const remove = (id: string, name: string) => call('DELETE', `/api/projects/${id}/domains/${name}`);
  const deploymentsOf = (id: string) =>
    app.database.db.selectFrom('deployments').selectAll().where('projectId', '=', id).execute();

  it('become domains of the project with an audit entry each, the first one as primary', async () => {
    const id = await projectWith(app, []);
    expect((await deploy(id, withNames('z.brought.example', 'a.brought.example'))).status).toBe(200);
    expect(await list(id)).toMatchObject([
      { name: 'z.brought.example', isPrimary: true },
      { name: 'a.brought.example', isPrimary: false },
    ]);
    type Entry = { target: { name: string }; details: object };
    const audit = await call('GET', '/api/audit?action=domain.added');
    const entries = audit.body['data'] as unknown as Entry[];
    expect(
      entries
        .slice(0, 2)
        .map(({ target }) => target.name)
        .toSorted(),
    ).toEqual(await namesOf(id).then((names) => names.toSorted()));
    expect(entries[0]!.details).toMatchObject({ project: id, by: 'deployment' });
    await deploy(id, withNames('z.brought.example'));
    const after = (await call('GET', '/api/audit?action=domain.added')).body['data'] as unknown as Entry[];
    expect(after, 'nothing was added').toHaveLength(entries.length);
  });

  it('require the permission to add domains', async () => {
    const id = await projectWith(app, ['there.brought.example']);
    const narrow = await newToken(app, await signInOwner(app), ['deployment:write']);
    const asked = (body: object, token: string) =>
      app.call('POST', '/api/deployments/build/access', { token, body: { projectId: id, autoStart: false, ...body } });
    const refused = await asked(withNames('new.brought.example'), narrow);
    expect([refused.status, errorOf(refused)]).toEqual([403, expect.stringContaining('project:write')]);
    const typed = { publicEndpoints: [{ domain: 'new.brought.example', domainType: 'custom' }] };
    expect((await asked(typed, narrow)).status).toBe(403);
    expect(await namesOf(id)).toEqual(['there.brought.example']);
    expect(await deploymentsOf(id)).toEqual([]);
    expect((await asked(withNames('there.brought.example'), narrow)).status, 'one that it has').toBe(200);
    const both = await newToken(app, await signInOwner(app), ['deployment:write', 'project:write']);
    expect((await asked(withNames('new.brought.example'), both)).status).toBe(200);
  });

  it('count towards the limit of the project; a deployment over the limit is rejected before it starts', async () => {
    const id = await projectWith(
      app,
      Array.from({ length: 99 }, (_, i) => `n${i}.many.example`),
    );
    const refused = await deploy(id, withNames('one.many.example', 'two.many.example'));
    expect([refused.status, errorOf(refused)]).toEqual([400, 'a project has at most 100 domains']);
    expect(await deploymentsOf(id)).toEqual([]);
    expect(await namesOf(id)).toHaveLength(99);
    expect((await deploy(id, withNames('one.many.example', 'n1.many.example'))).status).toBe(200);
    expect((await deploy(id, withNames('n2.many.example'))).status, 'one that it has').toBe(200);
  });

  it('stay removed until a request names them again', async () => {
    const id = await projectWith(app, []);
    const name = 'gone.brought.example';
    await call('PATCH', `/api/projects/${id}`, withNames(name));
    const first = idOf(await deploy(id));
    expect(await namesOf(id)).toEqual([name]);
    await remove(id, name);
    expect((await call('POST', `/api/deployments/${first}/redeploy`, {})).status).toBe(200);
    expect(await namesOf(id), 'a redeployment').toEqual([]);
    expect((await deploy(id)).status).toBe(200);
    expect(await namesOf(id), 'a deployment by the settings').toEqual([]);
    expect((await deploy(id, withNames(name))).status).toBe(200);
    expect(await namesOf(id), 'a request that names it').toEqual([name]);
    await remove(id, name);
    await call('POST', `/api/projects/${id}/domains`, { name });
    await app.database.db.deleteFrom('domains').where('name', '=', name).execute();
    expect((await deploy(id)).status).toBe(200);
    expect(await namesOf(id), 'somebody wanted it after it was removed').toEqual([name]);
  });

  it('belong to one environment; the project settings do not add them to another one', async () => {
    const id = await projectWith(app, []);
    await call('PATCH', `/api/projects/${id}`, withNames('one.stage.example'));
    expect((await deploy(id)).status).toBe(200);
    expect((await deploy(id, { environment: 'staging' })).status).toBe(200);
    expect(await list(id)).toMatchObject([{ name: 'one.stage.example', environment: 'production' }]);
    const asked = await deploy(id, { environment: 'staging', ...withNames('one.stage.example') });
    expect([asked.status, errorOf(asked)]).toEqual([409, expect.stringContaining('in the environment production')]);
  });

  it('are skipped on redeployment if another project has them by now', async () => {
    const id = await projectWith(app, []);
    const first = idOf(await deploy(id, withNames('moved.brought.example')));
    await remove(id, 'moved.brought.example');
    await projectWith(app, ['moved.brought.example']);
    await app.database.db.deleteFrom('removed_domains').execute();
    expect((await call('POST', `/api/deployments/${first}/redeploy`, {})).status).toBe(200);
    expect((await deploy(id, withNames('moved.brought.example'))).status).toBe(409);
  });

  it('do not deadlock when two deployments claim the same ones in opposite order', async () => {
    const [one, other] = [await projectWith(app, []), await projectWith(app, [])];
    for (let round = 0; round < 8; round++) {
      const names = Array.from({ length: 12 }, (_, i) => `n${i}.order${round}.example`);
      const wanted = [withNames(...names), withNames(...names.toReversed())];
      const answers = await Promise.all([deploy(one, wanted[0]), deploy(other, wanted[1])]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      await app.database.db.deleteFrom('domains').where('projectId', 'in', [one, other]).execute();
    }
  });

  it('are kept in a removal list of limited length', async () => {
    const id = await projectWith(app, []);
    const { organizationId } = await app.database.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await inTransaction(app.database.db, async (trx) => {
      for (let i = 0; i < 510; i++)
        await trx
          .insertInto('removed_domains')
          .values({ organizationId, projectId: id, name: `n${i}.example`, removedAt: i })
          .execute();
    });
    await call('POST', `/api/projects/${id}/domains`, { name: 'last.removed.example' });
    await remove(id, 'last.removed.example');
    const kept = await app.database.db
      .selectFrom('removed_domains')
      .select('name')
      .where('projectId', '=', id)
      .execute();
    expect(kept).toHaveLength(500);
    expect(kept.map(({ name }) => name)).toContain('last.removed.example');
    expect(kept.map(({ name }) => name)).not.toContain('n0.example');
  });

  it.each([
    ['an app', [{ port: 3000 }, { port: 4000, customDomain: 'port.example.com' }], 'an app has one port'],
    [
      'one service',
      [
        { service: 'web', port: 80 },
        { service: 'web', port: 81, targetPath: '/x' },
      ],
      'web has one port',
    ],
  ])('cannot route to several ports of %s', async (_what, publicEndpoints, sentence) => {
    const id = await projectWith(app, []);
    const refused = await deploy(id, { publicEndpoints });
    expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining(sentence)]);
    expect(await deploymentsOf(id)).toEqual([]);
  });

  it('report a required action when their service is not in the release', async () => {
    const id = await projectWith(app, []);
    const add = (name: string, service: string | null) =>
      call('POST', `/api/projects/${id}/domains`, { name, service });
    await add('web.service.example', 'web');
    await add('api.service.example', 'api');
    await add('usual.service.example', null);
    const actions = async () =>
      Object.fromEntries((await list(id)).map(({ name, action }) => [name.split('.')[0], action]));
    expect(await actions(), 'nothing is deployed').toMatchObject({ api: { required: false } });
    const deployment = idOf(await deploy(id));
    const services = [
      { ...newServiceState('web'), status: 'ready' },
      { ...newServiceState('worker'), status: 'ready' },
      { ...newServiceState('api'), status: 'removed' },
    ];
    await app.database.db
      .updateTable('deployments')
      .set({ status: 'ready', active: 1, stack: 'sealed', services: JSON.stringify(services) })
      .where('id', '=', deployment)
      .execute();
    expect(await actions()).toMatchObject({
      web: { required: false },
      usual: { required: false },
      api: {
        required: true,
        message: 'api.service.example is not served: the release has no service api',
        fix: expect.stringContaining('one of web, worker') as string,
      },
    });
  });
});
