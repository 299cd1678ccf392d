import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Answer, TestApp } from '../rig/app.ts';
import { databaseKinds } from '../rig/databases.ts';
import { json, scriptedHost } from '../rig/githost-script.ts';
import type { GitHostRig } from '../rig/githost.ts';
import { until } from '../rig/until.ts';
import {
  accountsOf,
  beginInBrowser,
  callbackPath,
  openCallback,
  connect,
  connectAccount,
  connectFlowOf,
  get,
  owner,
  seedAccount,
  seededToken,
  startHost,
  startWithHost,
  statusOf,
} from '../../src/areas/githost/githost-rig.ts';

const ofOne = ['', '/branches', '/file', '/webhooks'].map((part) => `/repos/team/shop${part}`);
const reads = ['/repos', '/orgs/team/repos', ...ofOne];

/** Starts the service, connected to a host with this behaviour. */
async function connected(answer: RequestListener, env: Record<string, string> = {}) {
  const host = await scriptedHost(answer);
  const app = await startWithHost('sqlite', { webUrl: host.url }, { app: false, env });
  onTestFinished(() => app.close());
  await seedAccount(app);
  return { app, host };
}

describe('git host failures', () => {
  it('a silent host times out as configured, and the status responds anyway', async () => {
    const { app } = await connected(() => {}, { GITHOST_TIMEOUT: '1' });
    const began = Date.now();
    expect(await statusOf(app)).toMatchObject({ state: 'unavailable', accounts: [] });
    expect((await get(app, '/home')).body).toEqual({ state: 'unavailable', accounts: [], repos: [] });
    for (const path of reads)
      expect(await get(app, path)).toMatchObject({ status: 502, body: { code: 'git_host_unavailable' } });
    expect(await connect(app, owner), 'nobody is sent to a host that is away').toMatchObject({ status: 502 });
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('a silent host delays a link, a source or an inspection no longer', async () => {
    const { app } = await connected(() => {}, { GITHOST_TIMEOUT: '1' });
    const post = (path: string, body: object) => app.call('POST', path, { ...owner, body });
    const shop = { owner: 'team', repo: 'shop' };
    const timed = async (act: Promise<Answer>): Promise<Answer> => {
      const began = Date.now();
      const answer = await act;
      expect(Date.now() - began).toBeLessThan(4000);
      return answer;
    };
    const made = await timed(post('/api/projects', { name: 'p', source: { type: 'githost', ...shop } }));
    expect(made.status, 'it is asked later').toBe(201);
    const { id } = (made.body as unknown as { data: { id: string } }).data;
    const away = { status: 502, body: { code: 'git_host_unavailable' } };
    expect(await timed(post(`/api/projects/${id}/link`, shop))).toMatchObject(away);
    expect(await timed(post('/api/deployments/prepare', { source: 'githost', ...shop }))).toMatchObject(away);
  });

  it('at most four credential requests per organization run concurrently', async () => {
    const hanging: RequestListener = () => {};
    const { app, host } = await connected(hanging, { GITHOST_TIMEOUT: '2' });
    const body = { source: 'githost', owner: 'team', repo: 'shop' };
    const all = await Promise.all(
      Array.from({ length: 12 }, () => app.call('POST', '/api/deployments/prepare', { ...owner, body })),
    );
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 8 }, () => 429),
      ...Array.from({ length: 4 }, () => 502),
    ]);
    expect(host.asked.length).toBe(4);
  });

  it('a failing host is a 502 with the reason, never a 500', async () => {
    const failing: RequestListener = (_, response) => void response.writeHead(500).end('<html>oops</html>');
    const { app } = await connected(failing);
    expect((await statusOf(app)).state).toBe('unavailable');
    for (const path of reads) {
      const { status, body } = await get(app, path);
      expect([status, body['message']]).toEqual([502, body['error']]);
    }
    const end = await app.call('POST', '/api/githost/disconnect', { ...owner, body: {} });
    expect(end.body).toMatchObject({ data: { sources: ['oauth'], warnings: [expect.stringContaining('oauth: ')] } });
    expect((await statusOf(app)).state, 'here it is gone all the same').toBe('disconnected');
  });

  it.each([
    ['nonsense', json({ unexpected: true })],
    ['no JSON', (_: unknown, response: Parameters<RequestListener>[1]) => void response.end('hello')],
    ['a way elsewhere', json({}, 302, { location: 'http://169.254.169.254/latest' })],
  ] as [string, RequestListener][])('a response of %s is a 502', async (_, answer) => {
    const { app } = await connected(answer);
    expect((await statusOf(app)).state).toBe('unavailable');
    for (const path of reads) expect([path, (await get(app, path)).status]).toEqual([path, 502]);
  });

  it('a rate limit is a 429 with the delay, and no request is sent before', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 120);
    const { app, host } = await connected(
      json({ message: 'API rate limit exceeded' }, 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }),
    );
    for (const path of reads) {
      const { status, headers } = await get(app, path);
      expect([path, status]).toEqual([path, 429]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(100);
    }
    expect((await statusOf(app)).state).toBe('unavailable');
    expect(host.asked).toHaveLength(1);
  });

  it('a rejected credential is a 400, and reconnecting works', async () => {
    const { app, host } = await connected(json({ message: `Bad credentials ${seededToken}` }, 401));
    expect((await statusOf(app)).state).toBe('signed_out');
    for (const path of reads) {
      const answer = await get(app, path);
      expect(answer).toMatchObject({ status: 400, body: { code: 'not_connected' } });
      expect(answer.text).not.toContain(seededToken);
    }
    expect(connectFlowOf(await connect(app, owner))).toMatchObject({ flow: 'redirect' });
    expect(host.asked.every(({ headers }) => headers.authorization === `Bearer ${seededToken}`)).toBe(true);
  });

  it('a failure during a sign-in revokes the token', async () => {
    const host = await scriptedHost((request, response) => {
      if (request.url === '/login/oauth/access_token') return json({ access_token: seededToken })(request, response);
      return void response.writeHead(request.method === 'DELETE' ? 204 : 500).end();
    });
    const app = await startWithHost('sqlite', { webUrl: host.url }, { app: false });
    onTestFinished(() => app.close());
    const state = new URL(connectFlowOf(await connect(app, owner)).url).searchParams.get('state')!;
    const page = await openCallback(app, `${callbackPath}?code=x&state=${state}`);
    expect([page.status, page.text.includes(seededToken)]).toEqual([400, false]);
    await until('it is given back', () =>
      host.asked.some(({ method, body }) => method === 'DELETE' && body.includes(seededToken)),
    );
    expect(await app.database.db.selectFrom('githost_connections').selectAll().execute()).toEqual([]);
  });

  it('a host at a private address gets no requests in cloud mode', async () => {
    const host = await scriptedHost(json({ login: 'octo', id: 1 }));
    const app = await startWithHost(
      'sqlite',
      { webUrl: host.url },
      { app: false, reach: 'public', env: { MOORING_MODE: 'cloud' } },
    );
    onTestFinished(() => app.close());
    await seedAccount(app);
    expect((await statusOf(app)).state).toBe('unavailable');
    for (const path of reads) expect((await get(app, path)).status).toBe(502);
    await app.database.db.deleteFrom('githost_connections').execute();
    const { url, nonce } = await beginInBrowser(app);
    const state = new URL(url).searchParams.get('state')!;
    expect((await openCallback(app, `${callbackPath}?code=x&state=${state}`, nonce)).status).toBe(400);
    expect(host.asked).toEqual([]);
  });

  it("the machine's own login and device codes are unavailable in cloud mode", async () => {
    const host = await scriptedHost(json({}));
    const app = await startWithHost(
      'sqlite',
      { webUrl: host.url },
      { app: false, client: 'id', env: { MOORING_MODE: 'cloud' } },
    );
    onTestFinished(() => app.close());
    for (const path of ['/local-status', '/connect/poll'])
      for (const who of [owner, {}, { token: 'mrg_pat_wrong' }])
        expect([path, (await get(app, path, who)).status]).toEqual([path, 404]);
    expect(await connect(app, owner, 'cli')).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(await connect(app, owner)).toMatchObject({ status: 400, body: { code: 'not_configured' } });
    expect(host.asked).toEqual([]);
  });
});

describe.each(databaseKinds)('git host app on %s', (kind) => {
  let host: GitHostRig;
  let app: TestApp;
  beforeAll(async () => {
    host = await startHost();
    app = await startWithHost(kind, host);
    await connectAccount(app, host);
    await app.call('POST', '/api/githost/disconnect', { ...owner, body: { source: 'oauth' } });
  });
  afterAll(async () => {
    await app.close();
    await host.stop();
  });
  const logins = async () =>
    (await app.database.db.selectFrom('githost_installations').select('accountLogin').execute())
      .map(({ accountLogin }) => accountLogin)
      .toSorted();

  it('is suspended and resumed without reconnecting', async () => {
    host.gaps.lose(70, 'suspended');
    host.gaps.lose(71, 'suspended');
    expect((await get(app, '/repos/team/shop')).status).toBeGreaterThanOrEqual(400);
    await until('it is noticed', async () => (await statusOf(app)).state === 'suspended');
    expect(await logins()).toEqual(['octo', 'team']);
    host.gaps.lose(70, undefined);
    host.gaps.lose(71, undefined);
    expect((await statusOf(app)).state, 'without anybody telling us').toBe('connected');
    await app.gitHost.installations.lost(70, 'suspended');
    await app.gitHost.installations.lost(70, 'suspended');
    expect((await get(app, '/repos/team/shop')).status).toBe(404);
    await app.gitHost.installations.resumed(70);
    expect((await get(app, '/repos/team/shop')).status).toBe(200);
  });

  it('is removed for one account without affecting the others', async () => {
    host.gaps.lose(71, 'deleted');
    await get(app, '/repos/octo/mine');
    await until('it is noticed', async () => (await logins()).join() === 'team');
    expect(accountsOf(await statusOf(app))).toEqual(['team app']);
    await app.gitHost.installations.lost(70, 'deleted');
    expect(await statusOf(app)).toMatchObject({ state: 'disconnected', accounts: [] });
    expect((await get(app, '/repos/team/shop/clone-token')).status).toBe(409);
  });
});
