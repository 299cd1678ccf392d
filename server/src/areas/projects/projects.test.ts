import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join as pathOf } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, call, ownerPassword, ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { databaseKindsInFull, openNewDatabase } from '../../../test/rig/databases.ts';
import { foreignOrganization, join, newToken, type Person } from '../../../test/rig/people.ts';
import { readConfig } from '../../config.ts';
import { type DatabaseKind, inTransaction, isUnavailable } from '../../db/database.ts';
import { nothingDetected } from '../../detect/detect.ts';
import { openInstance } from '../../db/instance.ts';
import type { Caller } from '../../http/caller.ts';
import { createServer } from '../../http/server.ts';
import { EventStreams } from '../../http/sse.ts';
import { findWebPages } from '../../http/web-pages.ts';
import { sampleArchive } from '../../lib/archive/sample-archives-rig.ts';
import { fileKeyRing } from '../../lib/key-ring.ts';
import { createLog } from '../../lib/log.ts';
import { createSealer } from '../../lib/seal.ts';
import { createGitHub } from '../../drivers/githost/github/github.ts';
import { LentApps } from '../githost/lent/service.ts';
import { GitHostSources } from '../githost/sources.ts';
import { createAccess } from '../access/area.ts';
import { createProjects, type ProjectsArea } from './area.ts';

type Rig = TestApp & { area: ProjectsArea; dataDir: string; root: string };
type Data = Record<string, never> & { data: Record<string, string> & Record<string, string>[] };
const dataOf = (answer: Answer) => (answer.body as unknown as Data).data;
const fieldsOf = (answer: Answer) => answer.body as unknown as Record<string, string> & { upload: Upload };
type Upload = { url: string; method: string; headers: Record<string, string> };

const detected = { ...nothingDetected, framework: 'none' };

/** Starts this area and access behind the real server. */
async function start(kind: DatabaseKind, env: Record<string, string> = {}): Promise<Rig> {
  const database = await openNewDatabase(kind);
  const keys = fileKeyRing(pathOf(newFolder('key'), 'secret.key'));
  keys.file!.create();
  const sealer = createSealer(keys);
  await openInstance(database.db, sealer);
  const config = readConfig({ MOORING_LOG_LEVEL: 'silent', ...env });
  const log = createLog('silent', 'json');
  const access = createAccess(database, config, () => {});
  const [dataDir, root] = [newFolder('data'), newFolder('root')];
  const gitHost = createGitHub({ reach: 'public' });
  const area = createProjects({
    ...database,
    config,
    sealer,
    dataDir,
    machine: 'here',
    localSources: { roots: [root], areConfigured: true },
    sources: new GitHostSources({
      db: database.db,
      sealer,
      gitHost,
      lent: new LentApps({ db: database.db, gitHost, cloud: () => undefined }),
      onChanged: () => {},
      callMs: 30_000,
    }),
    detectFolder: async (path) => ({
      ...detected,
      services: [],
      required: [],
      deploys: 'app',
      reach: null,
      access: [],
      reasons: readdirSync(path),
    }),
    urlsOf: async (rows) => rows.map(({ slug }) => `http://${slug}.test`),
    grantTargets: access.grantTargets,
    warn: () => {},
  });
  const routes = [...access.routes, ...area.routes];
  const server = createServer({
    ...config,
    routes,
    log,
    streams: new EventStreams(),
    authenticator: access.authenticator,
    dataVersion: database.dataVersion,
    pages: findWebPages(''),
    awayOf: (error) => (isUnavailable(error) ? 'the database' : undefined),
  });
  access.links.setBase('http://mooring.test');
  const owner = { email: 'owner@example.com', name: 'Olga', password: ownerPassword, organizationName: 'First' };
  await access.setup.unattended(owner, ownerToken);
  const close = async () => {
    await area.stop();
    await server.close();
    await access.stop();
    await database.db.destroy();
  };
  const callHere: TestApp['call'] = (method, path, options = {}) => {
    const type: Record<string, string> = Buffer.isBuffer(options.body)
      ? { 'content-type': 'application/octet-stream' }
      : {};
    return call({ server }, method, path, { ...options, headers: { ...type, ...options.headers } });
  };
  return { server, access, routes, database, call: callHere, close, area, dataDir, root } as unknown as Rig;
}

describe.each(databaseKindsInFull)('projects on %s', (kind) => {
  let app: Rig;
  beforeEach(async () => {
    app = await start(kind);
  });
  afterEach(() => app.close());

  const owner = { token: ownerToken };
  const post = (path: string, body: object, who: object = owner) => app.call('POST', path, { ...who, body });
  const patch = (path: string, body: object, who: object = owner) => app.call('PATCH', path, { ...who, body });
  const create = async (body: object = { name: 'Shop' }, who: object = owner) => {
    const answer = await post('/api/projects', body, who);
    expect([answer.status, answer.status === 201 ? '' : answer.text]).toEqual([201, '']);
    return dataOf(answer);
  };
  const audit = async () =>
    (await app.database.db.selectFrom('audit_entries').select(['action', 'details']).orderBy('id').execute()).filter(
      ({ action }) => /^(project|upload)\./.test(action),
    );
  const restricted = async (grants: object[]): Promise<Person> => {
    const person = await join(app, 'guest@example.com', 'restricted');
    await app.call('PUT', `/api/members/${person.memberId}/grants`, { ...owner, body: { grants } });
    return person;
  };

  describe('project', () => {
    it('is created with defaults, read, listed, changed and deleted', async () => {
      const project = await create({ name: ' My Shop ' });
      expect(project).toEqual({
        id: expect.stringMatching(/^prj_/) as string,
        name: 'My Shop',
        deployTarget: 'local',
        cloud: null,
        slug: 'my-shop',
        source: { type: 'upload' },
        rootDirectory: null,
        installCommand: null,
        buildCommand: null,
        startCommand: null,
        releaseCommand: null,
        outputDirectory: null,
        framework: null,
        packageManager: null,
        nodeVersion: null,
        port: null,
        resources: {},
        healthCheck: {},
        publicEndpoints: [],
        replicas: 1,
        scale: {},
        buildLabels: [],
        buildPlatforms: [],
        rollbackWindow: 5,
        autoDeploy: true,
        requireApproval: false,
        trusted: false,
        serverId: null,
        url: expect.stringMatching(/^http:.*\.test$/) as string,
        createdAt: expect.any(String) as string,
        updatedAt: expect.any(String) as string,
      });
      const path = `/api/projects/${project['id']}`;
      expect(dataOf(await app.call('GET', path, owner))).toEqual(project);
      const change = {
        name: 'Other',
        buildCommand: 'make "all" && $(true)',
        rootDirectory: './apps//web/',
        publicEndpoints: [{ port: '3000', domain: 'Shop.Example.com', domainType: 'custom', nonsense: 1 }],
        healthCheck: { path: '/up', type: 'http' },
        resources: { memoryMb: 512 },
        autoDeploy: false,
        unknown: 1,
        id: 'prj_other',
      };
      const changed = dataOf(await patch(path, change));
      expect(changed).toMatchObject({
        id: project['id'],
        name: 'Other',
        slug: 'my-shop',
        buildCommand: change.buildCommand,
        rootDirectory: 'apps/web',
        publicEndpoints: [{ port: 3000, domain: 'shop.example.com', domainType: 'custom' }],
        autoDeploy: false,
      });
      expect(dataOf(await patch(path, { buildCommand: null }))).toMatchObject({ buildCommand: null, name: 'Other' });
      expect(dataOf(await app.call('GET', '/api/projects', owner)).map((each) => each['name'])).toEqual(['Other']);
      mkdirSync(app.area.projects.folderOf(project['id']!), { recursive: true });
      const order: string[] = [];
      app.area.projects.beforeDelete(async (_caller, { id }) => void order.push(id));
      expect((await app.call('DELETE', path, owner)).status).toBe(200);
      expect(order).toEqual([project['id']]);
      expect(existsSync(app.area.projects.folderOf(project['id']!))).toBe(false);
      expect((await app.call('GET', path, owner)).status).toBe(404);
      expect((await app.call('DELETE', path, owner)).status).toBe(404);
      const entries = await audit();
      expect(entries.map(({ action }) => action)).toEqual([
        'project.created',
        'project.updated',
        'project.updated',
        'project.deleted',
      ]);
      expect(entries[2]!.details).toBe('{"fields":"buildCommand"}');
    });

    it('is kept if it cannot be stopped', async () => {
      const { id } = await create();
      app.area.projects.beforeDelete(() => Promise.reject(new Error('it does not stop')));
      expect((await app.call('DELETE', `/api/projects/${id}`, owner)).status).toBe(500);
      expect((await app.call('GET', `/api/projects/${id}`, owner)).status).toBe(200);
    });

    it('is not written or audited without a change', async () => {
      const { id, updatedAt } = await create();
      const { status, body } = await patch(`/api/projects/${id}`, { name: 'Shop', autoDeploy: true });
      expect([status, (body as unknown as Data).data['updatedAt']]).toEqual([200, updatedAt]);
      expect(await audit()).toHaveLength(1);
    });

    it.each([
      { name: '' },
      { name: 'x'.repeat(81) },
      { name: 'a\nb' },
      { name: 5 },
      { slug: 'UPPER' },
      { slug: 'www' },
      { source: { type: 'git', url: 'file:///etc' } },
      { source: 'git' },
      { rootDirectory: '../x' },
      { rootDirectory: '/x' },
      { outputDirectory: 'a/../../x' },
      { buildCommand: 'a\nb' },
      { buildCommand: 'x'.repeat(2001) },
      { port: 0 },
      { port: '3000' },
      { healthCheck: { path: 'up' } },
      { healthCheck: { timeoutSeconds: 601 } },
      { rollbackWindow: 51 },
      { autoDeploy: 'yes' },
      { publicEndpoints: [{ domain: 'a b' }] },
      { publicEndpoints: [{ domainType: 'other' }] },
      { publicEndpoints: [{ none: false }] },
      { publicEndpoints: [{ none: true, service: 'web' }] },
      { publicEndpoints: [{ none: true }, { service: 'web' }] },
      { publicEndpoints: Array.from({ length: 21 }, () => ({})) },
    ])('rejects %j', async (wrong) => {
      const answer = await post('/api/projects', { name: 'Shop', ...wrong });
      expect(answer).toMatchObject({ status: 400, body: { success: false } });
      expect((answer.body as { details?: { field: string }[] }).details?.[0]?.field).toMatch(
        new RegExp(`^${Object.keys(wrong)[0]}`),
      );
      const { id } = await create();
      expect((await patch(`/api/projects/${id}`, wrong)).status).toBe(400);
    });

    it('previews slug and address of a new project', async () => {
      const get = (query: string) => app.call('GET', `/api/projects/new-address${query}`, owner);
      const preview = async (name: string) => dataOf(await get(`?name=${name}`));
      expect(await preview('Shop')).toEqual({ slug: 'shop', url: 'http://shop.test', wanted: 'shop', reason: null });
      const reserved = await preview('Blog');
      expect(reserved).toMatchObject({ slug: 'blog-2', wanted: 'blog', reason: 'reserved' });
      await create({ name: 'Shop' });
      const taken = await preview('shop');
      expect(taken).toMatchObject({ slug: 'shop-2', url: 'http://shop-2.test', reason: 'taken' });
      expect(await create({ name: 'shop', slug: taken['slug'] })).toMatchObject({ slug: 'shop-2' });
      expect((await get('')).status).toBe(400);
    });

    it('has a unique name in the organization and a unique slug in the instance', async () => {
      const { id } = await create({ name: 'Shop', slug: 'the-shop' });
      expect(await post('/api/projects', { name: 'Shop' })).toMatchObject({ status: 409 });
      expect(await post('/api/projects', { name: 'Else', slug: 'the-shop' })).toMatchObject({ status: 409 });
      const other = await create({ name: 'the shop' });
      expect(other['slug']).toBe('the-shop-2');
      expect((await patch(`/api/projects/${other['id']}`, { name: 'Shop' })).status).toBe(409);
      expect((await patch(`/api/projects/${other['id']}`, { slug: 'the-shop' })).status).toBe(409);
      expect((await patch(`/api/projects/${id}`, { slug: 'the-shop', name: 'Shop' })).status).toBe(200);
      const stranger = await foreignOrganization(app);
      const theirs = await create({ name: 'Shop' }, { token: stranger.token });
      expect(theirs['slug']).toBe('shop');
      expect((await post('/api/projects', { name: 'x', slug: 'shop' })).status).toBe(409);
      const rows = await app.database.db.selectFrom('projects').select('number').execute();
      expect(new Set(rows.map(({ number }) => number)).size).toBe(3);
    });

    it('is created once by concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => post('/api/projects/ensure', { name: 'Shop', port: 3000 + (i % 3) })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ body }) => body['project_id'])).size).toBe(1);
      expect(answers.filter(({ body }) => body['created'])).toHaveLength(1);
      expect(Object.keys(answers[0]!.body).toSorted()).toEqual(['created', 'project_id', 'success']);
      const created = await Promise.all(
        Array.from({ length: 8 }, (_, i) => post('/api/projects', { name: i % 2 ? 'Same' : `Same ${'-'.repeat(i)}` })),
      );
      expect(created.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        201, 201, 201, 201, 409, 409, 409, 409,
      ]);
    });

    it('is changed by ensure, keeping omitted fields', async () => {
      const { id } = await create({ name: 'Shop', port: 3000, buildCommand: 'make' });
      expect(await post('/api/projects/ensure', { name: 'Shop', port: 4000 })).toMatchObject({
        status: 200,
        body: { success: true, project_id: id, created: false },
      });
      expect(dataOf(await app.call('GET', `/api/projects/${id}`, owner))).toMatchObject({
        port: 4000,
        buildCommand: 'make',
      });
    });

    it('can be trusted by the instance owner only', async () => {
      const admin = await join(app, 'admin@example.com', 'admin');
      const { id } = await create();
      const asAdmin = { cookie: admin.cookie };
      expect((await patch(`/api/projects/${id}`, { trusted: true }, asAdmin)).status).toBe(403);
      expect((await post('/api/projects', { name: 'x', trusted: true }, asAdmin)).status).toBe(403);
      expect((await post('/api/projects/ensure', { name: 'Shop', trusted: true }, asAdmin)).status).toBe(403);
      expect((await patch(`/api/projects/${id}`, { trusted: true })).status).toBe(200);
      expect((await audit()).at(-1)!.details).toContain('"trusted":true');
      // Sending back the current value is not a change.
      expect((await patch(`/api/projects/${id}`, { trusted: true, port: 80 }, asAdmin)).status).toBe(200);
      expect((await patch(`/api/projects/${id}`, { trusted: false }, asAdmin)).status).toBe(200);
      expect((await patch(`/api/projects/${id}`, { trusted: true }, asAdmin)).status).toBe(403);
    });

    it('accepts local sources below the configured folders only', async () => {
      const path = pathOf(app.root, 'app');
      mkdirSync(path);
      symlinkSync('/etc', pathOf(app.root, 'etc'));
      symlinkSync(app.dataDir, pathOf(app.root, 'data'));
      const local = (where: string) =>
        post('/api/projects/ensure', { name: 'Local', source: { type: 'local', path: where } });
      expect((await local(path)).status).toBe(200);
      const outside = [
        '/etc',
        pathOf(app.root, 'etc'),
        `${path}/../../..`,
        pathOf(app.root, 'nothing'),
        '/nothing',
        app.dataDir,
      ];
      const answers = [];
      for (const where of outside) answers.push(await local(where));
      expect(answers.map(({ status }) => status)).toEqual(outside.map(() => 400));
      expect(new Set(answers.map(({ text }) => text)).size, 'nobody learns what exists elsewhere').toBe(1);
      expect((await local(pathOf(app.root, 'data'))).status).toBe(400);
      writeFileSync(pathOf(app.root, 'file'), '');
      expect((await local(pathOf(app.root, 'file'))).status).toBe(400);
    });

    it('is not found by other organizations', async () => {
      const { id } = await create();
      const { token } = await foreignOrganization(app);
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'Mine' }],
        ['DELETE', '', undefined],
        ['GET', '/variables', undefined],
        ['PATCH', '/variables', { variables: { A: 'x' } }],
      ] as const)
        expect((await app.call(method, `/api/projects/${id}${path}`, { token, body })).status).toBe(404);
      expect(dataOf(await app.call('GET', '/api/projects', { token }))).toEqual([]);
      expect((await post('/api/projects/folder/session', { projectId: id }, { token })).status).toBe(404);
      expect(dataOf(await app.call('GET', `/api/projects/${id}`, owner))['name']).toBe('Shop');
    });

    it('is visible to restricted members as granted', async () => {
      const [mine, other] = [await create({ name: 'Mine' }), await create({ name: 'Other' })];
      const guest = await restricted([
        { resource: 'project', id: mine['id'], actions: ['write'] },
        { resource: 'repository', id: 'us/*', actions: ['read'] },
      ]);
      const as = { cookie: guest.cookie };
      expect(dataOf(await app.call('GET', '/api/projects', as)).map((each) => each['name'])).toEqual(['Mine']);
      expect((await app.call('GET', `/api/projects/${other['id']}`, as)).status).toBe(404);
      expect((await patch(`/api/projects/${other['id']}`, { port: 1 }, as)).status).toBe(404);
      expect((await patch(`/api/projects/${mine['id']}`, { port: 1 }, as)).status).toBe(200);
      expect((await app.call('DELETE', `/api/projects/${mine['id']}`, as)).status).toBe(403);
      expect((await post('/api/projects', { name: 'New' }, as)).status).toBe(403);
      expect((await app.call('GET', '/api/projects/new-address?name=New', as)).status).toBe(403);
      expect((await post('/api/projects/ensure', { name: 'New' }, as)).status).toBe(403);
      expect((await post('/api/projects/ensure', { name: 'Mine' }, as)).status).toBe(200);
      const source = (repo: object) => patch(`/api/projects/${mine['id']}`, { source: repo }, as);
      expect((await source({ type: 'githost', owner: 'us', repo: 'a' })).status).toBe(200);
      expect((await source({ type: 'githost', owner: 'them', repo: 'a' })).status).toBe(404);
      expect((await source({ type: 'local', path: app.root })).status).toBe(403);
    });
  });

  describe('variables', () => {
    it('are generated for a deployment once, and are secret', async () => {
      const { id, organizationId } = await app.database.db
        .selectFrom('projects')
        .selectAll()
        .where('id', '=', (await create()).id!)
        .executeTakeFirstOrThrow();
      await patch(`/api/projects/${id}/variables`, { variables: { OWN: 'kept' } });
      const deployment = { organizationId, projectId: id, createdBy: 'usr_1' };
      const keep = (values: Record<string, string>) => app.area.variables.keep(deployment, values);
      expect(await keep({ OWN: 'other', MADE: 'first' })).toEqual({ OWN: 'kept', MADE: 'first' });
      expect(await keep({ MADE: 'second' })).toEqual({ MADE: 'first' });
      const shown = dataOf(await app.call('GET', `/api/projects/${id}/variables`, owner));
      expect(shown.map(({ key, value, secret }) => ({ key, value, secret }))).toEqual([
        { key: 'MADE', value: null, secret: true },
        { key: 'OWN', value: 'kept', secret: false },
      ]);
      expect((await audit()).filter(({ action }) => action === 'project.variables_changed')).toHaveLength(2);
      await expect(keep(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`K${i}`, 'x'])))).rejects.toThrow(
        'at most 200',
      );
    });

    it('are set, kept and removed; secret values are never shown', async () => {
      const { id } = await create();
      const path = `/api/projects/${id}/variables`;
      const first = await patch(path, {
        variables: {
          PLAIN: 'a',
          SECRET: { value: 'sesame-open', secret: true },
          BUILD: { value: '', buildTime: true },
        },
      });
      expect(dataOf(first).map(({ updatedAt: _time, ...rest }) => rest)).toEqual([
        { key: 'BUILD', value: '', secret: false, buildTime: true },
        { key: 'PLAIN', value: 'a', secret: false, buildTime: false },
        { key: 'SECRET', value: null, secret: true, buildTime: false },
      ]);
      const second = await patch(path, {
        variables: { PLAIN: { secret: true }, SECRET: 'sesame-close', BUILD: null, NONE: null },
      });
      expect(dataOf(second)).toMatchObject([
        { key: 'PLAIN', value: null, secret: true },
        { key: 'SECRET', value: null, secret: true },
      ]);
      expect((await app.call('GET', path, owner)).text).toBe(second.text);
      const values = await app.area.variables.valuesOf(app.database.db, id!);
      expect(values).toEqual([
        { key: 'PLAIN', value: 'a', secret: true, buildTime: false },
        { key: 'SECRET', value: 'sesame-close', secret: true, buildTime: false },
      ]);
      const stored = JSON.stringify([
        await app.database.db.selectFrom('project_variables').selectAll().execute(),
        await audit(),
        first.body,
      ]);
      expect(stored).not.toContain('sesame');
      expect((await audit()).at(-1)).toMatchObject({
        action: 'project.variables_changed',
        details: '{"set":"PLAIN, SECRET","removed":"BUILD"}',
      });
    });

    it('stay secret unless sent again', async () => {
      const { id } = await create();
      const path = `/api/projects/${id}/variables`;
      await patch(path, { variables: { A: { value: 'sesame', secret: true } } });
      expect((await patch(path, { variables: { A: { secret: false } } })).status).toBe(400);
      expect((await patch(path, { variables: { A: { secret: false, value: 'new' } } })).status).toBe(200);
    });

    it.each([
      [{ PORT: '1' }, /variables.PORT is set by Mooring/],
      [{ HOST: { value: 'x' } }, /variables.HOST is set by Mooring/],
      [{ '1A': 'x' }, /variables.1A must be letters/],
      [{ 'A B': 'x' }, /must be letters/],
      [{ ['A'.repeat(129)]: 'x' }, /at most 128/],
      [{ A: 5 }, /variables.A must be/],
      [{ A: 'ü'.repeat(16_385) }, /at most 32 KB/],
      [{ A: {} }, /A.value is required/],
    ])('reject %j', async (variables, words) => {
      const { id } = await create();
      const answer = await patch(`/api/projects/${id}/variables`, { variables: { GOOD: 'x', ...variables } });
      expect(answer.status).toBe(400);
      expect((answer.body as { error?: string }).error).toMatch(words);
      expect(await app.area.variables.valuesOf(app.database.db, id!)).toEqual([]);
    });

    it('are limited to 200, also for concurrent requests', async () => {
      const { id } = await create();
      const path = `/api/projects/${id}/variables`;
      const some = (from: number, count: number) => ({
        variables: Object.fromEntries(Array.from({ length: count }, (_, i) => [`V${from + i}`, 'x'.repeat(4000)])),
      });
      const answers = await Promise.all([
        patch(path, some(0, 120)),
        patch(path, some(200, 120)),
        patch(path, some(0, 120)),
      ]);
      // The first request decides which ones fit.
      const fitting = answers.filter(({ status }) => status === 200).length;
      expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 400)).toEqual([]);
      expect([1, 2]).toContain(fitting);
      expect(await app.area.variables.valuesOf(app.database.db, id!)).toHaveLength(120);
      expect((await patch(path, some(1000, 81))).status).toBe(400);
      expect((await patch(path, some(1000, 80))).status).toBe(200);
    });

    it('cannot be decrypted in another row', async () => {
      const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })];
      for (const { id } of [a, b]) await patch(`/api/projects/${id}/variables`, { variables: { K: `value of ${id}` } });
      const rows = await app.database.db.selectFrom('project_variables').selectAll().orderBy('id').execute();
      await app.database.db
        .updateTable('project_variables')
        .set({ value: rows[0]!.value })
        .where('id', '=', rows[1]!.id)
        .execute();
      await expect(app.area.variables.valuesOf(app.database.db, b['id']!)).rejects.toThrow();
    });
  });

  describe('upload', () => {
    const small = sampleArchive({ name: 'package.json', content: '{}' }, { name: 'src/', type: '5' });
    const open = async (body: object = {}, who: object = owner) => {
      const answer = await post('/api/projects/folder/session', body, who);
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      return fieldsOf(answer);
    };
    const put = ({ upload }: { upload: Upload }, body: Buffer = small, headers = upload.headers) =>
      app.call('PUT', upload.url, { body, headers });
    /** Files of the data folder, and archives of the database. */
    const files = async () => {
      const chunks = kind === 'postgres' ? await app.database.db.selectFrom('upload_chunks').selectAll().execute() : [];
      const stored = new Set(chunks.map(({ uploadId }) => `${uploadId}.tar.gz`));
      return [...readdirSync(pathOf(app.dataDir, 'uploads')), ...stored].toSorted();
    };
    const uploaded = async (body: object = {}) => {
      const session = await open(body);
      expect((await put(session)).status).toBe(200);
      return session['sessionId']!;
    };
    const claim = (id: string, projectId: string) =>
      inTransaction(app.database.db, async (trx) => {
        const { organizationId } = await trx.selectFrom('uploads').selectAll().executeTakeFirstOrThrow();
        const owning = { organization: { id: organizationId, role: 'owner' } } as Caller;
        return app.area.uploads.claim(trx, owning, id, projectId);
      });

    it('is received, scanned, claimed and unpacked', async () => {
      const { id: projectId } = await create();
      const session = await open({ projectId });
      expect(session).toMatchObject({
        success: true,
        upload: { url: `http://localhost:80/api/projects/folder/upload/${session['sessionId']}`, method: 'PUT' },
      });
      const id = session['sessionId']!;
      expect(await post('/api/projects/folder/scan', { sessionId: id })).toMatchObject({ status: 400 });
      const received = await put(session);
      expect(dataOf(received)).toEqual({
        sessionId: id,
        size: small.length,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      });
      expect(await files()).toEqual([`${id}.tar.gz`]);
      const scanned = await post('/api/projects/folder/scan', { sessionId: id });
      expect(dataOf(scanned)['reasons']).toEqual(['package.json', 'src']);
      expect(readdirSync(pathOf(app.dataDir, 'tmp'))).toEqual([]);
      expect(await claim(id, projectId!)).toMatchObject({ id, mode: 'local' });
      const folder = pathOf(newFolder('out'), 'a');
      await app.area.uploads.extractTo(id, folder);
      expect(readdirSync(folder)).toEqual(['package.json', 'src']);
      const secret = session.upload.headers['x-upload-token']!;
      const everything = JSON.stringify([
        await app.database.db.selectFrom('uploads').selectAll().execute(),
        await audit(),
      ]);
      expect(everything).not.toContain(secret);
      expect((await audit()).map(({ action }) => action)).toEqual([
        'project.created',
        'upload.opened',
        'upload.received',
      ]);
    });

    it("requires the session's secret, and does not reveal whether the session exists", async () => {
      const [session, other] = [await open(), await open()];
      const url = session.upload.url;
      const tries = [
        app.call('PUT', url, { body: small }),
        app.call('PUT', url, { body: small, headers: { 'x-upload-token': '' } }),
        app.call('PUT', url, { body: small, headers: { 'x-upload-token': 'x' } }),
        app.call('PUT', url, { body: small, headers: other.upload.headers }),
        app.call('PUT', url, { body: small, token: ownerToken }),
        app.call('PUT', '/api/projects/folder/upload/upl_none', { body: small, headers: session.upload.headers }),
        app.call('PUT', '/api/projects/folder/upload/..%2f..%2fx', { body: small, headers: session.upload.headers }),
      ];
      const answers = await Promise.all(tries);
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]!.status).toBe(401);
      expect((await put(session)).status).toBe(200);
    });

    it('is accepted once, also for concurrent requests', async () => {
      const session = await open();
      const answers = await Promise.all(Array.from({ length: 6 }, () => put(session)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
      expect((await put(session)).status).toBe(409);
      expect(await files()).toHaveLength(1);
    });

    it('with an invalid archive is rejected with the reason and can be repeated', async () => {
      const session = await open();
      for (const [body, words] of [
        [Buffer.from('hello'), /not a gzip/],
        [Buffer.alloc(0), /cut off/],
        [sampleArchive({ name: '../x', content: 'x' }), /\.\./],
        [sampleArchive({ name: 'a', type: '2', link: '/etc' }), /leads outside/],
        [small.subarray(0, 60), /cut off/],
      ] as const) {
        const answer = await put(session, body);
        expect([answer.status, (answer.body as { error?: string }).error]).toEqual([400, expect.stringMatching(words)]);
        expect(await files()).toEqual([]);
      }
      expect((await put(session)).status).toBe(200);
    });

    it('over the limit gets a 413, with or without Content-Length', async () => {
      await app.server.listen({ port: 0, host: '127.0.0.1' });
      const { port } = app.server.server.address() as AddressInfo;
      const send = (upload: Upload, length: number | undefined, chunk: Buffer) =>
        new Promise<number>((resolve, reject) => {
          const headers = { ...upload.headers, ...(length && { 'content-length': length }) };
          const request = httpRequest({ port, host: '127.0.0.1', method: 'PUT', path: upload.url, headers });
          const answered = { yet: false };
          request.on('response', (response) => {
            answered.yet = true;
            resolve(response.statusCode!);
            request.destroy();
          });
          request.on('error', (error) => answered.yet || reject(error));
          const more = () => {
            while (!answered.yet && request.write(chunk));
            if (!answered.yet) request.once('drain', more);
          };
          more();
        });
      const { upload } = await open();
      expect(await send(upload, 300_000_001, Buffer.alloc(10))).toBe(413);
      expect(await send(upload, undefined, Buffer.alloc(1_000_000, 'x'))).toBe(413);
      expect(await files()).toEqual([]);
    });

    it('that breaks off leaves nothing behind and keeps the session open', async () => {
      await app.server.listen({ port: 0, host: '127.0.0.1' });
      const { port } = app.server.server.address() as AddressInfo;
      const session = await open();
      const { url, headers } = session.upload;
      const request = httpRequest({ port, host: '127.0.0.1', method: 'PUT', path: url, headers });
      request.on('error', () => {});
      request.write(small.subarray(0, 20));
      const status = async () =>
        (await app.database.db.selectFrom('uploads').select('status').executeTakeFirstOrThrow()).status;
      await expect.poll(status).toBe('receiving');
      request.destroy();
      await expect.poll(status).toBe('open');
      expect(await files()).toEqual([]);
      expect((await put(session)).status).toBe(200);
    });

    it('is the same when it is read, whatever its size', async () => {
      for (const size of [1, 512 * 1024, 1_300_000]) {
        const sent = sampleArchive({ name: 'noise', content: randomBytes(size).toString('latin1') });
        const session = await open();
        expect((await put(session, sent)).status).toBe(200);
        const folder = newFolder('out');
        await app.area.uploads.extractTo(session['sessionId']!, folder);
        expect(readFileSync(pathOf(folder, 'noise'), 'latin1').length).toBeGreaterThanOrEqual(size);
        if (kind !== 'postgres') continue;
        const chunks = app.database.db.selectFrom('upload_chunks').select('bytes').orderBy('number');
        const parts = await chunks.where('uploadId', '=', session['sessionId']!).execute();
        expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(sent)).toBe(true);
      }
    });

    it('belongs to one project, which may deploy it again', async () => {
      const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })];
      const id = await uploaded();
      const [first, second] = await Promise.allSettled([claim(id, a['id']!), claim(id, b['id']!)]);
      expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const [mine, theirs] = first.status === 'fulfilled' ? [a, b] : [b, a];
      expect(await claim(id, mine['id']!)).toMatchObject({ id });
      await expect(claim(id, theirs['id']!)).rejects.toMatchObject({ status: 409 });
      await expect(claim('upl_none', mine['id']!)).rejects.toMatchObject({ status: 404 });
      const empty = await open();
      await expect(claim(empty['sessionId']!, mine['id']!)).rejects.toMatchObject({ status: 400 });
      const bound = await uploaded({ projectId: a['id'] });
      await expect(claim(bound, b['id']!)).rejects.toMatchObject({ status: 409 });
    });

    it('is removed after expiry, and kept while its project may need it', async () => {
      const { id: projectId } = await create({ name: 'Shop', rollbackWindow: 1 });
      const unused = await uploaded();
      await open();
      const used: string[] = [];
      for (let i = 0; i < 5; i++) {
        const id = await uploaded();
        await claim(id, projectId!);
        used.push(id);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await claim(used[0]!, projectId!);
      await app.area.tidy();
      const kept = [used[0]!, used[3]!, used[4]!];
      expect(await files()).toEqual([unused, ...kept].map((id) => `${id}.tar.gz`).toSorted());
      await app.area.tidy(Date.now() + 3_700_000);
      expect(await files()).toEqual(kept.map((id) => `${id}.tar.gz`).toSorted());
      expect(await app.database.db.selectFrom('uploads').select('id').execute()).toHaveLength(3);
      await expect(claim(unused, projectId!)).rejects.toMatchObject({ status: 404 });
      await expect(app.area.uploads.extractTo(unused, newFolder('out'))).rejects.toMatchObject({ status: 400 });
      await app.call('DELETE', `/api/projects/${projectId}`, owner);
      for (const name of readdirSync(pathOf(app.dataDir, 'uploads')))
        utimesSync(pathOf(app.dataDir, 'uploads', name), 1, 1);
      await app.area.tidy();
      expect(await files()).toEqual([]);
    });

    it('is rejected after the session has expired', async () => {
      const session = await open();
      await app.database.db
        .updateTable('uploads')
        .set({ expiresAt: Date.now() - 1 })
        .execute();
      expect((await put(session)).status).toBe(404);
    });

    it('is visible within the organization, and for restricted members if it is their own', async () => {
      const id = await uploaded();
      const { token } = await foreignOrganization(app);
      const foreign = await post('/api/projects/folder/scan', { sessionId: id }, { token });
      const unknown = await post('/api/projects/folder/scan', { sessionId: 'upl_none' }, { token });
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      const { id: projectId } = await create();
      const guest = await restricted([{ resource: 'project', id: projectId, actions: ['write'] }]);
      const as = { cookie: guest.cookie };
      expect((await post('/api/projects/folder/scan', { sessionId: id }, as)).status).toBe(404);
      const own = await open({}, as);
      await put(own);
      expect((await post('/api/projects/folder/scan', { sessionId: own['sessionId'] }, as)).status).toBe(200);
    });

    it('requires an existing server, and is limited in number', async () => {
      expect((await post('/api/projects/folder/session', { mode: 'server' })).status).toBe(400);
      expect((await post('/api/projects/folder/session', { mode: 'server', serverId: 'srv_x' })).status).toBe(404);
      const last = await open();
      for (let i = 0; i < 99; i++) await open();
      expect((await put(last)).status).toBe(200);
      await app.database.db.updateTable('uploads').set({ status: 'received' }).execute();
      expect((await post('/api/projects/folder/session', {})).status).toBe(429);
    });
  });
});

it('rejects local folders and uploads in cloud mode before any lookup', async () => {
  const app = await start('sqlite', { MOORING_MODE: 'cloud' });
  const owner = { token: await newToken(app, await cookieOfOwner(app), '*') };
  const source = { type: 'local', path: '/etc' };
  const answers = await Promise.all([
    app.call('POST', '/api/projects', { ...owner, body: { name: 'x', source } }),
    app.call('PATCH', '/api/projects/prj_none', { ...owner, body: { source } }),
    app.call('POST', '/api/projects/folder/session', { ...owner, body: { projectId: 'prj_none' } }),
    app.call('POST', '/api/projects/folder/scan', { ...owner, body: { sessionId: 'upl_none' } }),
    app.call('PUT', '/api/projects/folder/upload/upl_none', { body: Buffer.from('x') }),
    app.call('POST', '/api/projects', { ...owner, body: { name: 'x', trusted: true } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  await app.close();
});

async function cookieOfOwner(app: Rig): Promise<string> {
  const body = { email: 'owner@example.com', password: ownerPassword };
  return String((await app.call('POST', '/api/auth/sign-in', { body })).headers['set-cookie']).split(';')[0]!;
}
