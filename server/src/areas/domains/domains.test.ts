import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { foreignOrganization, join, newToken } from '../../../test/rig/people.ts';
import { projectWith } from '../../../test/rig/domains.ts';

type Domain = Record<string, unknown> & { name: string; isPrimary: boolean };
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Domain }).data;

describe.each(databaseKindsInFull)('domains on %s', (kind) => {
  let app: TestApp;
  let project: string;
  beforeAll(async () => {
    const env = { MOORING_BASE_DOMAIN: 'apps.example.net', MOORING_PUBLIC_URL: 'https://mooring.example.com:8443' };
    app = await startApp(kind, { env });
    project = await projectWith(app, []);
  });
  afterAll(() => app.close());

  const at = (id = project) => `/api/projects/${id}/domains`;
  const add = (body: object, { id = project, token = ownerToken } = {}) => app.call('POST', at(id), { token, body });
  const list = async (id = project) =>
    (await app.call('GET', at(id), { token: ownerToken })).body['data'] as unknown as Domain[];
  const change = (name: string, body: object) => app.call('PATCH', `${at()}/${name}`, { token: ownerToken, body });

  it('are stored in lower-case ASCII; the first is the primary one', async () => {
    const first = await add({ name: 'Shop.Example.COM.' });
    expect(first.status).toBe(201);
    expect(dataOf(first)).toMatchObject({
      name: 'shop.example.com',
      projectId: project,
      environment: 'production',
      service: null,
      path: '/',
      redirectTo: null,
      isPrimary: true,
      https: 'redirect',
      hstsSeconds: null,
      url: 'http://shop.example.com',
      pointing: null,
      certificate: null,
      action: { required: false },
    });
    expect(dataOf(await add({ name: 'bücher.example.com' }))).toMatchObject({
      name: 'xn--bcher-kva.example.com',
      isPrimary: false,
    });
    expect((await list()).map(({ name }) => name)).toEqual(['shop.example.com', 'xn--bcher-kva.example.com']);
  });

  it.each([
    ['no name', {}, 'name is required'],
    ['a blank one', { name: '  ' }, 'is not a domain name'],
    ['an address', { name: '192.0.2.1' }, 'is not a domain name'],
    ['a word', { name: 'shop' }, 'is not a domain name'],
    ['a wildcard', { name: '*.example.com' }, 'is not a domain name'],
    ['a URL', { name: 'https://example.com/x' }, 'is not a domain name'],
    ['a line break', { name: 'a.example.com\r\nX: y' }, 'is not a domain name'],
    ['the domain of the instance', { name: 'apps.example.net' }, 'names below apps.example.net'],
    ['one below it', { name: 'x.apps.example.net' }, 'names below apps.example.net'],
    ['a path without a slash', { name: 'p.example.com', path: 'docs' }, 'path must begin with a slash'],
    [
      'a redirect to itself',
      { name: 'r.example.com', redirectTo: 'r.example.com' },
      'redirectTo must be another domain',
    ],
    ['a redirect to a path', { name: 'r.example.com', redirectTo: 'https://x.example.com/a' }, 'redirectTo must be'],
    [
      'a redirect to no web address',
      { name: 'r.example.com', redirectTo: 'javascript:alert(1)' },
      'redirectTo must be',
    ],
    [
      'one that redirects and is the first',
      { name: 'r.example.com', redirectTo: 'x.example.com', isPrimary: true },
      'cannot be primary',
    ],
    ['a service that is none', { name: 'r.example.com', service: '\u001b[31m<b>' }, 'service must be'],
    ['the name of the instance itself', { name: 'Mooring.example.com' }, 'is the domain of this instance itself'],
    ['too long a time', { name: 'r.example.com', hstsSeconds: 1e9 }, 'hstsSeconds'],
  ])('reject %s', async (_what, body, sentence) => {
    const answer = await add(body);
    expect(answer.status).toBe(400);
    expect((answer.body as unknown as { error: string }).error).toContain(sentence);
  });

  it('have one owner across the instance, also when several add one concurrently', async () => {
    const stranger = await foreignOrganization(app);
    const other = await projectWith(app, [], { token: stranger.token });
    const taken = await add({ name: 'shop.example.com' }, { id: other, token: stranger.token });
    expect(taken.status).toBe(409);
    expect(taken.text).not.toContain(project);
    expect((await add({ name: 'shop.example.com' })).status).toBe(409);
    const racing = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        i % 2
          ? add({ name: 'race.example.com' })
          : add({ name: 'race.example.com' }, { id: other, token: stranger.token }),
      ),
    );
    expect(racing.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(racing.filter(({ status }) => status === 409)).toHaveLength(7);
    for (const [method, path] of [
      ['GET', at()],
      ['PATCH', `${at()}/shop.example.com`],
      ['DELETE', `${at()}/shop.example.com`],
      ['POST', `${at()}/shop.example.com/check`],
    ] as const)
      expect((await app.call(method, path, { token: stranger.token, body: {} })).status, method).toBe(404);
  });

  it('can only be changed with write permission on the project', async () => {
    const viewer = await join(app, 'viewer@example.com', 'viewer');
    const token = await newToken(app, viewer.cookie, ['project:read', 'project:list']);
    expect((await app.call('GET', at(), { token })).status).toBe(200);
    expect((await add({ name: 'viewer.example.com' }, { token })).status).toBe(403);
  });

  it('can change primary flag, redirect and HSTS', async () => {
    await add({ name: 'www.example.com' });
    expect(dataOf(await change('www.example.com', { isPrimary: true, hstsSeconds: 3600 }))).toMatchObject({
      isPrimary: true,
      hstsSeconds: 3600,
    });
    const primary = async () => (await list()).filter(({ isPrimary }) => isPrimary).map(({ name }) => name);
    expect(await primary()).toEqual(['www.example.com']);
    expect((await change('www.example.com', { redirectTo: 'shop.example.com' })).status).toBe(200);
    expect(await primary(), 'another one takes its place').toEqual(['shop.example.com']);
    expect(dataOf(await change('www.example.com', { redirectTo: 'shop.example.com' }))).toMatchObject({
      redirectTo: 'shop.example.com',
      isPrimary: false,
    });
    expect((await change('www.example.com', { isPrimary: true })).status).toBe(400);
    for (const redirectTo of ['www.example.com', 'https://www.example.com'])
      expect((await change('shop.example.com', { redirectTo })).text, 'round and round').toContain('redirect back');
    expect((await change('nothing.example.com', {})).status).toBe(404);
    const audit = await app.call('GET', '/api/audit', { token: ownerToken });
    for (const action of ['domain.added', 'domain.changed']) expect(audit.text).toContain(action);
  });

  it('get a new primary one when it is removed', async () => {
    const id = await projectWith(app, []);
    for (const name of ['one.example.org', 'two.example.org', 'three.example.org']) await add({ name }, { id });
    await app.call('DELETE', `${at(id)}/ONE.example.org`, { token: ownerToken });
    expect((await list(id)).filter(({ isPrimary }) => isPrimary).map(({ name }) => name)).toEqual(['two.example.org']);
    expect((await app.call('GET', '/api/audit', { token: ownerToken })).text).toContain('one.example.org');
  });

  it('are removed with their certificates and can then be added elsewhere', async () => {
    const answer = await app.call('DELETE', `${at()}/www.example.com`, { token: ownerToken });
    expect(answer.status).toBe(200);
    expect((await list()).map(({ name }) => name)).not.toContain('www.example.com');
    expect((await app.call('DELETE', `${at()}/www.example.com`, { token: ownerToken })).status).toBe(404);
    const other = await projectWith(app, []);
    expect((await add({ name: 'www.example.com' }, { id: other })).status).toBe(201);
    await app.call('DELETE', `/api/projects/${other}`, { token: ownerToken });
    expect((await add({ name: 'www.example.com' })).status).toBe(201);
  });

  it('report a missing DNS record and how to fix it', async () => {
    const answer = await app.call('POST', `${at()}/shop.example.com/check`, { token: ownerToken, body: {} });
    expect(dataOf(answer)).toMatchObject({ pointing: { status: 'not_found' }, action: { required: true } });
    expect((await list()).find(({ name }) => name === 'shop.example.com')).toMatchObject({
      action: { required: true, fix: expect.stringContaining('A record') as string },
    });
  });
});
