import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from '../../../lib/zod/index.ts';
import { type Asked, inTurn, json, scriptedHost } from '../../../../test/rig/githost-script.ts';
import { gitHubAddresses, installAddress } from './addresses.ts';
import type { GitHubOptions } from './call.ts';
import { GitHubClient } from './client.ts';
import { bearer } from './credential.ts';
import { ETagCache } from './etag-cache.ts';
import { allPages, parseLinkHeader } from './pages.ts';
import { apiPath, filePath } from './path.ts';
import { limitedUntil } from './rate-limits.ts';

const token = 'ghs_of_this_test_0123456789abcdef';
const credential = bearer(token);
const anything = z.unknown();

function clientOf(url: string, change: Partial<GitHubOptions> = {}): GitHubClient {
  const client = new GitHubClient({
    ...gitHubAddresses({ webUrl: url, apiUrl: `${url}/api` }),
    reach: 'private',
    ...change,
  });
  onTestFinished(() => client.close());
  return client;
}

async function host(answer: RequestListener) {
  const { url, asked } = await scriptedHost(answer);
  const client = clientOf(url);
  const get = (path = '/x', more: object = {}) => client.json({ path, credential, ...more }, anything);
  return { url, asked, client, get };
}

const paths = (asked: Asked[]) => asked.map(({ method, url }) => `${method} ${url}`);

describe('GitHub client responses', () => {
  it('are parsed, and requests carry the credential and our user agent', async () => {
    const { get, asked } = await host(json({ id: 1 }));
    expect(await get('/user', { query: { a: 'b&c', none: undefined } })).toEqual({ id: 1 });
    expect(asked[0]).toMatchObject({
      url: '/api/user?a=b%26c',
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'mooring', accept: 'application/vnd.github+json' },
    });
  });

  it.each([
    [401, {}, 'unauthorized'],
    [403, { message: 'Resource not accessible by integration' }, 'forbidden'],
    [404, {}, 'not_found'],
    [410, {}, 'not_found'],
    [451, {}, 'not_found'],
    [409, { message: 'Git Repository is empty.' }, 'conflict'],
    [422, { message: 'Validation Failed', errors: [{ message: 'name already exists on this account' }] }, 'conflict'],
    [422, { message: 'Validation Failed', errors: 'odd' }, 'invalid'],
    [400, { message: 'Problems parsing JSON' }, 'invalid'],
    [418, null, 'invalid'],
    [500, { message: 'Server Error' }, 'unavailable'],
    [303, {}, 'unavailable'],
  ])('with status %i and %j fail with %s', async (status, body, code) => {
    const { get } = await host(json(body, status));
    await expect(get()).rejects.toMatchObject({ name: 'GitHostError', code });
  });

  it("never put the credential's secret into an error", async () => {
    const { client } = await host(json({ message: 'no entry with a:plain/word, sorry' }, 403));
    const call = client.call({ path: '/x', credential: bearer('a:plain/word') });
    await expect(call).rejects.toThrow('no entry with [hidden], sorry');
  });

  it('never put a token into an error', async () => {
    const other = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const { get } = await host(json({ message: `bad ${token}\n\n and ${other} in here` }, 403));
    const error = await get().catch((error: Error) => error);
    expect(String(error)).toContain('bad [hidden] and [hidden] in here');
    expect(JSON.stringify(error) + (error as Error).stack).not.toMatch(/ghs_|ghp_/);
  });

  it.each([
    ['no JSON', (_, response) => response.end('<html>')],
    ['half of it', (_, response) => response.end('{"id": ')],
    ['nothing', (_, response) => response.end()],
    ['something else', json([1, 2])],
    ['null', json(null)],
  ] as [string, RequestListener][])('with an invalid body (%s) count as an outage', async (_, answer) => {
    const { client } = await host(answer);
    const call = client.json({ path: '/x', credential }, z.object({ id: z.number() }));
    await expect(call).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are cut off above the size limit', async () => {
    let sent = 0;
    const { get, asked } = await host((_, response) => {
      const chunk = Buffer.alloc(64 << 10, 'x');
      const more = () => {
        while (!response.destroyed && (sent += chunk.length) && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await expect(get()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('8388608') });
    expect(sent).toBeLessThan(32 << 20);
    expect(asked).toHaveLength(1);
  });
});

describe('unreachable git host', () => {
  it('gets retries of idempotent requests only', async () => {
    const cut: RequestListener = (_, response) => response.socket!.resetAndDestroy();
    const { get, asked, client } = await host(inTurn(json({}, 502), cut, json({ id: 1 })));
    expect(await get()).toEqual({ id: 1 });
    expect(asked).toHaveLength(3);
    expect(await client.json({ path: '/x', credential }, anything)).toEqual({ id: 1 });
    const down = await host(json({}, 503));
    await expect(down.get()).rejects.toMatchObject({ code: 'unavailable' });
    expect(down.asked).toHaveLength(3);
    for (const trouble of [json({}, 502), cut]) {
      const once = await host(trouble);
      const call = { method: 'POST', path: '/repos', body: { name: 'x' }, credential } as const;
      await expect(once.client.call(call)).rejects.toMatchObject({ code: 'unavailable' });
      expect(once.asked, 'made once at most').toHaveLength(1);
    }
  });

  it('may have deleted the resource although its response was lost', async () => {
    const { client, asked } = await host(inTurn(json({}, 502), json({}, 404)));
    await client.call({ method: 'DELETE', path: '/x', credential });
    expect(asked).toHaveLength(2);
    const absent = await host(json({}, 404));
    await expect(absent.client.call({ method: 'DELETE', path: '/x', credential })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it("is not waited for beyond the deadline or the caller's abort", async () => {
    const { get } = await host((request, response) => {
      if (request.url!.endsWith('trickle')) response.writeHead(200).write('{');
    });
    const began = Date.now();
    for (const path of ['/silent', '/trickle'])
      await expect(get(path, { deadlineMs: 300 })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('in time'),
      });
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('left')), 100);
    await expect(get('/silent', { signal: stop.signal })).rejects.toThrow('left');
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  it('is reported when the port is closed or speaks another protocol', async () => {
    const { port } = await new Promise<{ port: number }>((resolve) => {
      const server = createServer((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1', () =>
        resolve(server.address() as { port: number }),
      );
      onTestFinished(() => void server.close());
    });
    for (const url of [
      'http://127.0.0.1:1',
      `http://127.0.0.1:${port}`,
      `https://127.0.0.1:${port}`,
      'http://nowhere.invalid',
    ])
      await expect(clientOf(url).json({ path: '/x', credential }, anything), url).rejects.toMatchObject({
        code: 'unavailable',
      });
  });
});

describe('request addresses', () => {
  it('never reach a metadata service, nor private addresses with public reach', async () => {
    const metadata = [
      'http://169.254.169.254',
      'http://[fd00:ec2::254]',
      'http://100.100.100.200',
      'http://[::ffff:169.254.169.254]',
    ];
    for (const url of metadata)
      for (const reach of ['private', 'public'] as const)
        await expect(clientOf(url, { reach }).json({ path: '/x', credential }, anything), url).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('is refused: '),
        });
    const { url, asked } = await host(json({}));
    for (const address of [url, url.replace('127.0.0.1', 'localhost')])
      await expect(clientOf(address, { reach: 'public' }).call({ path: '/x', credential })).rejects.toMatchObject({
        code: 'unavailable',
      });
    expect(asked).toEqual([]);
  });

  it('stay within the API when the host redirects elsewhere', async () => {
    const other = await scriptedHost(json({ stolen: true }));
    const { get, url, client, asked } = await host((request, response) => {
      const target = new URL(request.url!, 'http://x').searchParams.get('to');
      if (target) response.writeHead(302, { location: target }).end();
      else json({ id: 1 })(request, response);
    });
    const hostOf = new URL(url).host;
    const bad = [
      `${other.url}/api/x`,
      'http://169.254.169.254/latest',
      '/outside',
      `http://a:b@${hostOf}/api/x`,
      'file:///etc/passwd',
      `${url}/api/../y`,
      '//',
      'http://',
    ];
    for (const to of bad) await expect(get('/x', { query: { to } }), to).rejects.toMatchObject({ code: 'unavailable' });
    expect(other.asked).toEqual([]);
    expect(
      asked.every(({ url: path }) => path.startsWith('/api/x?to=')),
      'one request each',
    ).toBe(true);
    expect(await get('/x', { query: { to: '/api/repositories/1' } }), 'a renamed repository').toEqual({ id: 1 });
    await expect(
      client.call({ method: 'POST', path: '/x', query: { to: '/api/y' }, credential }),
    ).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('follow at most three redirects', async () => {
    const { get, asked } = await host((_, response) => void response.writeHead(302, { location: '/api/x' }).end());
    await expect(get()).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked).toHaveLength(4);
  });

  it('encode each name as one path segment', () => {
    expect(apiPath`/repos/${'a/b'}/${'c?d#e'}`).toBe('/repos/a%2Fb/c%3Fd%23e');
    expect(filePath('/src//./a b/é?')).toBe('src/a%20b/%C3%A9%3F');
    for (const bad of ['', '.', '..', 'a\0b', 'a\nb', '\ud800'])
      expect(() => apiPath`/repos/${bad}`, JSON.stringify(bad)).toThrow(expect.objectContaining({ code: 'not_found' }));
    for (const bad of ['../x', 'a/../../b', 'a/..'])
      expect(() => filePath(bad), bad).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('are derived for github.com, ghe.com and Enterprise servers', () => {
    expect(gitHubAddresses()).toEqual({
      webUrl: 'https://github.com',
      apiUrl: 'https://api.github.com',
      uploadsUrl: 'https://uploads.github.com',
    });
    expect(gitHubAddresses({ webUrl: 'https://octo.ghe.com/' })).toMatchObject({ apiUrl: 'https://api.octo.ghe.com' });
    const own = gitHubAddresses({ webUrl: 'https://git.example.com/' });
    expect(own).toMatchObject({
      apiUrl: 'https://git.example.com/api/v3',
      uploadsUrl: 'https://git.example.com/api/uploads',
    });
    expect(installAddress(own, 'our app', 'a&b')).toBe(
      'https://git.example.com/github-apps/our%20app/installations/new?state=a%26b',
    );
    expect(installAddress(gitHubAddresses(), 'app', 's')).toBe('https://github.com/apps/app/installations/new?state=s');
    for (const webUrl of ['ftp://x', 'nothing', 'https://user:secret@x', 'https://x?y'])
      expect(() => gitHubAddresses({ webUrl }), webUrl).toThrow(/address/);
  });
});

describe('rate limits of a git host', () => {
  const inAMinute = () => String(Math.floor(Date.now() / 1000) + 60);
  const primary = () =>
    json({ message: 'API rate limit exceeded' }, 403, {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': inAMinute(),
    });

  it('block further requests of the credential until the reset', async () => {
    const { get, asked, client } = await host(primary());
    for (let i = 0; i < 3; i++) {
      const error = await get().catch((error: unknown) => error);
      expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(/try again in \d+ seconds/) });
      expect(Math.abs((error as { retryAt: number }).retryAt - Date.now() - 60_000)).toBeLessThan(3_000);
    }
    expect(asked).toHaveLength(1);
    await expect(
      client.json({ path: '/x', credential: bearer('another') }, anything),
      'only of that one',
    ).rejects.toMatchObject({ code: 'rate_limited' });
    expect(asked).toHaveLength(2);
  });

  it('end at the reset time', async () => {
    const { get } = await host(inTurn(json({}, 429, { 'retry-after': '1' }), json({ id: 1 })));
    await expect(get()).rejects.toMatchObject({ code: 'rate_limited' });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await get()).toEqual({ id: 1 });
  });

  it('are recognized for both kinds, and not in other 403 responses', () => {
    const until = (status: number, headers: object, message = '') =>
      limitedUntil({ status, headers: { ...headers }, body: message }, 1000);
    expect(until(403, { 'retry-after': '30' })).toBe(31_000);
    expect(until(429, {})).toBe(61_000);
    expect(until(403, {}, 'You have exceeded a secondary rate limit.')).toBe(61_000);
    expect(until(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999' }), 'an hour at most').toBe(
      3_601_000,
    );
    expect(until(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' })).toBe(61_000);
    expect(until(403, { 'x-ratelimit-remaining': '12' })).toBeUndefined();
    expect(until(200, { 'x-ratelimit-remaining': '0' })).toBeUndefined();
  });
});

describe('response cache', () => {
  const tagged: RequestListener = ({ headers }, response) => {
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else json({ for: headers.authorization }, 200, { etag: '"1"' })({} as never, response);
  };

  it('revalidates with the ETag, separately for each credential', async () => {
    const { get, client, asked } = await host(tagged);
    const mine = { for: `Bearer ${token}` };
    expect([await get(), await get(), await get()]).toEqual([mine, mine, mine]);
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"']);
    expect(await client.json({ path: '/x', credential: bearer('other') }, anything)).toEqual({ for: 'Bearer other' });
  });

  it('skips requests within maxAgeMs until the credential writes something', async () => {
    const { get, client, asked } = await host(tagged);
    const list = () => get('/x', { maxAgeMs: 10_000 });
    await list();
    await list();
    expect(asked).toHaveLength(1);
    await client.call({ method: 'POST', path: '/y', body: {}, credential });
    await list();
    await list();
    expect(paths(asked)).toEqual(['GET /api/x', 'POST /api/y', 'GET /api/x']);
  });

  it('drops an entry after an error response', async () => {
    const { get } = await host(
      inTurn(json({ id: 1 }, 200, { etag: '"1"' }), json({}, 404), json({}, 304), json({ id: 2 })),
    );
    await get();
    await expect(get('/x', { maxAgeMs: 0 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(get('/x', { maxAgeMs: 60_000 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await get()).toEqual({ id: 2 });
  });

  it('returns a shared, frozen value', async () => {
    const { get } = await host(tagged);
    const first = (await get()) as { for: string };
    expect(() => (first.for = 'me')).toThrow(TypeError);
    expect(await get()).toBe(first);
  });

  it('keeps an entry while the host is unavailable', async () => {
    const { get, asked } = await host(inTurn(tagged, json({}, 500), tagged));
    const first = await get();
    await expect(get()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await get()).toBe(first);
    expect(asked[2]!.headers['if-none-match']).toBe('"1"');
  });

  it('is bounded in entries and bytes', () => {
    const cache = new ETagCache({ maxEntries: 10, maxBytes: 8_000 });
    const page = (bytes: number) => ({ value: 'x'.repeat(bytes - 2), link: undefined });
    for (let i = 0; i < 100; i++) cache.set(`key ${i}`, 'me', page(900), 'etag');
    expect(cache.size).toEqual({ entries: 8, bytes: 7_200 });
    cache.set('huge', 'me', page(1_001), 'etag');
    expect(cache.get('huge')).toBeUndefined();
    cache.get('key 92');
    cache.set('one more', 'me', page(900), 'etag');
    expect([cache.get('key 92'), cache.get('key 93')]).toEqual([expect.anything(), undefined]);
  });
});

describe('paginated lists', () => {
  const item = z.object({ id: z.number() });
  const pageOf =
    (count: number, links: (page: number, url: URL) => string): RequestListener =>
    (request, response) => {
      const url = new URL(request.url!, `http://${request.headers.host}`);
      const page = Number(url.searchParams.get('page') ?? 1);
      const items = Array.from({ length: Math.min(100, count - (page - 1) * 100) }, (_, i) => ({
        id: (page - 1) * 100 + i,
      }));
      json(items, 200, { link: links(page, url) })(request, response);
    };
  const link = (url: URL, page: number, rel: string) => {
    url.searchParams.set('page', String(page));
    return `<${url.href}>; rel="${rel}"`;
  };

  it.each([
    ['that says which page is the last', true],
    ['that only says which is the next', false],
  ])('are complete and in order with a host %s', async (_, saysLast) => {
    const { client, asked } = await host(
      pageOf(1_950, (page, url) =>
        page < 20 ? [link(url, page + 1, 'next'), ...(saysLast ? [link(url, 20, 'last')] : [])].join(', ') : '',
      ),
    );
    const all = await allPages(client, { path: '/x', credential, query: { type: 'all' } }, item);
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 1_950 }, (_, i) => i));
    expect(asked).toHaveLength(20);
    expect(asked.every(({ url }) => url.includes('type=all') && url.includes('per_page=100'))).toBe(true);
  });

  it('are bounded and do not follow links to other hosts', async () => {
    const other = await scriptedHost(json([]));
    const endless = await host(pageOf(1e9, (page, url) => link(url, page + 1, 'next')));
    await expect(allPages(endless.client, { path: '/x', credential, maxBytes: 1e6 }, item)).rejects.toMatchObject({
      code: 'invalid',
    });
    const boast = await host(pageOf(1e9, (_, url) => `${link(url, 2, 'next')}, ${link(url, 1e9, 'last')}`));
    await expect(allPages(boast.client, { path: '/x', credential }, item)).rejects.toMatchObject({ code: 'invalid' });
    expect(boast.asked).toHaveLength(1);
    const away = await host(json([], 200, { link: `<${other.url}/api/x?page=2>; rel="next"` }));
    await expect(allPages(away.client, { path: '/x', credential }, item)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(other.asked).toEqual([]);
    expect(parseLinkHeader('<no url>; rel="next", <http://a/?page=2>; rel="last"')).toEqual({
      last: new URL('http://a/?page=2'),
    });
  });
});
