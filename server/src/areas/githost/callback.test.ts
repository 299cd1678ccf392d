import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import type { GitHostRig } from '../../../test/rig/githost.ts';
import { cookieOf, foreignOrganization, join, signInOwner } from '../../../test/rig/people.ts';
import {
  beginInBrowser,
  callbackPath,
  openCallback,
  connect,
  connectFlowOf,
  owner,
  startHost,
  startWithHost,
  statusOf,
  storedText,
} from './githost-rig.ts';

describe.each(databaseKindsInFull)('git host callback on %s', (kind) => {
  let host: GitHostRig;
  let app: TestApp;
  beforeAll(async () => {
    host = await startHost();
  });
  afterEach(() => app.close());
  afterAll(() => host.stop());

  const start = async (more: Parameters<typeof startWithHost>[2] = {}) => {
    app = await startWithHost(kind, host, { app: false, ...more });
  };
  /** Expects an error page and no connection. */
  const expectRefused = async (page: Answer, why: string | RegExp) => {
    expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(page.text).toMatch(why);
    expect(await app.database.db.selectFrom('githost_connections').selectAll().execute()).toEqual([]);
    expect(await app.database.db.selectFrom('githost_installations').selectAll().execute()).toEqual([]);
  };
  const agreed = (url: string, login = 'octo') => host.gaps.signIns.agree(url, login);
  const change = (values: object) => app.database.db.updateTable('githost_sign_ins').set(values).execute();

  it('is a static page that loads, runs and echoes nothing', async () => {
    await start();
    const hostile = '<script>alert(1)</script>"\'><img src=x>';
    const query = new URLSearchParams({ state: hostile, code: hostile, error: hostile, error_description: hostile });
    const page = await openCallback(app, `${callbackPath}?${query.toString()}`);
    await expectRefused(page, 'Nothing was connected');
    expect(page.text).not.toMatch(/script|alert|img/);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    for (const search of ['', '?state=', '?state=a&state=b', '?state[x]=1', `?state=${'x'.repeat(43)}`, '?code=x'])
      await expectRefused(await openCallback(app, callbackPath + search), 'Nothing was connected');
    const begun = await beginInBrowser(app);
    const state = new URL(begun.url).searchParams.get('state')!;
    const declined = await openCallback(
      app,
      `${callbackPath}?state=${state}&error=${encodeURIComponent(hostile)}`,
      begun.nonce,
    );
    await expectRefused(declined, 'did not sign you in');
    expect(declined.text).not.toMatch(/script|alert|img/);
  });

  it('works once, also for concurrent requests', async () => {
    await start();
    const { url, nonce } = await beginInBrowser(app);
    const back = await agreed(url);
    const pages = await Promise.all(Array.from({ length: 5 }, () => openCallback(app, back, nonce)));
    expect(pages.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400]);
    expect((await openCallback(app, back, nonce)).status).toBe(400);
    expect((await statusOf(app)).state).toBe('connected');
  });

  it('expires after ten minutes', async () => {
    await start();
    const { url, nonce } = await beginInBrowser(app);
    const [row] = await app.database.db.selectFrom('githost_sign_ins').selectAll().execute();
    expect(row!.expiresAt - row!.createdAt).toBe(600_000);
    await change({ expiresAt: Date.now() - 1 });
    await expectRefused(await openCallback(app, await agreed(url), nonce), 'longer than ten minutes');
  });

  it('works only in the browser that started', async () => {
    await start();
    const first = await beginInBrowser(app);
    const other = await beginInBrowser(app);
    const back = await agreed(first.url);
    await expectRefused(await openCallback(app, back), 'another browser');
    await expectRefused(await openCallback(app, back, first.nonce), 'Nothing was connected');
    const again = await beginInBrowser(app);
    await expectRefused(await openCallback(app, await agreed(again.url), other.nonce), 'another browser');
    const session = await signInOwner(app);
    const third = await beginInBrowser(app);
    await expectRefused(await openCallback(app, await agreed(third.url), session), 'another browser');
  });

  it('uses a Secure cookie with an HTTPS public URL', async () => {
    await start({ env: { MOORING_PUBLIC_URL: 'https://mooring.test' } });
    const session = cookieOf(
      (
        await app.call('POST', '/api/auth/sign-in', {
          body: { email: 'owner@example.com', password: 'correct horse battery' },
        })
      ).headers,
    );
    const { answer } = await beginInBrowser(app, undefined, session);
    expect(answer.headers['set-cookie']).toMatch(/^__Secure-mooring_connect=[\w-]{43}; .*; Secure$/);
  });

  it('connects for the user who started, regardless of the session in the browser', async () => {
    await start();
    const stranger = await foreignOrganization(app);
    const { url, nonce } = await beginInBrowser(app, undefined, stranger.cookie);
    const session = await signInOwner(app);
    expect((await openCallback(app, await agreed(url), `${session}; ${nonce}`)).status).toBe(200);
    expect((await statusOf(app)).state).toBe('disconnected');
    expect((await statusOf(app, { token: stranger.token })).state).toBe('connected');
  });

  describe('in cloud mode, started by an API client', () => {
    const cloud = { MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: 'all' };
    const nextOf = (page: Answer) => /<a href="([^"]+)"><b>/.exec(page.text)?.[1];

    it('asks for consent and accepts it from the same browser only', async () => {
      await start({ env: cloud });
      const stranger = await foreignOrganization(app);
      const begin = async () => connectFlowOf(await connect(app, { token: stranger.token }, 'oauth')).url;
      const asked = await openCallback(app, await agreed(await begin()));
      expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('The organization Second gets access')]);
      expect(asked.text).toContain(stranger.email);
      expect((await statusOf(app, { token: stranger.token })).state, 'nothing happens by itself').toBe('disconnected');
      expect(await storedText(app)).not.toMatch(/gho_|ghu_/);
      await expectRefused(await openCallback(app, nextOf(asked)!), 'another browser');
      await expectRefused(await openCallback(app, nextOf(asked)!, cookieOf(asked.headers)), 'Nothing was connected');
      const again = await openCallback(app, await agreed(await begin()));
      const page = await openCallback(app, nextOf(again)!, cookieOf(again.headers));
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('The account octo is connected.')]);
      expect((await statusOf(app, { token: stranger.token })).state).toBe('connected');
      expect((await statusOf(app)).state).toBe('disconnected');
    });

    it('also asks for consent when the app is installed, but not if a browser session started it', async () => {
      await start({ app: true, env: cloud });
      const begin = async (url: string, nonce?: string) => {
        const state = new URL(url).searchParams.get('state')!;
        const onward = await openCallback(app, `${callbackPath}?setup_action=install&state=${state}`, nonce);
        return openCallback(app, await agreed(String(onward.headers['location'])), nonce);
      };
      const asked = await begin(connectFlowOf(await connect(app, owner)).url);
      expect(asked.text).toContain('octo administers octo, team');
      expect((await statusOf(app)).state).toBe('disconnected');
      const disconnected = await app.call('POST', '/api/githost/disconnect', { ...owner, body: { source: 'oauth' } });
      expect(disconnected.status).toBe(200);
      await expectRefused(await openCallback(app, nextOf(asked)!, cookieOf(asked.headers)), 'Nothing was connected');
      const { url, nonce } = await beginInBrowser(app);
      expect((await begin(url, nonce)).text).toContain('The app works for octo, team.');
    });
  });

  it('is rejected if the user has lost the permission', async () => {
    await start();
    const member = await join(app, 'member@example.com', 'member');
    const role = (to: string) =>
      app.call('PATCH', `/api/members/${member.memberId}`, { token: ownerToken, body: { role: to } });
    for (const lowered of ['viewer', 'restricted']) {
      await role('member');
      const { url, nonce } = await beginInBrowser(app, undefined, member.cookie);
      await role(lowered);
      await expectRefused(await openCallback(app, await agreed(url), nonce), 'can no longer connect');
    }
    await role('member');
    const { url, nonce } = await beginInBrowser(app, undefined, member.cookie);
    await app.call('DELETE', `/api/members/${member.memberId}`, { token: ownerToken });
    await expectRefused(
      await openCallback(app, await agreed(url), nonce),
      /can no longer connect|Nothing was connected/,
    );
  });

  it('reports a denial or an invalid code', async () => {
    await start();
    const declined = connectFlowOf(await connect(app, owner));
    const stateOf = (url: string) => new URL(url).searchParams.get('state')!;
    const answer = await openCallback(app, `${callbackPath}?error=access_denied&state=${stateOf(declined.url)}`);
    await expectRefused(answer, 'denied at the git host');
    for (const code of ['wrong', '', 'x'.repeat(600)]) {
      const { url } = connectFlowOf(await connect(app, owner));
      await expectRefused(await openCallback(app, `${callbackPath}?code=${code}&state=${stateOf(url)}`), /code/);
    }
    const stolen = connectFlowOf(await connect(app, owner));
    const victim = connectFlowOf(await connect(app, owner));
    const code = (await agreed(stolen.url, 'rita')).searchParams.get('code')!;
    await expectRefused(
      await openCallback(app, `${callbackPath}?code=${code}&state=${stateOf(victim.url)}`),
      'is wrong or has expired',
    );
  });

  it('of an installation proves nothing without a sign-in', async () => {
    await start({ app: true, client: 'none' });
    // All installations already belong to another organization.
    const stranger = await foreignOrganization(app);
    await connect(app, { cookie: await signInOwner(app), headers: { 'x-organization-id': stranger.organizationId } });
    expect((await statusOf(app, { token: stranger.token })).state).toBe('connected');
    const { url } = connectFlowOf(await connect(app, owner));
    const state = new URL(url).searchParams.get('state')!;
    const page = await openCallback(app, `${callbackPath}?installation_id=70&setup_action=install&state=${state}`);
    expect([page.status, page.text.includes('belongs to another organization')]).toEqual([400, true]);
    expect((await statusOf(app)).state).toBe('disconnected');
    const asked = connectFlowOf(await connect(app, owner));
    const request = await openCallback(
      app,
      `${callbackPath}?setup_action=request&state=${new URL(asked.url).searchParams.get('state')}`,
    );
    expect([request.status, request.text.includes('approve')]).toEqual([200, true]);
  });

  it('stores states, cookies, codes and tokens only hashed or sealed', async () => {
    await start();
    const { url, nonce } = await beginInBrowser(app);
    const before = await storedText(app);
    const state = new URL(url).searchParams.get('state')!;
    for (const secret of [state, nonce.split('=')[1]!]) expect(before).not.toContain(secret);
    const back = await agreed(url);
    const page = await openCallback(app, back, nonce);
    const after = (await storedText(app)) + page.text + JSON.stringify(await statusOf(app));
    for (const secret of [state, back.searchParams.get('code')!, 'gho_', 'ghu_']) expect(after).not.toContain(secret);
    expect(await app.database.db.selectFrom('githost_sign_ins').selectAll().execute()).toEqual([]);
  });

  it('returns a page if the git host is unreachable', async () => {
    app = await startWithHost(kind, { webUrl: 'http://127.0.0.1:1' }, { app: false });
    const { url } = connectFlowOf(await connect(app, owner));
    const state = new URL(url).searchParams.get('state')!;
    await expectRefused(await openCallback(app, `${callbackPath}?code=x&state=${state}`), 'cannot be reached');
  });
});
