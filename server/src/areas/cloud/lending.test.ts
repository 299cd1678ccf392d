import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { folderOf } from '../../../test/rig/deploy.ts';
import { foreignOrganization, newToken, type Person, signIn } from '../../../test/rig/people.ts';
import { until } from '../../../test/rig/until.ts';
import { accountsOf, connect, flowOf, get, namesOf, owner, statusOf } from '../githost/githost-rig.ts';
import { DeliveryQueue } from './githost/queue.ts';
import { browse, homeUrl, type LendingRig, startLending } from './lending-rig.ts';

const dataOf = <T>({ body }: Answer): T => (body as unknown as { data: T }).data;
const day = 86_400_000;

describe('a cloud that lends its app', { timeout: 30_000 }, () => {
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

  it('sends a browser to install it, and back to whoever asked', async () => {
    const { url, flow } = flowOf(await connect(home, owner));
    expect([flow, new URL(url).pathname]).toEqual(['redirect', '/github-apps/rig-app/installations/new']);
    expect(await statusOf(home)).toMatchObject({ state: 'disconnected', cloudUnreachable: false });
    expect((await browse(rig, url, 'octo')).href).toBe(`${homeUrl}/`);
    await expect(browse(rig, url, 'octo'), 'it works once').rejects.toThrow('Nothing was connected');
    const status = await until('it is known', async () => {
      const found = await statusOf(home);
      return found.state === 'connected' && found;
    });
    expect(accountsOf(status)).toEqual(['octo app', 'team app']);
    expect(status.installUrl).toBe(`${rig.host.webUrl}/github-apps/rig-app/installations/new`);
    expect((await connect(home, owner)).body).toEqual({ connected: true });
    // By a sign-in alone, where it is installed already.
    const signIn = flowOf(await connect(rival, owner, 'oauth')).url;
    expect(new URL(signIn).pathname).toBe('/login/oauth/authorize');
    expect((await browse(rig, signIn, 'rita')).href).toBe(`${homeUrl}/`);
    await until('that too', async () => accountsOf(await statusOf(rival)).join() === 'rivals app');
    const kept = await rig.cloud.database.db.selectFrom('githost_connections').selectAll().execute();
    expect(kept, 'no token of a person').toEqual([]);
  });

  it('says on a page why it did not work, with a way back', async () => {
    const { url } = flowOf(await connect(home, owner, 'app'));
    const state = new URL(url).searchParams.get('state')!;
    const page = await rig.cloud.call('GET', `/api/githost/connect/redirect?state=${state}&error=access_denied`);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(`<a href="${homeUrl}/">`)]);
  });

  it('is used as an app of one’s own', async () => {
    push('one');
    expect(namesOf(await get(home, '/repos'))).toEqual(expect.arrayContaining(['octo/mine', 'team/docs', 'team/shop']));
    expect(namesOf(await get(rival, '/repos'))).toEqual(expect.arrayContaining(['rivals/secret']));
    for (const path of ['', '/branches', '/files', '/file?file=index.html'])
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

  it('gives nothing of another organization, and nothing beyond what the token may', async () => {
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
    expect(rig.host.gaps.tokens.holder(token)?.installation).toMatchObject({ id: 70, permissions: { contents: 'read' } });
    for (const returnUrl of ['javascript:alert(1)', 'https://me:pw@x.example', 'nothing', '//x.example', ''])
      expect((await there('POST', '/connect', ownerToken, { ...wanted, returnUrl })).status, returnUrl).toBe(400);
    const audit = (await rig.cloud.call('GET', '/api/audit', { token: ownerToken })).text;
    expect(audit).toContain('"githost.token_lent"');
    expect(audit).not.toContain(token);
  });

  it('hands on each announcement once, to whom it concerns, also after a cut', async () => {
    home.webhooksOn();
  });
});
