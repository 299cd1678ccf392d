import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Drivers } from '../src/app.ts';
import type { DeploymentTable } from '../src/db/tables.ts';
import { seedAccount } from '../src/areas/githost/githost-rig.ts';
import { createGitHub, type GitHub } from '../src/drivers/githost/github/github.ts';
import { permissionsOf, roles } from '../src/areas/access/roles.ts';
import { actions, type Permission, resources } from '../src/http/permission.ts';
import type { Route } from '../src/http/define-route.ts';
import { isForwarded } from '../src/http/forwarding.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { type Answer, ownerPassword, ownerToken, startApp, type TestApp } from './rig/app.ts';
import { selfSigned } from './rig/certificate.ts';
import { newFolder } from './rig/children.ts';
import { databaseKinds } from './rig/databases.ts';
import { projectWith } from './rig/domains.ts';
import { memoryDrivers } from './rig/drivers.ts';
import { scriptedHost } from './rig/githost-script.ts';
import { newAppKey } from './rig/githost-seed.ts';
import { startGitHost } from './rig/githost.ts';
import { foreignOrganization, join, newToken, type Person, signInOwner } from './rig/people.ts';

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
/** An authorized caller gets an endless stream; it has its own test. */
const isEndless = ({ path }: Route) => path === '/api/events';
const withIds = (path: string, id: string) => path.replace(/:\w+/g, encodeURIComponent(id));
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Record<string, string> }).data;

/** Every unauthenticated route. A new public route has to be added here. */
const publicRoutes = [
  'GET /.well-known/acme-challenge/:token',
  'GET /api/auth/setup',
  'GET /api/backup-downloads',
  'GET /api/docs',
  'GET /api/githost/connect/redirect',
  'GET /api/health',
  'GET /api/instance/connection',
  'GET /api/openapi.json',
  'POST /api/auth/reset-password',
  'POST /api/auth/setup',
  'POST /api/auth/sign-in',
  'POST /api/invitations/accept',
  'POST /api/invitations/look',
  'POST /api/webhooks/githost',
  'PUT /api/projects/folder/upload/:id',
];

/** Routes of the caller's own account, without organization permissions. */
const ownAccountRoutes = [
  'GET /api/instance',
  'GET /api/instance/update',
  'GET /api/me',
  'GET /api/workers',
  'POST /api/auth/password',
  'POST /api/auth/sign-out',
  'POST /api/instance/update',
  'POST /api/organizations',
];

describe.each(databaseKinds)('every route on %s', (kind) => {
  let app: TestApp;
  let stranger: Person & { token: string };
  const tokens: Record<string, string> = {};
  const statements: string[] = [];

  beforeAll(async () => {
    const onStatement = (sql: string) => void statements.push(sql);
    const drivers = {
      ...memoryDrivers(),
      // Nothing listens there.
      gitHost: createGitHub({
        webUrl: 'http://127.0.0.1:1',
        reach: 'private',
        app: { id: '1', privateKey: newAppKey() },
      }),
    };
    app = await startApp(kind, { onStatement, drivers, env: { MOORING_ANONYMOUS_REQUEST_LIMIT: '0' } });
    stranger = await foreignOrganization(app);
    await connectGitHost(app);
    for (const role of roles)
      tokens[role] = await newToken(app, (await join(app, `the-${role}@example.com`, role)).cookie, '*');
  });
  afterAll(() => app.close());

  it('declares its permission', () => {
    const declared = new Set<string>([
      'public',
      'signed-in',
      ...resources.flatMap((r) => actions.map((a) => `${r}:${a}`)),
    ]);
    for (const route of app.routes) expect(declared, nameOf(route)).toContain(route.permission);
    const of = (permission: string) =>
      app.routes
        .filter((route) => route.permission === permission)
        .map(nameOf)
        .toSorted();
    expect(of('public')).toEqual(publicRoutes);
    expect(of('signed-in')).toEqual(ownAccountRoutes);
  });

  it('is listed once, and documented', () => {
    const names = app.routes.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    const { paths } = openApiDocument(app.routes, '0') as { paths: Record<string, object> };
    expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(names.length);
  });

  it('requires credentials unless it is public', async () => {
    for (const route of app.routes.filter(({ permission }) => permission !== 'public')) {
      for (const options of [
        {},
        { token: `mrg_pat_${'z'.repeat(43)}` },
        { cookie: `mooring_session=${'z'.repeat(43)}` },
      ]) {
        const { status, body } = await app.call(route.method, withIds(route.path, 'x'), options);
        expect([nameOf(route), status]).toEqual([nameOf(route), 401]);
        expect(body).toMatchObject({ success: false, code: 'unauthenticated' });
      }
    }
  });

  it.each(roles)('allows the role %s exactly where its permissions say', async (role) => {
    const held = permissionsOf(role, []);
    for (const route of app.routes.filter((each) => each.permission.includes(':') && !isEndless(each))) {
      const answer = await app.call(route.method, withIds(route.path, 'unknown_id'), {
        token: tokens[role]!,
        ...(route.method !== 'GET' && { body: {} }),
      });
      // Without a body and with an unknown id nothing changes: an authorized request fails on that.
      if (held.has(route.permission as Permission))
        expect([nameOf(route), answer.status]).not.toEqual([nameOf(route), 403]);
      else expect([nameOf(route), answer.status, answer.body['code']]).toEqual([nameOf(route), 403, 'forbidden']);
    }
  });

  it('allows a token with just its permission, and rejects one with all others', async () => {
    const cookie = await signInOwner(app);
    const all = resources.flatMap((r) => actions.map((a) => `${r}:${a}`));
    for (const permission of new Set(
      app.routes.map((route) => route.permission).filter((each) => each.includes(':')),
    )) {
      const [resource, action] = permission.split(':') as [string, (typeof actions)[number]];
      const implying = { list: ['write', 'admin'], read: ['write', 'admin'], write: ['admin'], admin: [] as string[] }[
        action
      ];
      const only = await newToken(app, cookie, [permission]);
      const others = await newToken(
        app,
        cookie,
        all.filter((each) => each !== permission && !implying.some((a) => each === `${resource}:${a}`)),
      );
      for (const route of app.routes.filter((each) => each.permission === permission && !isEndless(each))) {
        const call = async (token: string) =>
          (
            await app.call(route.method, withIds(route.path, 'unknown_id'), {
              token,
              ...(route.method !== 'GET' && { body: {} }),
            })
          ).status;
        expect([nameOf(route), await call(only)]).not.toEqual([nameOf(route), 403]);
        expect([nameOf(route), await call(others)]).toEqual([nameOf(route), 403]);
      }
    }
  });

  /** One resource of the foreign organization for each kind of id in a path, and a valid body. */
  const foreign: Record<string, () => Promise<string>> = {
    members: async () => stranger.memberId,
    tokens: async () =>
      dataOf(await app.call('POST', '/api/tokens', { token: stranger.token, body: { name: 'x', permissions: '*' } }))[
        'id'
      ]!,
    invitations: async () =>
      dataOf(
        await app.call('POST', '/api/invitations', {
          token: stranger.token,
          body: { email: 'x@example.com', role: 'viewer' },
        }),
      )['id']!,
    projects: () => newProject(app, { token: stranger.token }),
    servers: async () =>
      dataOf(await app.call('POST', '/api/servers', { token: stranger.token, body: newServer() }))['id']!,
    'backup-destinations': async () =>
      dataOf(await app.call('POST', '/api/backup-destinations', { token: stranger.token, body: newDestination() }))[
        'id'
      ]!,
    'backup-policies': async () => newPolicy(app, { token: stranger.token }),
    backups: async () => newBackup(app, { token: stranger.token }),
    restores: async () => newRestore(app, { token: stranger.token }),
    registries: async () =>
      dataOf(await app.call('POST', '/api/registries', { token: stranger.token, body: newLogin() }))['id']!,
    migration: () => newProject(app, { token: stranger.token }),
    githost: () => newDelivery(app, stranger.organizationId),
    deployments: async () => newDeployment(app, { token: stranger.token }, await foreign['projects']!()),
  };
  /** Invalid values for every field. */
  const bad = {
    name: 7,
    role: 7,
    grants: 7,
    variables: 7,
    response: 7,
    pinned: 'x',
    useExistingCommit: 'x',
    port: 'x',
    username: 7,
    certificate: 7,
    target: 7,
    deploy: 7,
    owner: 7,
  };
  const acceptable: Record<string, object> = {
    'PATCH /api/members/:id': { role: 'viewer' },
    'PUT /api/members/:id/grants': { grants: [] },
    'PATCH /api/projects/:id/variables': { variables: { KEY: 'x' } },
    'PUT /api/projects/:id/domains/:name/certificate': { certificate: 'x', privateKey: 'x' },
    'POST /api/projects/:id/domains': { name: 'shop.example.com' },
    'POST /api/deployments/:id/build/respond': { response: 'approve' },
    'POST /api/projects/:id/link': { owner: 'team', repo: 'shop' },
    'DELETE /api/githost/repos/:owner/:repo/webhooks': { hookId: 1 },
    'POST /api/backups/:id/restore': { target: 'scratch' },
  };

  it('returns not found for an unknown or foreign id, whatever the body', async () => {
    const byId = app.routes.filter(
      ({ path, method, mode, rawBody, permission }) =>
        path.includes('/:id') && method !== 'GET' && mode !== 'cloud' && !rawBody && permission.includes(':'),
    );
    expect(byId.map(nameOf)).toContain('POST /api/deployments/:id/build/respond');
    const json = { 'content-type': 'application/json' };
    for (const route of byId) {
      const kind = route.path.split('/')[2]!;
      for (const id of ['unknown_id', await foreign[kind]!()])
        for (const [headers, body] of [
          [json, {}],
          [json, []],
          [json, '7'],
          [json, '{"half": '],
          [json, bad],
          [{ 'content-type': 'text/plain' }, 'x'],
        ] as const) {
          const options = { token: ownerToken, headers, body };
          const answer = await app.call(route.method, withIds(route.path, id), options);
          expect([nameOf(route), id, body, answer.status]).toEqual([nameOf(route), id, body, 404]);
        }
    }
  });

  it('does not find ids of another organization, and changes nothing there', async () => {
    const rows = async () =>
      JSON.stringify(
        await Promise.all(
          (
            [
              'members',
              'invitations',
              'tokens',
              'projects',
              'project_variables',
              'uploads',
              'deployments',
              'servers',
              'backup_destinations',
              'githost_deliveries',
              'githost_hooks',
              'certificates',
            ] as const
          ).map((table) =>
            app.database.db
              .selectFrom(table)
              .selectAll()
              .where('organizationId', '=', stranger.organizationId)
              .orderBy('id')
              .execute(),
          ),
        ),
        // The last use of a token is recorded a moment later.
        (key, value: unknown) => (key === 'lastUsedAt' ? undefined : value),
      );
    // Repositories have no ids of ours; their visibility is covered by areas/githost/visibility.test.ts.
    const isOurs = ({ path }: Route) => !path.startsWith('/api/githost/');
    const named = app.routes.filter(({ path, permission }) => path.includes(':') && permission !== 'public');
    for (const route of named.filter(isOurs)) {
      const noun = route.path.split('/')[2]!;
      expect(foreign, `say how to make a foreign thing for ${nameOf(route)}`).toHaveProperty(noun);
      const id = await foreign[noun]!();
      const before = await rows();
      for (const token of [ownerToken, tokens['admin']!]) {
        const answer = await app.call(route.method, withIds(route.path, id), {
          token,
          body: acceptable[nameOf(route)] ?? {},
        });
        expect([nameOf(route), answer.status]).toEqual([nameOf(route), 404]);
        const nonsense = await app.call(route.method, withIds(route.path, 'nothing_here'), {
          token,
          body: acceptable[nameOf(route)] ?? {},
        });
        expect(answer.text, 'foreign and unknown look the same').toBe(nonsense.text);
      }
      expect(await rows()).toBe(before);
    }
  });

  const strange: unknown[] = [
    null,
    true,
    0,
    -1,
    1e308,
    '',
    ' ',
    'x'.repeat(5000),
    '../../etc/passwd',
    "'; drop table users; --",
    '$(id)',
    '\u0000',
    '\ud800',
    '😀',
    [],
    [null],
    {},
    { a: { b: {} } },
    ['x'.repeat(300)],
    { __proto__: null, constructor: 1 },
  ];

  it('never responds with 500, whatever is sent', async () => {
    const failures: string[] = [];
    const check = (route: Route, what: string, { status, text }: Answer) => {
      const isAway = status === 502 && text.includes('"git_host_unavailable"');
      if ((status >= 500 && !isAway) || (status >= 400 && !isPage(route) && !text.includes('"success":false')))
        failures.push(`${nameOf(route)} ${what}: ${status} ${text.slice(0, 200)}`);
    };
    const isPage = ({ contentType }: Route) => contentType?.startsWith('text/html');
    for (const route of app.routes.filter((each) => nameOf(each) !== 'GET /api/docs' && !isEndless(each))) {
      const send = async (what: string, path: string, body?: unknown, headers?: Record<string, string>) =>
        check(
          route,
          what,
          await app.call(route.method, path, {
            token: ownerToken,
            ...(body !== undefined && { body }),
            ...(headers && { headers }),
          }),
        );
      const path = withIds(route.path, 'unknown_id');
      if (route.method !== 'GET') {
        for (const body of [
          '{',
          '',
          '[]',
          'null',
          '5',
          '"x"',
          `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
          `{"a":"${'x'.repeat(1_100_000)}"}`,
        ])
          await send(`body ${body.slice(0, 20)}`, path, body);
        await send('a form', path, 'a=b', { 'content-type': 'multipart/form-data; boundary=x' });
        for (const value of strange)
          await send(`every field ${JSON.stringify(value)}`, path, everyField(app.routes, route, value));
      }
      for (const value of strange.filter((each) => typeof each === 'string')) {
        if (route.path.includes(':'))
          await send(`id ${JSON.stringify(value)}`, route.path.replace(/:\w+/g, safeEncode(value) || '%20'));
        for (const name of queryOf(app.routes, route))
          await send(`query ${name}`, `${path}?${name}=${safeEncode(value)}&${name}=2`);
      }
    }
    expect(failures).toEqual([]);
  });

  it('reads with at most two statements and no write', async () => {
    for (const route of app.routes.filter((each) => each.method === 'GET' && !isEndless(each))) {
      statements.length = 0;
      await app.call('GET', withIds(route.path, 'unknown_id'), { token: ownerToken });
      // An unknown id may belong to the cloud, and lists show both.
      const most = isForwarded(route) || route.path === '/api/deployments' ? 3 : 2;
      expect(statements.length, `${nameOf(route)}: ${statements.join('\n')}`).toBeLessThanOrEqual(most);
      for (const sql of statements) expect(sql).toMatch(/^select /);
    }
  });
});

/** A successful change for each route, to check its audit entry. */
describe('every change', () => {
  const unlogged: Record<string, string> = {
    'POST /api/invitations/look': 'reads',
    'POST /api/projects/folder/scan': 'reads',
    'POST /api/deployments/prepare': 'reads',
    'POST /api/deployments/plan': 'reads',
    'POST /api/deployments/ssl/status': 'reads',
    'POST /api/projects/:id/domains/:name/check': 'notes what was seen',
    'POST /api/deployments/ssl/renew': 'needs an authority; areas/domains/certificates.test.ts looks',
    'POST /api/backup-destinations/preflight': 'stores nothing',
    'POST /api/backups/import': 'needs an archive; test/backups/backups.test.ts looks',
    'POST /api/migration/scan': 'reads',
    'POST /api/migration/adopt': 'needs an engine; areas/migration/adopt.test.ts looks',
    'POST /api/migration/:projectId/undo': 'needs an engine; areas/migration/cut-over.test.ts looks',
    'POST /api/migration/:projectId/confirm': 'needs an engine; areas/migration/cut-over.test.ts looks',
    'POST /api/servers/:id/cluster': 'needs an engine; test/e2e/cluster.full.ts looks',
    'POST /api/servers/:id/cluster/head': 'needs an engine; test/e2e/cluster-head.full.ts looks',
    'POST /api/servers/:id/cluster/nodes': 'needs an engine; test/e2e/cluster.full.ts looks',
    'PATCH /api/servers/:id/cluster/nodes/:nodeId': 'needs an engine; test/e2e/cluster.full.ts looks',
    'DELETE /api/servers/:id/cluster/nodes/:nodeId': 'needs an engine; test/e2e/cluster.full.ts looks',
    'POST /api/cloud/link': 'needs a cloud; areas/cloud/cloud.test.ts looks',
    'DELETE /api/cloud/link': 'needs a cloud; areas/cloud/cloud.test.ts looks',
    'POST /api/projects/:id/bring-home': 'needs a cloud; areas/cloud/cloud.test.ts looks',
    'DELETE /api/projects/:id/cloud': 'needs a cloud; areas/cloud/cloud.test.ts looks',
    'POST /api/instance/update': 'needs an installation; areas/instance/update.test.ts looks',
    'POST /api/webhooks/githost': 'is in the ledger of deliveries',
    'POST /api/deployments/:id/keep': 'needs half a deployment, on an engine',
    'POST /api/deployments/:id/reject': 'needs half a deployment, on an engine',
  };

  it('is in the audit log', async () => {
    const drivers = { ...memoryDrivers(), gitHost: await gitHostOfOne() };
    const app = await startApp('sqlite', { withoutOwner: true, drivers });
    const code = await app.access.setup.offerCode();
    const post = (path: string, body: object, who: object = {}) => app.call('POST', path, { ...who, body });
    const setup = await post('/api/auth/setup', {
      code,
      name: 'Ada',
      email: 'ada@example.com',
      password: ownerPassword,
    });
    const owner = { cookie: String(setup.headers['set-cookie']).split(';')[0]! };
    const person = await join(app, 'person@example.com', 'member', owner);
    const { token: resetToken } = dataOf(await post(`/api/members/${person.memberId}/password-reset`, {}, owner));
    const invited = async (email: string) => dataOf(await post('/api/invitations', { email, role: 'viewer' }, owner));
    const changes: Record<string, () => Promise<Answer> | Answer> = {
      'POST /api/auth/setup': () => setup,
      'POST /api/auth/sign-in': () => post('/api/auth/sign-in', { email: 'ada@example.com', password: ownerPassword }),
      'POST /api/auth/sign-out': async () => app.call('POST', '/api/auth/sign-out', { cookie: person.cookie }),
      'POST /api/auth/password': () =>
        post('/api/auth/password', { currentPassword: ownerPassword, newPassword: 'another long one' }, owner),
      'POST /api/auth/reset-password': () =>
        post('/api/auth/reset-password', { token: resetToken, password: 'another long one' }),
      'POST /api/members/:id/password-reset': () => post(`/api/members/${person.memberId}/password-reset`, {}, owner),
      'POST /api/organizations': () => post('/api/organizations', { name: 'Second' }, owner),
      'PATCH /api/organizations/current': () =>
        app.call('PATCH', '/api/organizations/current', { ...owner, body: { name: 'New' } }),
      'PATCH /api/members/:id': () =>
        app.call('PATCH', `/api/members/${person.memberId}`, { ...owner, body: { role: 'restricted' } }),
      'PUT /api/members/:id/grants': () =>
        app.call('PUT', `/api/members/${person.memberId}/grants`, { ...owner, body: { grants: [] } }),
      'DELETE /api/members/:id': () => app.call('DELETE', `/api/members/${person.memberId}`, owner),
      'POST /api/invitations': () => post('/api/invitations', { email: 'a@example.com', role: 'viewer' }, owner),
      'POST /api/invitations/accept': async () =>
        post('/api/invitations/accept', {
          token: (await invited('b@example.com'))['token'],
          name: 'B',
          password: ownerPassword,
        }),
      'DELETE /api/invitations/:id': async () =>
        app.call('DELETE', `/api/invitations/${(await invited('c@example.com'))['id']}`, owner),
      'POST /api/tokens': () => post('/api/tokens', { name: 'x', permissions: '*' }, owner),
      'DELETE /api/tokens/:id': async () =>
        app.call(
          'DELETE',
          `/api/tokens/${dataOf(await post('/api/tokens', { name: 'x', permissions: '*' }, owner))['id']}`,
          owner,
        ),
    };
    Object.assign(changes, await deploymentChanges(app, owner, drivers), gitHostChanges(app, owner));
    Object.assign(changes, backupChanges(app, owner));
    changes['POST /api/organizations/leave'] = async () => {
      const leaver = await join(app, 'd@example.com', 'viewer', owner);
      return post('/api/organizations/leave', { organizationId: leaver.organizationId }, { cookie: leaver.cookie });
    };
    const changing = app.routes
      .filter(({ method }) => method !== 'GET')
      .map(nameOf)
      .filter((name) => !unlogged[name]);
    const other = await appWithGitHost();
    const following = await followingChanges(other, { cookie: await signInOwner(other) });
    expect([...Object.keys(changes), ...Object.keys(following)].toSorted()).toEqual(changing.toSorted());
    await expectEntries(app, changes);
    await expectEntries(other, following);
    await app.close();
    await other.close();
  });

  async function expectEntries(app: TestApp, changes: Record<string, () => Promise<Answer> | Answer>) {
    const count = async () => (await app.database.db.selectFrom('audit_entries').select('id').execute()).length;
    for (const [name, change] of Object.entries(changes)) {
      const before = name === 'POST /api/auth/setup' ? 0 : await count();
      const { status, text } = await change();
      expect([name, status < 300, status < 300 ? '' : text]).toEqual([name, true, '']);
      expect(await count(), name).toBeGreaterThan(before);
    }
  }

  async function appWithGitHost(): Promise<TestApp> {
    const host = await startGitHost();
    onTestFinished(() => host.stop());
    const gitHost = createGitHub({ webUrl: host.webUrl, reach: 'private', app: { id: '7', privateKey: host.appKey } });
    const drivers = { ...memoryDrivers(), gitHost };
    return startApp('sqlite', { drivers, env: { MOORING_PUBLIC_URL: 'http://127.0.0.1:1' } });
  }
});

/** A git host with one account and one repository. */
async function gitHostOfOne(): Promise<GitHub> {
  const [login, name] = ['octo', 'new'];
  const host = await scriptedHost(({ method, url }, response) => {
    const answer = url!.includes('/repos')
      ? { id: 1, name, owner: { login }, private: true }
      : url!.includes('/orgs')
        ? []
        : { id: 1, login };
    response.writeHead(method === 'DELETE' ? 204 : 200).end(method === 'DELETE' ? '' : JSON.stringify(answer));
  });
  const oauth = { clientId: 'client', clientSecret: 'secret' };
  return createGitHub({ webUrl: host.url, reach: 'private', oauth });
}

function gitHostChanges(app: TestApp, owner: { cookie: string }): Record<string, () => Promise<Answer>> {
  const post = (path: string, body: object = {}) => app.call('POST', path, { ...owner, body });
  return {
    'POST /api/githost/connect': () => post('/api/githost/connect'),
    'POST /api/githost/repos': async () => {
      await seedAccount(app);
      return post('/api/githost/repos', { name: 'new' });
    },
    'DELETE /api/githost/repos/:owner/:repo': () => app.call('DELETE', '/api/githost/repos/octo/new', owner),
    'POST /api/githost/disconnect': () => post('/api/githost/disconnect'),
  };
}

type Who = { token: string } | { cookie: string };

async function newPolicy(app: TestApp, who: Who): Promise<string> {
  const destination = await app.call('POST', '/api/backup-destinations', { ...who, body: newDestination() });
  const body = {
    name: `policy ${++made}`,
    projectId: await newProject(app, who),
    schedule: '0 3 * * *',
    destinationIds: [dataOf(destination)['id']],
    retention: { last: 1 },
  };
  return dataOf(await app.call('POST', '/api/backup-policies', { ...who, body }))['id']!;
}

/** A completed backup without archives. */
async function newBackup(app: TestApp, who: Who): Promise<string> {
  const id = dataOf(await app.call('POST', `/api/backup-policies/${await newPolicy(app, who)}/run`, who))['id']!;
  const done = { status: 'completed' as const, finishedAt: 1, leaseOwner: null };
  await app.database.db.updateTable('backup_jobs').set(done).where('id', '=', id).execute();
  return id;
}

const newRestore = async (app: TestApp, who: Who): Promise<string> => {
  const path = `/api/backups/${await newBackup(app, who)}/restore`;
  return dataOf(await app.call('POST', path, { ...who, body: { target: 'scratch' } }))['id']!;
};

function backupChanges(app: TestApp, owner: { cookie: string }): Record<string, () => Promise<Answer>> {
  const post = (path: string, body: object = {}) => app.call('POST', path, { ...owner, body });
  const policy = async () => `/api/backup-policies/${await newPolicy(app, owner)}`;
  const backup = async () => `/api/backups/${await newBackup(app, owner)}`;
  return {
    'POST /api/backup-policies': async () => {
      const { name: _name, scope: _scope, ...body } = dataOf(await app.call('GET', await policy(), owner));
      return post('/api/backup-policies', { ...body, name: `policy ${++made}` });
    },
    'PATCH /api/backup-policies/:id': async () =>
      app.call('PATCH', await policy(), { ...owner, body: { enabled: false } }),
    'DELETE /api/backup-policies/:id': async () => app.call('DELETE', await policy(), owner),
    'POST /api/backup-policies/:id/run': async () => post(`${await policy()}/run`),
    'POST /api/backup-policies/:id/drill': async () => {
      const id = dataOf(await app.call('GET', await backup(), owner))['policyId']!;
      return post(`/api/backup-policies/${id}/drill`);
    },
    'POST /api/backups/:id/cancel': async () => {
      const { id } = dataOf(await post(`${await policy()}/run`));
      return post(`/api/backups/${id}/cancel`);
    },
    'POST /api/backups/:id/archives/:archiveId/link': async () => {
      const id = await newBackup(app, owner);
      const archives = JSON.stringify([{ id: 'bka_1', key: 'archive' }]);
      await app.database.db.updateTable('backup_jobs').set({ archives }).where('id', '=', id).execute();
      return post(`/api/backups/${id}/archives/bka_1/link`);
    },
    'POST /api/backups/:id/pin': async () => post(`${await backup()}/pin`),
    'POST /api/backups/:id/restore': async () => post(`${await backup()}/restore`, { target: 'scratch' }),
    'DELETE /api/backups/:id': async () => app.call('DELETE', await backup(), owner),
    'POST /api/restores/:id/cancel': async () => post(`/api/restores/${await newRestore(app, owner)}/cancel`),
    'POST /api/restores/:id/undo': async () => {
      const id = await newRestore(app, owner);
      const state = JSON.stringify({ beforeId: await newBackup(app, owner) });
      const row = await app.database.db
        .selectFrom('backup_jobs')
        .select('request')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const request = row.request.replace('"scratch"', '"in-place"');
      const done = { status: 'completed' as const, finishedAt: 1, state, request };
      await app.database.db.updateTable('backup_jobs').set(done).where('id', '=', id).execute();
      return post(`/api/restores/${id}/undo`);
    },
    'POST /api/backup-keys/export': () => post('/api/backup-keys/export'),
    'POST /api/backup-keys/import': async () =>
      post('/api/backup-keys/import', { identities: dataOf(await post('/api/backup-keys/export'))['identities'] }),
    'POST /api/backup-keys/rotate': () => post('/api/backup-keys/rotate'),
  };
}

async function deploymentChanges(
  app: TestApp,
  owner: { cookie: string },
  { runtime }: Drivers,
): Promise<Record<string, () => Promise<Answer>>> {
  const post = (path: string, body: object = {}) => app.call('POST', path, { ...owner, body });
  const project = () => newProject(app, owner);
  const deployment = async () => newDeployment(app, owner, await project());
  const server = async () => dataOf(await post('/api/servers', newServer()))['id']!;
  const destination = async () => dataOf(await post('/api/backup-destinations', newDestination()))['id']!;
  const registry = async () => dataOf(await post('/api/registries', newLogin()))['id']!;
  const inState = async (state: Partial<DeploymentTable>) => {
    const id = await deployment();
    await app.database.db.updateTable('deployments').set(state).where('id', '=', id).execute();
    return id;
  };
  const prompt = JSON.stringify({
    id: 'prm_1',
    question: '?',
    options: ['approve'],
    byDefault: 'approve',
    expiresAt: 0,
  });
  const onGit = async () =>
    dataOf(
      await post('/api/projects', { name: `git ${++made}`, source: { type: 'git', url: 'https://example.com/x.git' } }),
    )['id'];
  const volume = { name: 'data', path: 'data' };
  const volumePath = async () => {
    const path = `/api/projects/${await project()}/volumes`;
    await post(path, volume);
    return `${path}/data`;
  };
  const session = async () =>
    (await post('/api/projects/folder/session')).body as unknown as {
      sessionId: string;
      upload: { url: string; headers: Record<string, string> };
    };
  return {
    'POST /api/projects': () => post('/api/projects', { name: `project ${++made}` }),
    'POST /api/projects/ensure': () => post('/api/projects/ensure', { name: `project ${++made}` }),
    'PATCH /api/projects/:id': async () =>
      app.call('PATCH', `/api/projects/${await project()}`, { ...owner, body: { rollbackWindow: 7 } }),
    'DELETE /api/projects/:id': async () => app.call('DELETE', `/api/projects/${await project()}`, owner),
    'PATCH /api/projects/:id/variables': async () =>
      app.call('PATCH', `/api/projects/${await project()}/variables`, {
        ...owner,
        body: { variables: { KEY: 'value' } },
      }),
    'POST /api/projects/:id/volumes': async () => post(`/api/projects/${await project()}/volumes`, volume),
    'PATCH /api/projects/:id/volumes/:name': async () =>
      app.call('PATCH', await volumePath(), { ...owner, body: { path: 'elsewhere' } }),
    'DELETE /api/projects/:id/volumes/:name': async () => app.call('DELETE', await volumePath(), owner),
    'POST /api/projects/:id/scale': async () => post(`/api/projects/${await project()}/scale`, { replicas: 2 }),
    'POST /api/servers': () => post('/api/servers', newServer()),
    'PATCH /api/servers/:id': async () =>
      app.call('PATCH', `/api/servers/${await server()}`, { ...owner, body: { password: 'another' } }),
    'DELETE /api/servers/:id': async () => app.call('DELETE', `/api/servers/${await server()}`, owner),
    'POST /api/servers/:id/test': async () => post(`/api/servers/${await server()}/test`),
    'POST /api/backup-destinations': () => post('/api/backup-destinations', newDestination()),
    'PATCH /api/backup-destinations/:id': async () =>
      app.call('PATCH', `/api/backup-destinations/${await destination()}`, { ...owner, body: { bucket: 'another' } }),
    'DELETE /api/backup-destinations/:id': async () =>
      app.call('DELETE', `/api/backup-destinations/${await destination()}`, owner),
    'POST /api/backup-destinations/:id/preflight': async () =>
      post(`/api/backup-destinations/${await destination()}/preflight`),
    'POST /api/registries': () => post('/api/registries', newLogin()),
    'PATCH /api/registries/:id': async () =>
      app.call('PATCH', `/api/registries/${await registry()}`, { ...owner, body: { password: 'another' } }),
    'DELETE /api/registries/:id': async () => app.call('DELETE', `/api/registries/${await registry()}`, owner),
    'POST /api/projects/:id/deploy-key': async () => post(`/api/projects/${await project()}/deploy-key`),
    'DELETE /api/projects/:id/deploy-key': async () => {
      const id = await project();
      await post(`/api/projects/${id}/deploy-key`);
      return app.call('DELETE', `/api/projects/${id}/deploy-key`, owner);
    },
    'POST /api/projects/:id/domains': async () =>
      post(`/api/projects/${await project()}/domains`, { name: 'new.example.com' }),
    'PATCH /api/projects/:id/domains/:name': async () => {
      const id = await projectWith(app, ['change.example.com'], owner);
      const body = { hstsSeconds: 60 };
      return app.call('PATCH', `/api/projects/${id}/domains/change.example.com`, { ...owner, body });
    },
    'DELETE /api/projects/:id/domains/:name': async () => {
      const id = await projectWith(app, ['remove.example.com'], owner);
      return app.call('DELETE', `/api/projects/${id}/domains/remove.example.com`, owner);
    },
    'PUT /api/projects/:id/domains/:name/certificate': async () => uploadCertificate(app, owner, 'put.example.com'),
    'DELETE /api/projects/:id/domains/:name/certificate': async () => {
      const { projectId } = await uploadCertificate(app, owner, 'delete.example.com');
      return app.call('DELETE', `/api/projects/${projectId}/domains/delete.example.com/certificate`, owner);
    },
    'POST /api/projects/folder/session': () => post('/api/projects/folder/session'),
    'PUT /api/projects/folder/upload/:id': async () => {
      const { upload } = await session();
      const archive = execFileSync('tar', ['-C', newFolder('source'), '-czf', '-', '.']);
      return app.call('PUT', new URL(upload.url, 'http://x').pathname, { headers: upload.headers, body: archive });
    },
    'POST /api/deployments': async () => post('/api/deployments', { projectId: await onGit(), autoStart: false }),
    'POST /api/deployments/build/access': async () =>
      post('/api/deployments/build/access', { projectId: await project(), autoStart: false }),
    'POST /api/deployments/:id/build': async () => post(`/api/deployments/${await deployment()}/build`),
    'POST /api/deployments/:id/build/respond': async () =>
      post(`/api/deployments/${await inState({ status: 'deploying', prompt })}/build/respond`, { response: 'approve' }),
    'POST /api/deployments/:id/redeploy': async () => post(`/api/deployments/${await deployment()}/redeploy`),
    'POST /api/deployments/:id/rollback': async () =>
      post(`/api/deployments/${await inState({ status: 'ready' })}/rollback`),
    'POST /api/deployments/:id/cancel': async () => post(`/api/deployments/${await deployment()}/cancel`),
    'POST /api/deployments/:id/pin': async () => post(`/api/deployments/${await deployment()}/pin`),
    'POST /api/deployments/:id/restart': async () => {
      const id = await inState({ status: 'ready', active: 1 });
      const owned = { instanceId: '', organizationId: '', projectId: '', deploymentId: id, service: 'app', fence: 1 };
      const listening = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void listening.close());
      await once(listening, 'listening');
      const { port } = listening.address() as AddressInfo;
      const spec = { folder: '', command: '', env: {}, secretKeys: [], user: null };
      await runtime.start({ kind: 'folder', owner: owned, port, ...spec });
      return post(`/api/deployments/${id}/restart`);
    },
    'DELETE /api/deployments/:id': async () => app.call('DELETE', `/api/deployments/${await deployment()}`, owner),
  };
}

async function uploadCertificate(app: TestApp, owner: { cookie: string }, name: string) {
  const projectId = await projectWith(app, [name], owner);
  const { cert, key } = selfSigned(name);
  const body = { certificate: cert, privateKey: key };
  return {
    projectId,
    ...(await app.call('PUT', `/api/projects/${projectId}/domains/${name}/certificate`, { ...owner, body })),
  };
}

async function followingChanges(
  app: TestApp,
  owner: { cookie: string },
): Promise<Record<string, () => Promise<Answer>>> {
  const organizationId = await connectGitHost(app);
  const post = (path: string, body: object = {}) => app.call('POST', path, { ...owner, body });
  const hooks = '/api/githost/repos/team/shop/webhooks';
  const shop = { owner: 'team', repo: 'shop' };
  return {
    'POST /api/githost/repos/:owner/:repo/webhooks': () => post(hooks),
    'DELETE /api/githost/repos/:owner/:repo/webhooks': async () => {
      const hookId = dataOf(await post(hooks))['id'];
      return app.call('DELETE', hooks, { ...owner, body: { hookId } });
    },
    'POST /api/githost/deliveries/:id/replay': async () =>
      post(`/api/githost/deliveries/${await newDelivery(app, organizationId)}/replay`),
    'POST /api/projects/:id/link': async () => post(`/api/projects/${await newProject(app, owner)}/link`, shop),
    'DELETE /api/projects/:id/link': async () => {
      const path = `/api/projects/${await newProject(app, owner)}/link`;
      await post(path, shop);
      return app.call('DELETE', path, owner);
    },
  };
}

/** The first organization has the app installed for `team`; no request is needed to know that it is installed
 * nowhere else. */
async function connectGitHost(app: TestApp): Promise<string> {
  const { db } = app.database;
  const { id } = await db.selectFrom('organizations').select('id').orderBy('createdAt').executeTakeFirstOrThrow();
  const account = { accountId: 1, accountLogin: 'team', accountType: 'organization' as const };
  const installation = { installationId: 70, suspendedAt: null, connectedBy: 'x', createdAt: 0 };
  const row = { id: 'ins_1', organizationId: id, proof: 'sign_in' as const, ...installation, ...account };
  await db.insertInto('githost_installations').values(row).execute();
  return id;
}

async function newDelivery(app: TestApp, organizationId: string): Promise<string> {
  const id = `dlv_${++made}`;
  const known = {
    repository: 'team/shop',
    ref: 'main',
    commitSha: null,
    content: '{"type":"ping","hookId":null,"repository":null}',
    event: 'push',
  };
  const times = { attempts: 0, nextTryAt: 0, receivedAt: 0, handledAt: 0, leaseOwner: null, leaseUntil: null };
  const row = { id, organizationId, guid: id, digest: id, status: 'ignored' as const, outcome: null };
  await app.database.db
    .insertInto('githost_deliveries')
    .values({ ...row, ...known, ...times })
    .execute();
  return id;
}

let made = 0;

/** Nothing listens there. */
const newServer = () => ({
  name: `server ${++made}`,
  host: '127.0.0.1',
  port: 1,
  user: 'root',
  password: 'a password',
});

/** A project with a source on this machine, so that it can be deployed without an upload. */
const newDestination = () => ({
  name: `destination ${++made}`,
  kind: 's3_compatible',
  endpoint: 'http://127.0.0.1:1',
  bucket: 'b',
  accessKeyId: 'an-id',
  secretAccessKey: 'a-secret',
});

const newLogin = () => ({ address: `registry-${++made}.example.com`, username: 'robot', password: 'a password' });

async function newProject(app: TestApp, who: object): Promise<string> {
  const body = { name: `project ${++made}`, source: { type: 'local', path: newFolder('source') } };
  return dataOf(await app.call('POST', '/api/projects', { ...who, body }))['id']!;
}

/** A deployment that is not started yet. */
async function newDeployment(app: TestApp, who: object, projectId: string): Promise<string> {
  const body = { projectId, autoStart: false };
  const answer = await app.call('POST', '/api/deployments/build/access', { ...who, body });
  return (answer.body as unknown as { deployment_id: string }).deployment_id;
}

type Operation = {
  parameters: { name: string; in: string }[];
  requestBody?: { content: { 'application/json'?: { schema: { properties?: object } } } };
};

const documents = new WeakMap<Route[], Record<string, Record<string, Operation>>>();

function operationOf(routes: Route[], route: Route): Operation {
  if (!documents.has(routes))
    documents.set(routes, (openApiDocument(routes, '0') as { paths: Record<string, Record<string, Operation>> }).paths);
  return documents.get(routes)![route.path.replace(/:(\w+)/g, '{$1}')]![route.method.toLowerCase()]!;
}

const everyField = (routes: Route[], route: Route, value: unknown) => {
  const { properties = {} } = operationOf(routes, route).requestBody?.content['application/json']?.schema ?? {};
  return Object.fromEntries(Object.keys(properties).map((name) => [name, value]));
};

const queryOf = (routes: Route[], route: Route) =>
  operationOf(routes, route)
    .parameters.filter((each) => each.in === 'query')
    .map(({ name }) => name);

const safeEncode = (text: unknown) => encodeURIComponent(String(text).toWellFormed());
