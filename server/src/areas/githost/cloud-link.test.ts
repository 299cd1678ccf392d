import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, scriptedHost } from '../../../test/rig/githost-script.ts';
import { connect, owner, publicUrl, seedAccount, startWithHost, statusOf } from './githost-rig.ts';

const token = `mrg_pat_${'c'.repeat(43)}`;
const url = 'https://cloud.example.com/connect?state=x';
const installUrl = 'https://github.example.com/apps/cloud/installations/new';
const nobody = { webUrl: 'http://127.0.0.1:1' };

/** A cloud whose app is not installed anywhere yet. */
const cloudThatAnswers: RequestListener = (request, response) => {
  const overview = { success: true, data: { host: nobody.webUrl, installUrl, installations: [] } };
  json(request.method === 'POST' ? { url } : overview)(request, response);
};

const overviewOf = (account: object) => ({
  success: true,
  data: {
    host: nobody.webUrl,
    installUrl,
    installations: [{ id: 70, account: { type: 'user', ...account }, suspendedAt: null }],
  },
});

/** Starts an instance without app or client, linked to a cloud with this behavior. */
async function linked(answer: RequestListener | string, more: Parameters<typeof startWithHost>[2] = {}) {
  const cloud = typeof answer === 'string' ? { url: answer, asked: [] } : await scriptedHost(answer);
  const env = { MOORING_CLOUD_URL: cloud.url, MOORING_CLOUD_TOKEN: token, GITHOST_TIMEOUT: '1', ...more.env };
  const app = await startWithHost('sqlite', nobody, { app: false, client: 'none', alone: true, ...more, env });
  onTestFinished(() => app.close());
  return { app, cloud };
}

describe('instance linked to a cloud', () => {
  it('redirects to the URL of the cloud', async () => {
    const { app, cloud } = await linked(cloudThatAnswers);
    expect((await connect(app, owner)).body).toEqual({ connected: false, flow: 'redirect', url });
    expect((await connect(app, owner, 'oauth')).body).toEqual({ connected: false, flow: 'redirect', url });
    const begun = cloud.asked.filter(({ method }) => method === 'POST');
    expect(begun.map(({ method, url: path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ['POST', '/api/cloud/githost/connect', { source: 'app', returnUrl: `${publicUrl}/` }],
      ['POST', '/api/cloud/githost/connect', { source: 'oauth', returnUrl: `${publicUrl}/` }],
    ]);
    for (const { headers } of cloud.asked) expect(headers.authorization).toBe(`Bearer ${token}`);
    expect(await statusOf(app)).toEqual({
      state: 'disconnected',
      accounts: [],
      installUrl,
      cloudUnreachable: false,
    });
  });

  it.each<[string, RequestListener | string]>([
    ['is not there', 'http://127.0.0.1:1'],
    ['says nothing', () => {}],
    ['fails', json({ message: token }, 500)],
    ['is busy', json({}, 503)],
    ['has too many of us', json({ error: 'wait', code: 'rate_limited' }, 429, { 'retry-after': '5' })],
    ['names what no database takes', json(overviewOf({ id: 7, login: 'a\0b' }))],
    ['counts beyond what a database does', json(overviewOf({ id: 2 ** 70, login: 'a' }))],
    ['sends us elsewhere', json({}, 302, { location: 'http://169.254.169.254/' })],
    ['answers a page', (_, response) => void response.end('<html>')],
    ['answers something else', json({ ok: true })],
    ['answers another kind of address', json({ url: 'javascript:alert(1)' })],
    ['sends an endless response', json({ url: `https://x/${'x'.repeat(100_000)}` })],
  ])('reports cloud_unreachable when the cloud %s', async (_, answer) => {
    const { app } = await linked(answer);
    const error = 'cloud_unreachable';
    for (const source of [undefined, 'oauth']) {
      const refused = await connect(app, owner, source);
      const body = { success: false, error, code: error, message: expect.any(String) };
      expect(refused).toMatchObject({ status: 503, body });
      expect(refused.text).not.toContain(token);
    }
    expect(await statusOf(app)).toMatchObject({ state: 'disconnected', installUrl: null, cloudUnreachable: true });
  });

  it.each([401, 403, 404, 400])('reports not_configured when the cloud responds with %i', async (status) => {
    const { app } = await linked(json({ error: token }, status));
    const refused = await connect(app, owner);
    expect(refused).toMatchObject({ status: 400, body: { code: 'not_configured' } });
    expect(refused.text).not.toContain(token);
    expect((await statusOf(app)).cloudUnreachable).toBe(false);
  });

  it('does not call the cloud if it has its own client or is connected', async () => {
    const own = await linked(json({ url }), { client: 'secret' });
    expect((await connect(own.app, owner)).body).toMatchObject({ flow: 'redirect' });
    expect(await statusOf(own.app)).toMatchObject({ installUrl: null, cloudUnreachable: false });
    expect(own.cloud.asked).toEqual([]);
    const hosted = await linked(json({ url }), { env: { MOORING_MODE: 'cloud' } });
    expect((await connect(hosted.app, owner)).body).toMatchObject({ code: 'not_configured' });
    expect(hosted.cloud.asked).toEqual([]);
    const other = await linked(json({ url }), { client: 'secret' });
    await seedAccount(other.app);
    await statusOf(other.app);
    expect(other.cloud.asked).toEqual([]);
  });
});
