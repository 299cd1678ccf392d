import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import type { GitHostRig } from '../../../test/rig/githost.ts';
import { foreignOrganization, join, type Person } from '../../../test/rig/people.ts';
import type { Route } from '../../http/define-route.ts';
import { type Action, actions, withImplied } from '../../http/permission.ts';
import { accountsOf, connectAccount, get, namesOf, owner, startHost, startWithHost, statusOf } from './githost-rig.ts';

const prefix = '/api/githost/repos/:owner/:repo';
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const actionOf = ({ permission }: Route) => permission.split(':')[1] as Action;
/** Body that satisfies all routes. */
const anyBody = { hookId: 1 };
const implies = (granted: Action, wanted: Action) => withImplied([`githost:${granted}`]).has(`githost:${wanted}`);

describe.each(databaseKindsInFull)('visibility of the git host on %s', (kind) => {
  let host: GitHostRig;
  let app: TestApp;
  let person: Person;
  let made = 0;
  beforeAll(async () => {
    host = await startHost();
    app = await startWithHost(kind, host);
    await connectAccount(app, host);
    person = await join(app, 'restricted@example.com', 'restricted');
  });
  afterAll(async () => {
    await app.close();
    await host.stop();
  });

  const grant = async (...grants: [id: string, ...actions: Action[]][]) => {
    const body = { grants: grants.map(([id, ...granted]) => ({ resource: 'repository', id, actions: granted })) };
    const { status, text } = await app.call('PUT', `/api/members/${person.memberId}/grants`, { ...owner, body });
    if (status !== 200) throw new Error(text);
  };
  const call = (route: Route, name: string, cookie = person.cookie): Promise<Answer> =>
    app.call(route.method, route.path.replace(':owner/:repo', name), {
      cookie,
      ...(route.method !== 'GET' && { body: anyBody }),
    });
  const ofRepositories = () => app.routes.filter(({ path }) => path.startsWith(prefix));
  const newRepository = async (ownedBy = 'team') => {
    const body = { name: `${kind}-${++made}`, owner: ownedBy };
    const { status, text } = await app.call('POST', '/api/githost/repos', { ...owner, body });
    if (status !== 201) throw new Error(text);
    return `${ownedBy}/${body.name}`;
  };

  it('covers every repository route', () => {
    expect(ofRepositories().map(nameOf)).toEqual(
      expect.arrayContaining([
        `GET ${prefix}`,
        `DELETE ${prefix}`,
        `GET ${prefix}/branches`,
        `GET ${prefix}/clone-token`,
        `GET ${prefix}/files`,
        `GET ${prefix}/file`,
      ]),
    );
  });

  it.each(actions)('opens exactly what a grant of %s allows, on every route', async (granted) => {
    for (const route of ofRepositories()) {
      const name = await newRepository();
      // The other grant passes the route's permission, so that only the repository grant decides.
      await grant([name.toUpperCase(), granted], ['octo/mine', 'admin']);
      const expected = implies(granted, actionOf(route)) ? 'done' : 'refused';
      const { status, text } = await call(route, name);
      const found =
        status === 403
          ? 'refused'
          : status === 404 && !/not there|does not exist at|webhook not found/.test(text)
            ? text
            : 'done';
      expect([nameOf(route), granted, found]).toEqual([nameOf(route), granted, expected]);
    }
  });

  it('reports repositories without a grant as not found, on every route', async () => {
    await grant(['team/shop', 'admin'], ['octo/*', 'admin'], ['nobody/*', 'admin']);
    for (const route of ofRepositories())
      for (const name of ['team/docs', 'TEAM/DOCS', 'team/shop2', 'rivals/secret', 'rivals/open', 'nobody/x']) {
        const { status, body } = await call(route, name);
        expect([nameOf(route), name, status, body['error']]).toEqual([
          nameOf(route),
          name,
          404,
          'repository not found',
        ]);
      }
    expect((await get(app, '/repos/team/docs')).status, 'nothing was deleted').toBe(200);
  });

  it('checks the current name of a renamed repository', async () => {
    host.gaps.renamed.set('/repos/team/old', '/repos/team/docs');
    await grant(['team/old', 'admin'], ['octo/mine', 'admin']);
    for (const route of ofRepositories())
      expect([nameOf(route), (await call(route, 'team/old')).status]).toEqual([nameOf(route), 404]);
    expect((await get(app, '/repos/team/docs')).status).toBe(200);
    await grant(['team/docs', 'read']);
    const found = await get(app, '/repos/team/old', { cookie: person.cookie });
    expect(found.body).toMatchObject({ data: { fullName: 'team/docs' } });
  });

  it('lists only granted repositories and their accounts', async () => {
    const who = { cookie: person.cookie };
    const home = async () => (await get(app, '/home', who)).body as unknown as { repos: { fullName: string }[] };
    await grant(['TEAM/shop', 'list', 'read']);
    expect(namesOf(await get(app, '/repos', who))).toEqual(['team/shop']);
    expect(namesOf(await get(app, '/repos?owner=octo', who))).toEqual([]);
    expect(namesOf(await get(app, '/orgs/team/repos', who))).toEqual(['team/shop']);
    expect((await get(app, '/orgs/rivals/repos', who)).status).toBe(404);
    expect((await get(app, '/orgs/octo/repos', who)).status).toBe(404);
    expect((await home()).repos.map(({ fullName }) => fullName)).toEqual(['team/shop']);
    expect(accountsOf(await statusOf(app, who))).toEqual(['team app,oauth']);
    await grant(['octo/*', 'list', 'read']);
    expect(namesOf(await get(app, '/repos', who))).toEqual(['octo/mine', 'octo/unselected']);
    expect(accountsOf(await statusOf(app, who))).toEqual(['octo app,oauth']);
    await grant(['octo/mine', 'read'], ['server/x', 'list']);
    expect(namesOf(await get(app, '/repos', who)), 'read is not list').toEqual([]);
    expect((await home()).repos.map(({ fullName }) => fullName)).toEqual(['octo/mine']);
  });

  it('lets restricted members create repositories only with a grant on all of the owner', async () => {
    const create = (body: object) => app.call('POST', '/api/githost/repos', { cookie: person.cookie, body });
    await grant(['team/shop', 'admin'], ['octo/*', 'read']);
    expect((await create({ name: 'x', owner: 'team' })).status).toBe(403);
    expect((await create({ name: 'shop', owner: 'team' })).status).toBe(403);
    expect((await create({ name: 'x', owner: 'octo' })).status).toBe(403);
    expect((await create({ name: 'x', owner: 'rivals' })).status).toBe(404);
    expect((await create({ name: 'x' })).status).toBe(400);
    await grant(['Team/*', 'write']);
    expect(await create({ name: `${kind}-own`, owner: 'team' })).toMatchObject({
      status: 201,
      body: { data: { fullName: `team/${kind}-own`, private: true } },
    });
  });

  it('does not let restricted members connect or disconnect', async () => {
    await grant(['team/*', 'admin']);
    for (const path of ['connect', 'disconnect'])
      expect((await app.call('POST', `/api/githost/${path}`, { cookie: person.cookie, body: {} })).status).toBe(403);
    expect((await statusOf(app)).state).toBe('connected');
  });

  it("gives other organizations no access through this one's connections", async () => {
    const stranger = await foreignOrganization(app);
    const as = { token: stranger.token };
    for (const route of ofRepositories()) {
      const { status } = await app.call(route.method, route.path.replace(':owner/:repo', 'team/shop'), {
        ...as,
        ...(route.method !== 'GET' && { body: anyBody }),
      });
      expect([nameOf(route), [400, 409]]).toEqual([nameOf(route), expect.arrayContaining([status])]);
    }
    expect(await statusOf(app, as)).toMatchObject({ state: 'disconnected', accounts: [] });
    expect((await get(app, '/home', as)).body).toEqual({ state: 'disconnected', accounts: [], repos: [] });
    await connectAccount(app, host, 'rita', as);
    expect((await get(app, '/repos/team/shop', as)).status).toBe(404);
    expect((await get(app, '/repos/rivals/secret', as)).status).toBe(200);
    expect((await get(app, '/repos/rivals/secret', { token: ownerToken })).status).toBe(404);
  });

  it('removes the grants of a deleted repository', async () => {
    const name = await newRepository();
    await grant([name.toUpperCase(), 'admin'], ['octo/mine', 'read']);
    expect((await app.call('DELETE', `/api/githost/repos/${name}`, { cookie: person.cookie })).status).toBe(200);
    expect((await get(app, `/repos/${name}`)).status).toBe(404);
    const { grants } = await app.database.db
      .selectFrom('members')
      .select('grants')
      .where('id', '=', person.memberId)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(grants)).toMatchObject([{ id: 'octo/mine' }]);
  });
});
