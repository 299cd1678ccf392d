import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { folderOf } from '../../../test/rig/deploy.ts';
import { cookieOf, foreignOrganization, newToken, type Person, signIn } from '../../../test/rig/people.ts';
import { until } from '../../../test/rig/until.ts';
import { accountsOf, connect, connectFlowOf, get, namesOf, owner, statusOf } from '../githost/githost-rig.ts';
import type { Caller } from '../../http/caller.ts';
import type { Installations } from '../githost/installations/service.ts';
import { GitHostAppLending } from './githost/lending.ts';
import { browse, homeUrl, type LendingRig, startLending } from './lending-rig.ts';

const dataOf = <T>({ body }: Answer): Readonly<T> => (body as unknown as { data: T }).data;

describe('cloud that lends its app', { timeout: 30_000 }, () => {
  let rig: LendingRig;
  let home: TestApp;
  let rival: TestApp;
  let stranger: Person & { token: string };
  beforeAll(async () => {
    rig = await startLending();
    stranger = await foreignOrganization(rig.cloud);
    home = await rig.home();
    rival = await rig.home(stranger.token);
  }, 60_000);
  afterAll(() => rig?.close());

  const there = (method: string, path: string, token: string, body?: object) =>
    rig.cloud.call(method, `/api/cloud/githost${path}`, { token, ...(body && { body }) });
  const push = (text: string, repository = 'team/shop') =>
    rig.host.git.push(repository, folderOf({ 'index.html': text }), `says ${text}`);
  const deployments = (app: TestApp) => app.database.db.selectFrom('deployments').selectAll().execute();

  it('redirects a browser to install it and back to the instance', async () => {
    const { url, flow } = connectFlowOf(await connect(home, owner));
    expect([flow, new URL(url).pathname]).toEqual(['redirect', '/github-apps/rig-app/installations/new']);
    expect(await statusOf(home)).toMatchObject({ state: 'disconnected', cloudUnreachable: false });
    expect((await browse(rig, url, 'octo')).href).toBe(`${homeUrl}/`);
    await expect(browse(rig, url, 'octo'), 'it works once').rejects.toThrow('Nothing was connected');
    const status = await until('it is known', async () => {
      const found = await statusOf(home);
      return found.state === 'connected' ? found : undefined;
    });
    expect(accountsOf(status!)).toEqual(['octo app', 'team app']);
    expect(status!.installUrl).toBe(`${rig.host.webUrl}/github-apps/rig-app/installations/new`);
    expect((await connect(home, owner)).body).toEqual({ connected: true });
    // A sign-in is enough where it is installed already.
    const signIn = connectFlowOf(await connect(rival, owner, 'oauth')).url;
    expect(new URL(signIn).pathname).toBe('/login/oauth/authorize');
    expect((await browse(rig, signIn, 'rita')).href).toBe(`${homeUrl}/`);
    await until('that too', async () => accountsOf(await statusOf(rival)).join() === 'rivals app');
    const kept = await rig.cloud.database.db.selectFrom('githost_connections').selectAll().execute();
    expect(kept, 'no token of a person').toEqual([]);
  });

  it('asks for consent and accepts it from the same browser only', async () => {
    const { url } = connectFlowOf(await connect(rival, owner, 'oauth'));
    const back = await rig.host.gaps.signIns.agree(url, 'octo');
    const asked = await rig.cloud.call('GET', back.pathname + back.search);
    expect(asked.text).toContain('octo administers octo, team');
    expect(asked.text).toContain(`The organization Second gets access`);
    expect(asked.text).toContain(homeUrl);
    const path = /<a href="([^"]+)"><b>/.exec(asked.text)![1]!;
    const elsewhere = await rig.cloud.call('GET', path);
    expect([elsewhere.status, elsewhere.text]).toEqual([400, expect.stringContaining('another browser')]);
    expect((await rig.cloud.call('GET', path, { cookie: cookieOf(asked.headers) })).status, 'once').toBe(400);
    const { body } = await there('GET', '/installations', stranger.token);
    expect(body, 'nothing came of it').toMatchObject({ data: { installations: [{ id: 72 }] } });
  });

  it('shows why connecting failed, with a link back', async () => {
    const { url } = connectFlowOf(await connect(home, owner, 'app'));
    const state = new URL(url).searchParams.get('state')!;
    const page = await rig.cloud.call('GET', `/api/githost/connect/redirect?state=${state}&error=access_denied`);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(`<a href="${homeUrl}/">`)]);
  });

  it('works like an own app', async () => {
    push('one');
    expect(namesOf(await get(home, '/repos'))).toEqual(expect.arrayContaining(['octo/mine', 'team/docs', 'team/shop']));
    expect(namesOf(await get(rival, '/repos'))).toEqual(expect.arrayContaining(['rivals/secret']));
    for (const path of ['', '/branches', '/files', '/file?file=README.md'])
      expect((await get(home, `/repos/team/shop${path}`)).status, path).toBe(200);
    const handed = await get(home, '/repos/team/shop/clone-token');
    const { token } = handed.body as unknown as { token: string };
    expect([handed.status, rig.host.gaps.mayClone('team/shop', token)]).toEqual([200, true]);
    expect(rig.host.gaps.mayClone('team/docs', token), 'this one repository').toBe(false);
    expect((await get(home, '/repos/rivals/secret')).status).toBe(404);
    expect((await get(rival, '/repos/team/shop/clone-token')).status).toBe(404);
    const before = rig.host.log.filter((line) => line.includes('access_tokens')).length;
    for (let calls = 0; calls < 5; calls++) await get(home, '/repos/team/shop');
    expect(rig.host.log.filter((line) => line.includes('access_tokens')).length, 'kept').toBe(before);
  });

  it("gives no access to other organizations or beyond the token's permissions", async () => {
    const ids = async (token: string) =>
      dataOf<{ installations: { id: number }[] }>(await there('GET', '/installations', token)).installations.map(
        ({ id }) => id,
      );
    expect([await ids(ownerToken), await ids(stranger.token)]).toEqual([[70, 71], [72]]);
    expect((await there('POST', '/installations/70/token', stranger.token, {})).status).toBe(404);
    expect((await there('POST', '/installations/72/token', ownerToken, {})).status).toBe(404);
    for (const id of ['999', '-1', '1.5', 'x', '70x'])
      expect([400, 404], id).toContain((await there('POST', `/installations/${id}/token`, ownerToken, {})).status);
    const cookie = await signIn(rig.cloud, 'owner@example.com', 'correct horse battery');
    const reader = await newToken(rig.cloud, cookie, ['githost:read']);
    const outsider = await newToken(rig.cloud, cookie, ['project:admin', 'deployment:admin']);
    for (const [method, path] of [
      ['GET', '/installations'],
      ['GET', '/deliveries?wait=0'],
      ['POST', '/installations/70/token'],
      ['POST', '/connect'],
    ] as const)
      expect((await there(method, path, outsider, method === 'POST' ? {} : undefined)).status, path).toBe(403);
    const wanted = { source: 'app', returnUrl: homeUrl };
    expect((await there('POST', '/connect', reader, wanted)).status).toBe(403);
    const write = { permissions: { contents: 'write' } };
    expect((await there('POST', '/installations/70/token', reader, write)).status).toBe(403);
    const { token } = dataOf<{ token: string }>(await there('POST', '/installations/70/token', reader, {}));
    expect(rig.host.gaps.tokens.holder(token)?.installation).toMatchObject({
      id: 70,
      permissions: { contents: 'read' },
    });
    for (const returnUrl of ['javascript:alert(1)', 'https://me:pw@x.example', 'nothing', '//x.example', ''])
      expect((await there('POST', '/connect', ownerToken, { ...wanted, returnUrl })).status, returnUrl).toBe(400);
    const audit = (await rig.cloud.call('GET', '/api/audit', { token: ownerToken })).text;
    expect(audit).toContain('"githost.token_lent"');
    expect(audit).not.toContain(token);
  });

  it('rate-limits tokens per organization', async () => {
    const { db } = rig.cloud.database;
    const parts = {
      db,
      gitHost: rig.cloud.instance.drivers.gitHost!,
      installations: {} as Installations,
      callMs: 5000,
    };
    const lending = new GitHostAppLending({ ...parts, perMinute: 2 });
    const callerOf = async (installation: number) => {
      const { organizationId: id } = await db
        .selectFrom('githost_installations')
        .select('organizationId')
        .where('installationId', '=', installation)
        .executeTakeFirstOrThrow();
      const organization = { id, role: 'owner', permissions: new Set(['githost:admin']) };
      return { organization, userId: 'usr', email: 'a@example.com', ip: '' } as unknown as Caller;
    };
    const [mine, theirs] = [await callerOf(70), await callerOf(72)];
    for (let i = 0; i < 2; i++) await lending.token(mine, 70, {});
    const before = rig.host.log.length;
    await expect(lending.token(mine, 70, {})).rejects.toMatchObject({ code: 'rate_limited' });
    expect(rig.host.log.length, 'the host is not asked').toBe(before);
    expect((await lending.token(theirs, 72, {})).value).toBeTruthy();
  });

  const follow = async (app: TestApp, repo: string) => {
    const { id } = dataOf<{ id: string }>(await app.call('POST', '/api/projects', { ...owner, body: { name: repo } }));
    const body = { owner: 'team', repo };
    expect((await app.call('POST', `/api/projects/${id}/link`, { ...owner, body })).status).toBe(200);
    return id;
  };
  const cursorOf = async (app: TestApp) =>
    (await app.database.db.selectFrom('githost_lent').select('cursor').executeTakeFirst())?.cursor;
  const ledgerOf = async (app: TestApp) => dataOf<{ guid: string; status: string }[]>(await get(app, '/deliveries'));

  it('forwards each delivery once to the right instances, also after an outage', async () => {
    for (const app of [rig.cloud, home, rival]) {
      await app.deployments.start();
      app.cloud.start();
    }
    const project = await follow(home, 'shop');
    await until('both ask', async () => (await cursorOf(home)) && (await cursorOf(rival)));
    const [first, second] = [push('two'), push('three')];
    const deployed = (sha: string) =>
      until(`${sha} is deployed`, async () => (await deployments(home)).find((each) => each.commitSha === sha));
    const { seenCommit: before } = await home.database.db
      .selectFrom('project_links')
      .select('seenCommit')
      .executeTakeFirstOrThrow();
    expect(await rig.announcePush({ before: before!, after: first }, 'team/shop', 'guid-1')).toBe(202);
    expect(await deployed(first)).toMatchObject({ projectId: project, trigger: 'push' });
    expect(await rig.announcePush({ before: before!, after: first }, 'team/shop', 'guid-1')).toBe(202);
    await rig.cut();
    expect(await rig.announcePush({ before: first, after: second }, 'team/shop', 'guid-2')).toBe(202);
    await rig.mend();
    await deployed(second);
    expect((await deployments(home)).map((each) => each.commitSha)).toEqual([first, second]);
    expect((await ledgerOf(home)).map(({ guid }) => guid)).toEqual(['guid-2', 'guid-1']);
    expect([await deployments(rig.cloud), await deployments(rival), await ledgerOf(rival)]).toEqual([[], [], []]);
    const read = async (token: string) => {
      const [queue] = (await cursorOf(token === ownerToken ? home : rival))!.split('.');
      return dataOf<{ id: string }[]>(await there('GET', `/deliveries?wait=0&after=${queue}.0`, token));
    };
    expect((await read(ownerToken)).map(({ id }) => id)).toEqual(['guid-1', 'guid-2']);
    expect(await read(stranger.token)).toEqual([]);
    const foreign = await there('GET', `/deliveries?wait=0&after=${(await cursorOf(home))!}`, stranger.token);
    expect(foreign.body, 'the cursor of another queue').toMatchObject({ data: [], missed: true });
  });

  it('polls branches when deliveries were missed', async () => {
    const late = await rig.home();
    expect((await connect(late, owner)).body).toEqual({ connected: true });
    await follow(late, 'shop');
    const { db } = late.database;
    const wait = () =>
      db
        .updateTable('project_links')
        .set({ nextCheckAt: Date.now() + 3_600_000 })
        .execute();
    const isDue = async () =>
      (await db.selectFrom('project_links').select('nextCheckAt').executeTakeFirstOrThrow()).nextCheckAt === 0;
    await wait();
    late.cloud.start();
    await until('from when on it is told, nobody knows what was before', isDue);
    await until('it has got so far', () => cursorOf(late));
    await wait();
    await rig.cloud.database.db
      .updateTable('cloud_queues')
      .set((eb) => ({ lastSeq: eb('lastSeq', '+', 5), droppedSeq: eb('lastSeq', '+', 5) }))
      .execute();
    await rig.cut();
    await rig.mend();
    await until('it is told that something is missing', isDue);
  });

  it('reports when the app is suspended, resumed or deleted', async () => {
    rig.host.gaps.lose(71, 'suspended');
    await rig.announceInstallation('octo', 'suspend');
    await until('it sleeps', async () => accountsOf(await statusOf(home)).join() === 'team app');
    rig.host.gaps.lose(71, undefined);
    await rig.announceInstallation('octo', 'unsuspend');
    await until('it is awake', async () => accountsOf(await statusOf(home)).join() === 'octo app,team app');
    rig.host.gaps.lose(70, 'deleted');
    await rig.announceInstallation('team', 'deleted');
    const row = () =>
      home.database.db.selectFrom('githost_installations').select('accountLogin').orderBy('accountLogin').execute();
    await until('it is gone', async () => (await row()).map((each) => each.accountLogin).join() === 'octo');
    expect((await get(home, '/repos/team/shop')).status).toBe(404);
    expect(accountsOf(await statusOf(rival)), 'nothing to others').toEqual(['rivals app']);
  });

  it('keeps working with cached tokens while unreachable, then reports it', async () => {
    expect((await get(home, '/repos/octo/mine')).status).toBe(200);
    await rig.cut();
    const away = await until('it is noticed', async () => {
      const found = await statusOf(home);
      return found.cloudUnreachable ? found : undefined;
    });
    expect([away!.state, accountsOf(away!)]).toEqual(['connected', ['octo app']]);
    expect((await get(home, '/repos/octo/mine')).status).toBe(200);
    rig.host.gaps.tokens.endInstallation(71);
    const refused = await get(home, '/repos/octo/mine');
    expect([refused.status, refused.body['code']]).toEqual([503, 'cloud_unreachable']);
    expect(refused.text).not.toContain(ownerToken);
    expect((await statusOf(home)).state).toBe('unavailable');
    expect((await connect(home, owner, 'app')).body).toMatchObject({ code: 'cloud_unreachable' });
    await rig.mend();
    expect((await get(home, '/repos/octo/mine')).status).toBe(200);
  });

  it('is disconnected until the next connect, and removed with the link', async () => {
    const rows = async () =>
      (
        await Promise.all([
          home.database.db.selectFrom('githost_installations').selectAll().execute(),
          home.database.db.selectFrom('githost_lent').selectAll().execute(),
        ])
      ).map((each) => each.length);
    const body = { source: 'all' };
    expect((await home.call('POST', '/api/githost/disconnect', { ...owner, body })).status).toBe(200);
    expect([(await statusOf(home)).state, await rows()]).toEqual(['disconnected', [0, 0]]);
    expect((await get(home, '/repos')).status).toBe(400);
    expect((await connect(home, owner)).body, 'it is theirs there').toEqual({ connected: true });
    expect([accountsOf(await statusOf(home)), await rows()]).toEqual([['octo app'], [1, 1]]);
    const stored = JSON.stringify(await home.database.db.selectFrom('githost_installations').selectAll().execute());
    expect(stored).not.toContain(ownerToken);
    expect((await home.call('DELETE', '/api/cloud/link', owner)).status).toBe(200);
    expect([(await statusOf(home)).state, await rows()]).toEqual(['disconnected', [0, 0]]);
    expect((await connect(home, owner)).body).toMatchObject({ code: 'not_configured' });
  });
});
