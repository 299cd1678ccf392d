import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from '../lib/zod/index.ts';
import { ownerToken, startApp, type TestApp } from '../../test/rig/app.ts';
import { signInOwner } from '../../test/rig/people.ts';
import { emptyResponse, okDone } from './responses.ts';
import { defineRoute } from './define-route.ts';

const routes = [
  defineRoute({
    method: 'POST',
    path: '/api/test/echo',
    permission: 'public',
    summary: 'Echo',
    body: z.object({ text: z.string().max(20), count: z.number().int().min(1).optional() }),
    output: z.object({ text: z.string() }),
    handle: ({ body }) => ({ text: body.text, secret: 'not in the schema' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/test/broken',
    permission: 'public',
    summary: 'Break',
    output: emptyResponse,
    handle(): never {
      throw new Error('SELECT secret FROM somewhere');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/test/ip',
    permission: 'public',
    summary: 'Ip',
    output: z.object({ ip: z.string() }),
    handle: ({ ip }) => ({ ip }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/test/local',
    permission: 'public',
    mode: 'self-hosted',
    summary: 'Local',
    output: emptyResponse,
    handle: () => okDone,
  }),
];

describe('HTTP server', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite', { routes });
  });
  afterAll(() => app.close());

  const echo = (body: unknown, headers?: Record<string, string>) =>
    app.call('POST', '/api/test/echo', { body, ...(headers && { headers }) });

  it('responds with the fields of the schema only', async () => {
    expect((await echo({ text: 'hi' })).body).toEqual({ text: 'hi' });
  });

  it.each([
    [{}, 'text is required'],
    [{ text: 5 }, 'text must be a string'],
    [{ text: 'x'.repeat(21) }, 'text must have at most 20 characters'],
    [{ text: 'x', count: 0 }, 'count must be at least 1'],
    [[], 'body must be an object'],
    ['"text"', 'body must be an object'],
    ['null', 'text is required'],
    [{ text: 'a\0b' }, 'text must not have NUL characters'],
  ])('explains what is wrong with %j', async (body, sentence) => {
    const { status, body: answer } = await echo(body);
    expect(status).toBe(400);
    expect(answer).toMatchObject({ success: false, error: sentence, code: 'bad_request' });
  });

  it.each(['{', '{"text": }', '\u0001', '{"__proto__": {"x": 1}, "text": "a"}'])(
    'rejects the malformed body %j',
    async (body) => {
      expect(await echo(body)).toMatchObject({ status: 400, body: { success: false, code: 'malformed_json' } });
    },
  );

  it('treats an empty body with a JSON content type as no body', async () => {
    expect((await echo('')).body).toMatchObject({ error: 'text is required' });
  });

  it('rejects other content types and large bodies', async () => {
    expect(await echo('text=a', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 400,
      body: { code: 'unsupported_media_type' },
    });
    expect(await echo({ text: 'x'.repeat(1_100_000) })).toMatchObject({
      status: 413,
      body: { success: false, code: 'too_large' },
    });
  });

  it('writes internal errors to the log and not to the response', async () => {
    const { status, text } = await app.call('GET', '/api/test/broken');
    expect(status).toBe(500);
    expect(text).not.toContain('SELECT');
    expect(text).toMatch(/see the log of Mooring for request req_/);
  });

  it('answers unknown API paths in JSON', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api/%00', '/api/me/../x']) {
      const { status, body } = await app.call('GET', path);
      expect([400, 404]).toContain(status);
      expect(body).toMatchObject({ success: false });
    }
    expect((await app.call('GET', '/api/%E0%A4%A')).status).toBe(400);
  });

  it.each(['token=x', 'access_token=x', 'api_key=x', `q=${ownerToken}`, `a=1&a=${ownerToken}`])(
    'rejects credentials in the query: %s',
    async (query) => {
      expect(await app.call('GET', `/api/me?${query}`, { token: ownerToken })).toMatchObject({
        status: 400,
        body: { code: 'credentials_in_query' },
      });
    },
  );

  it('sets security headers', async () => {
    const { headers } = await app.call('GET', '/api/health');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-request-id']).toMatch(/^req_/);
  });

  describe('changes by cookie', () => {
    const change = async (headers: Record<string, string>) =>
      (
        await app.call('POST', '/api/organizations', {
          cookie: await signInOwner(app),
          body: { name: 'Other' },
          headers: { host: 'mooring.test', ...headers },
        })
      ).status;

    it.each([
      ['another origin', { origin: 'https://evil.example' }, 403],
      ['another port', { origin: 'http://mooring.test:81' }, 403],
      ['another scheme', { origin: 'https://mooring.test' }, 403],
      ['another site that claims our origin', { origin: 'http://mooring.test', 'sec-fetch-site': 'cross-site' }, 403],
      ['no origin at all', { origin: 'null' }, 403],
      ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, 403],
      ['a same-site fetch of a neighbour', { 'sec-fetch-site': 'same-site', origin: 'http://app.mooring.test' }, 403],
      ['its own page', { origin: 'http://mooring.test', 'sec-fetch-site': 'same-origin' }, 201],
      ['a program, which says nothing', {}, 201],
    ])('from %s', async (_, headers, status) => {
      expect(await change(headers as Record<string, string>)).toBe(status);
    });

    it('do not concern tokens', async () => {
      const { status } = await app.call('POST', '/api/organizations', {
        token: ownerToken,
        body: { name: 'Other' },
        headers: { origin: 'https://evil.example' },
      });
      expect(status).toBe(201);
    });
  });

  it('answers malformed HTTP on the socket', async () => {
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('NOT HTTP\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"success":false');
  });
});

it('does not start with a route that declares no permission', async () => {
  const bad = { ...routes[0]!, permission: undefined as never };
  await expect(startApp('sqlite', { routes: [bad] })).rejects.toThrow('POST /api/test/echo declares no permission');
});

it('mounts self-hosted routes in self-hosted mode only', async () => {
  const [here, cloud] = [
    await startApp('sqlite', { routes }),
    await startApp('sqlite', { routes, env: { MOORING_MODE: 'cloud' } }),
  ];
  expect((await here.call('GET', '/api/test/local')).status).toBe(200);
  expect(await cloud.call('GET', '/api/test/local')).toMatchObject({ status: 404, body: { success: false } });
  expect((await cloud.call('GET', '/api/health')).body).toMatchObject({ mode: 'cloud' });
  await Promise.all([here.close(), cloud.close()]);
});

it('limits requests by caller and by address, with Retry-After', async () => {
  const app = await startApp('sqlite', { env: { MOORING_REQUEST_LIMIT: '20', MOORING_ANONYMOUS_REQUEST_LIMIT: '5' } });
  const statuses = async (times: number, token?: string) => {
    const answers = [];
    for (let i = 0; i < times; i++)
      answers.push(await app.call('GET', token ? '/api/me' : '/api/auth/setup', token ? { token } : {}));
    return answers;
  };
  const anonymous = await statuses(7);
  expect(anonymous.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(anonymous.at(-1)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(Number(anonymous.at(-1)!.headers['retry-after'])).toBeGreaterThan(0);
  expect((await statuses(22, ownerToken)).filter(({ status }) => status === 200)).toHaveLength(20);
  expect((await app.call('GET', '/api/health')).status).toBe(200);
  await app.close();
});

it('trusts forwarded addresses of trusted proxies only', async () => {
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.9' } };
  const [open, trusting] = [
    await startApp('sqlite', { routes }),
    await startApp('sqlite', { routes, env: { MOORING_TRUSTED_PROXIES: '127.0.0.0/8' } }),
  ];
  expect((await open.call('GET', '/api/test/ip', forwarded)).body).toEqual({ ip: '127.0.0.1' });
  expect((await trusting.call('GET', '/api/test/ip', forwarded)).body).toEqual({ ip: '203.0.113.9' });
  await Promise.all([open.close(), trusting.close()]);
});

it('marks the cookie Secure where clients use TLS', async () => {
  const app = await startApp('sqlite', { env: { MOORING_PUBLIC_URL: 'https://mooring.example' } });
  const { headers } = await app.call('POST', '/api/auth/sign-in', {
    body: { email: 'owner@example.com', password: 'correct horse battery' },
  });
  expect(headers['set-cookie']).toMatch(/^__Host-mooring_session=.*Path=\/; HttpOnly; SameSite=Lax; .*Secure/);
  const [cookie] = String(headers['set-cookie']).split(';');
  expect((await app.call('GET', '/api/me', { cookie: cookie! })).status).toBe(200);
  expect(
    (await app.call('GET', '/api/me', { cookie: cookie!.replace('__Host-', '') })).status,
    'one that a neighbour planted',
  ).toBe(401);
  await app.close();
});
