import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import type { GitHostRig } from '../../../test/rig/githost.ts';
import { foreignOrganization, join as joinAs, newToken, signInOwner } from '../../../test/rig/people.ts';
import { until } from '../../../test/rig/until.ts';
import { standInGh } from '../../drivers/githost/github/github-rig.ts';
import {
  accountsOf,
  beginInBrowser,
  openCallback,
  connect,
  connectAccount,
  connectFlowOf,
  get,
  namesOf,
  owner,
  startHost,
  startWithHost,
  statusOf,
  storedText,
} from './githost-rig.ts';

const token = 'gho_octo_0123456789abcdef';

describe.each(databaseKindsInFull)('connecting the git host on %s', (kind) => {
  let host: GitHostRig;
  let app: TestApp;
  beforeAll(async () => {
    host = await startHost();
  });
  afterEach(() => app.close());
  afterAll(() => host.stop());

  it('keeps only the newest sign-ins of a user', async () => {
    app = await startWithHost(kind, host, { app: false });
    const other = await joinAs(app, 'admin@example.com', 'admin');
    const theirs = connectFlowOf(await connect(app, other, 'oauth')).url;
    const begun: string[] = [];
    for (let i = 0; i < 12; i++) begun.push(connectFlowOf(await connect(app, owner, 'oauth')).url);
    const rows = await app.database.db.selectFrom('githost_sign_ins').select('userId').execute();
    expect(rows).toHaveLength(11);
    const back = async (url: string) => (await openCallback(app, await host.gaps.signIns.agree(url, 'octo'))).status;
    expect(await back(begun[1]!), 'an old one').toBe(400);
    expect(await back(begun[2]!)).toBe(200);
    expect(theirs).toContain('/login/oauth/authorize');
  });

  it('connects an account by a browser sign-in', async () => {
    app = await startWithHost(kind, host, { app: false });
    expect(await statusOf(app)).toEqual({
      state: 'disconnected',
      accounts: [],
      installUrl: null,
      cloudUnreachable: false,
    });
    const { flow, url, nonce, answer } = await beginInBrowser(app);
    expect([flow, answer.status]).toEqual(['redirect', 200]);
    expect(answer.headers['set-cookie']).toMatch(
      /^mooring_connect=[\w-]{43}; Path=\/api\/githost\/connect\/redirect; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(url).toContain(`${host.webUrl}/login/oauth/authorize?`);
    const page = await openCallback(app, await host.gaps.signIns.agree(url, 'octo'), nonce);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('The account octo is connected.') });
    expect(accountsOf(await statusOf(app))).toEqual(['octo oauth', 'team oauth']);
    expect((await connect(app, owner)).body).toEqual({ connected: true });
    expect((await connect(app, owner, 'oauth')).body).toEqual({ connected: true });
  });

  it('claims only installations that the user administers, ignoring the installation id in the URL', async () => {
    app = await startWithHost(kind, host);
    const { url, nonce } = await beginInBrowser(app);
    expect(url).toContain(`${host.webUrl}/github-apps/rig-app/installations/new?state=`);
    const state = new URL(url).searchParams.get('state')!;
    const installed = `/api/githost/connect/redirect?installation_id=72&setup_action=install&state=${state}&code=x`;
    const onward = await openCallback(app, installed, nonce);
    expect([onward.status, onward.text]).toEqual([303, '']);
    const tokens = host.log.length;
    const back = await host.gaps.signIns.agree(String(onward.headers['location']), 'octo');
    const page = await openCallback(app, back, nonce);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('The app works for octo, team.') });
    expect(accountsOf(await statusOf(app))).toEqual(['octo app', 'team app']);
    expect(namesOf(await get(app, '/repos'))).toEqual(['octo/mine', 'team/docs', 'team/shop']);
    expect((await get(app, '/repos/rivals/secret')).status).toBe(404);
    await until('what only proved something is given back', () =>
      host.log.slice(tokens).includes('DELETE /applications/Iv1.rig/token 204'),
    );
    expect((await connect(app, owner)).body).toEqual({ connected: true });
  });

  it('does not claim installations of accounts where the user is only a member', async () => {
    app = await startWithHost(kind, host);
    host.gaps.plainMembers.add('octo team');
    await connectAccount(app, host);
    host.gaps.plainMembers.clear();
    expect(accountsOf(await statusOf(app))).toEqual(['octo app,oauth', 'team oauth']);
    expect((await get(app, '/repos/team/shop/clone-token')).status).toBe(409);
  });

  it('lets only the instance owner claim unclaimed installations without an OAuth client', async () => {
    app = await startWithHost(kind, host, { client: 'none' });
    const member = await joinAs(app, 'member@example.com', 'member');
    const stranger = await foreignOrganization(app);
    for (const who of [member, stranger]) {
      expect(await connect(app, { cookie: who.cookie })).toMatchObject({
        status: 400,
        body: { code: 'not_configured' },
      });
    }
    const cookie = await signInOwner(app);
    const narrow = await newToken(app, cookie, ['githost:write']);
    expect((await connect(app, { token: narrow })).status, 'a narrowed token is not the instance owner').toBe(400);
    expect((await connect(app, { cookie })).body).toEqual({ connected: true });
    expect((await statusOf(app)).state).toBe('connected');
    expect(accountsOf(await statusOf(app))).toEqual(['octo app', 'rivals app', 'team app']);
    expect((await statusOf(app, { token: stranger.token })).state).toBe('disconnected');
  });

  it('claims all installations at once if there is only one organization', async () => {
    app = await startWithHost(kind, host, { alone: true, env: { GITHOST_APP_SLUG: '' } });
    expect((await statusOf(app)).installUrl, 'as the host calls the app').toMatch(
      /\/github-apps\/[\w-]+\/installations/,
    );
    const member = await joinAs(app, 'member@example.com', 'member');
    expect(connectFlowOf(await connect(app, { cookie: member.cookie }))).toMatchObject({
      connected: false,
      flow: 'redirect',
    });
    expect((await connect(app, owner)).body).toEqual({ connected: true });
    expect(accountsOf(await statusOf(app))).toEqual(['octo app', 'rivals app', 'team app']);
  });

  it('connects by device code, polling no faster than the git host allows', async () => {
    app = await startWithHost(kind, host, { app: false, client: 'id' });
    host.gaps.signIns.deviceInterval = 2;
    onTestFinished(() => void (host.gaps.signIns.deviceInterval = 1));
    expect((await get(app, '/connect/poll')).body).toEqual({ status: 'none' });
    const begun = connectFlowOf(await connect(app, owner));
    expect(begun).toMatchObject({
      connected: false,
      flow: 'device_code',
      verificationUri: `${host.webUrl}/login/device`,
      intervalSeconds: 2,
      expiresAt: expect.stringMatching(/Z$/),
    });
    const looks = () => host.log.filter((line) => line.includes('/login/oauth/access_token')).length;
    const before = looks();
    const polls = await Promise.all(Array.from({ length: 8 }, () => get(app, '/connect/poll')));
    expect(polls.map(({ body }) => body['status'])).toEqual(Array(8).fill('pending'));
    expect(polls[0]!.body).toMatchObject({ userCode: begun.userCode, intervalSeconds: 2 });
    expect(looks(), 'not before the first interval is over').toBe(before);
    await pause(2100);
    await Promise.all(Array.from({ length: 8 }, () => get(app, '/connect/poll')));
    expect(looks()).toBe(before + 1);
    const other = await joinAs(app, 'other@example.com', 'admin');
    expect((await get(app, '/connect/poll', { cookie: other.cookie })).body, 'somebody else’s').toEqual({
      status: 'none',
    });
    host.gaps.signIns.flows.decide(begun.userCode, { real: token, login: 'octo' });
    await pause(2100);
    expect((await get(app, '/connect/poll')).body).toEqual({ status: 'connected' });
    expect((await get(app, '/connect/poll')).body).toEqual({ status: 'connected' });
    expect((await statusOf(app)).state).toBe('connected');
    expect(await storedText(app)).not.toMatch(/ghu_|ghr_|gho_/);
    const end = await app.call('POST', '/api/githost/disconnect', { ...owner, body: {} });
    expect(end.body, 'without a secret it cannot be given back').toMatchObject({
      data: { sources: ['oauth'], warnings: [expect.stringContaining('cannot be revoked')] },
    });
  });

  it('slows down device polling when the git host asks for it', async () => {
    app = await startWithHost(kind, host, { app: false, client: 'id' });
    host.gaps.signIns.deviceInterval = 30;
    onTestFinished(() => void (host.gaps.signIns.deviceInterval = 1));
    await connect(app, owner);
    await app.database.db.updateTable('githost_sign_ins').set({ nextPollAt: 0 }).execute();
    expect((await get(app, '/connect/poll')).body).toMatchObject({ status: 'pending', intervalSeconds: 35 });
    const [row] = await app.database.db.selectFrom('githost_sign_ins').selectAll().execute();
    expect(row!.nextPollAt! - row!.createdAt).toBeGreaterThanOrEqual(35_000);
  });

  it('reports a denied device code, and accepts a new one', async () => {
    app = await startWithHost(kind, host, { app: false, client: 'id' });
    const begun = connectFlowOf(await connect(app, owner, 'oauth'));
    host.gaps.signIns.flows.decide(begun.userCode, undefined);
    await pause(1100);
    expect((await get(app, '/connect/poll')).body).toEqual({ status: 'denied' });
    expect((await get(app, '/connect/poll')).body).toEqual({ status: 'denied' });
    const again = connectFlowOf(await connect(app, owner, 'oauth'));
    expect(again.userCode).not.toBe(begun.userCode);
    expect((await get(app, '/connect/poll')).body).toMatchObject({ status: 'pending', userCode: again.userCode });
  });

  it('lets only the instance owner use the gh sign-in of the machine', async () => {
    const { file, folder } = standInGh(token);
    const cli = { file, home: folder, path: '/usr/bin:/bin' };
    app = await startWithHost(kind, host, { app: false, client: 'none', cli });
    expect((await get(app, '/local-status')).body).toEqual({
      available: true,
      installed: true,
      signedIn: true,
      version: '2.23.0',
      hostname: '127.0.0.1',
    });
    const admin = await joinAs(app, 'admin@example.com', 'admin');
    expect((await connect(app, { cookie: admin.cookie })).status).toBe(403);
    expect((await connect(app, { cookie: admin.cookie }, 'cli')).status).toBe(403);
    expect((await statusOf(app)).state).toBe('disconnected');
    expect((await connect(app, owner)).body).toEqual({ connected: true });
    expect(accountsOf(await statusOf(app))).toEqual(['octo cli', 'team cli']);
    expect((await connect(app, { cookie: admin.cookie })).body, 'then it is the organization’s').toEqual({
      connected: true,
    });
    expect((await get(app, '/repos/team/shop/clone-token')).status).toBe(409);
  });

  it('shows the sign-in command if gh is signed out', async () => {
    const folder = newFolder('gh');
    const file = join(folder, "g'h");
    writeFileSync(file, '#!/bin/sh\ncase "$1" in --version) echo "gh version 2.23.0";; *) exit 1;; esac\n', {
      mode: 0o755,
    });
    const cli = { file, home: folder, path: '/usr/bin:/bin' };
    app = await startWithHost(kind, host, { app: false, client: 'none', cli });
    const answer = await connect(app, owner, 'cli');
    expect(answer.body).toMatchObject({ connected: false, flow: 'terminal', message: expect.any(String) });
    expect(connectFlowOf(answer).command).toBe(
      `'${folder}/g'\\''h' auth login --hostname 127.0.0.1 --git-protocol https --web --scopes repo,read:org,delete_repo`,
    );
    expect((await get(app, '/local-status')).body).toMatchObject({
      available: false,
      installed: true,
      signedIn: false,
    });
  });

  it('disconnects one source or all', async () => {
    const { file, folder } = standInGh(token);
    app = await startWithHost(kind, host, { cli: { file, home: folder, path: '/usr/bin:/bin' } });
    await connectAccount(app, host);
    await connect(app, owner, 'cli');
    expect(accountsOf(await statusOf(app))).toEqual(['octo app,oauth,cli', 'team app,oauth,cli']);
    const end = (path: string, body: object) => app.call('POST', `/api/githost/disconnect${path}`, { ...owner, body });
    expect((await end('', { source: 'app' })).status).toBe(400);
    expect((await end('?source=everything', {})).status).toBe(400);
    const revoked = () => host.log.filter((line) => line.startsWith('DELETE /applications/')).length;
    const before = revoked();
    expect((await end('', { source: 'oauth' })).body).toEqual({
      success: true,
      data: { sources: ['oauth'], warnings: [] },
    });
    expect(revoked()).toBe(before + 1);
    expect(accountsOf(await statusOf(app))).toEqual(['octo app,cli', 'team app,cli']);
    expect((await end('?source=cli', {})).body).toMatchObject({ data: { sources: ['cli'] } });
    expect(accountsOf(await statusOf(app))).toEqual(['octo app', 'team app']);
    expect((await end('', {})).body).toMatchObject({ data: { sources: ['app'] } });
    expect(await statusOf(app)).toMatchObject({ state: 'disconnected', accounts: [] });
    const rows = await app.database.db.selectFrom('audit_entries').select('action').execute();
    expect(rows.filter(({ action }) => action === 'githost.disconnected')).toHaveLength(3);
  });

  it('claims an installation for several organizations once each has proven it', async () => {
    app = await startWithHost(kind, host);
    const stranger = await foreignOrganization(app);
    await connectAccount(app, host);
    await connectAccount(app, host, 'octo', { token: stranger.token });
    for (const who of [owner, { token: stranger.token }])
      expect(accountsOf(await statusOf(app, who))).toEqual(['octo app,oauth', 'team app,oauth']);
    await app.call('POST', '/api/githost/disconnect', { ...owner, body: {} });
    expect((await statusOf(app)).state).toBe('disconnected');
    expect((await statusOf(app, { token: stranger.token })).state, 'the others’ stays').toBe('connected');
    expect((await get(app, '/repos/team/shop/clone-token', { token: stranger.token })).status).toBe(200);
  });

  it('shows how to install gh if it is missing', async () => {
    const tools = newFolder('tools');
    writeFileSync(join(tools, 'apt-get'), '', { mode: 0o755 });
    const cli = { file: join(tools, 'gh'), home: tools, path: tools };
    app = await startWithHost(kind, host, { app: false, client: 'none', cli });
    const answer = await connect(app, owner, 'cli');
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        connected: false,
        flow: 'terminal',
        command: expect.stringMatching(/^(sudo )?apt-get install -y gh && \S+gh auth login --hostname/),
        message: expect.stringContaining('is not installed on this machine'),
      },
    ]);
    await app.close();
    app = await startWithHost(kind, host, { app: false, client: 'none', cli: { ...cli, path: '/nowhere' } });
    const { body } = await connect(app, owner, 'cli');
    expect(body).toMatchObject({ flow: 'terminal', message: expect.stringContaining('Install it first') });
  });

  it('keeps one connection for concurrent requests', async () => {
    const { file, folder } = standInGh(token);
    app = await startWithHost(kind, host, { client: 'none', cli: { file, home: folder, path: '/usr/bin:/bin' } });
    for (const source of ['cli', undefined]) {
      const all = await Promise.all(Array.from({ length: 6 }, () => connect(app, owner, source)));
      expect(all.map(({ status, body }) => [status, body['connected']])).toEqual(all.map(() => [200, true]));
      const kept = await app.database.db.selectFrom('githost_connections').select('kind').execute();
      expect(kept).toEqual(source ? [{ kind: 'cli' }] : []);
      await app.database.db.deleteFrom('githost_connections').execute();
    }
    const installed = await app.database.db.selectFrom('githost_installations').select('installationId').execute();
    expect(installed).toHaveLength(3);
  });

  it('installs the app for another account when one is connected already', async () => {
    app = await startWithHost(kind, host);
    await connectAccount(app, host);
    expect((await connect(app, owner)).body).toEqual({ connected: true });
    expect(connectFlowOf(await connect(app, owner, 'app'))).toMatchObject({
      connected: false,
      flow: 'redirect',
      url: expect.stringContaining('/installations/new?state='),
    });
    await app.close();
    app = await startWithHost(kind, host, { app: false });
    expect(await connect(app, owner, 'app')).toMatchObject({ status: 400, body: { code: 'not_configured' } });
  });

  it('replaces and revokes the previous account', async () => {
    app = await startWithHost(kind, host, { app: false });
    await connectAccount(app, host, 'octo');
    const tokens = await app.database.db.selectFrom('githost_connections').select(['id', 'tokens']).execute();
    await app.database.db.updateTable('githost_connections').set({ login: 'x' }).execute();
    // Started before and finished after: the newer account wins.
    const { url } = await beginAnyway();
    await openCallback(app, await host.gaps.signIns.agree(url, 'rita'));
    const now = await app.database.db.selectFrom('githost_connections').select(['id', 'login']).execute();
    expect(now).toMatchObject([{ login: 'rita' }]);
    expect(now[0]!.id).not.toBe(tokens[0]!.id);
    expect(accountsOf(await statusOf(app))).toEqual(['rita oauth', 'rivals oauth']);
  });

  /** Starts a sign-in as if in another tab before the account was connected. */
  async function beginAnyway() {
    const { database } = app;
    const kept = await database.db.selectFrom('githost_connections').selectAll().execute();
    await database.db.deleteFrom('githost_connections').execute();
    const begun = connectFlowOf(await connect(app, owner, 'oauth'));
    await database.db.insertInto('githost_connections').values(kept).execute();
    return begun;
  }
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
