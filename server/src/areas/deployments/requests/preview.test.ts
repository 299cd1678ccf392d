import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import type { ContainerParts } from '../model/parts.ts';
import { addWarning, wereLost, willBeLost } from '../release/stray-writes.ts';
import { folderWith, readTestStack } from '../stack/read/stack-rig.ts';
import { newServiceState, stackSealLocation } from '../model/stack.ts';

/** An engine that is configured but never used: these tests start nothing. */
const containers = { disk: () => Promise.resolve(undefined) } as unknown as ContainerParts;
const secret = 'correct-horse-battery';

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite', { drivers: { ...memoryDrivers(), containers } });
});
afterAll(() => app.close());

let made = 0;
/** Plans a deployment of this compose file in a project with a secret variable. */
async function planOf(compose: string, fields: object = {}) {
  const call = (method: string, path: string, body: object) => app.call(method, path, { token: ownerToken, body });
  const source = { type: 'local', path: folderWith({ 'compose.yaml': compose }) };
  const project = await call('POST', '/api/projects', { name: `shop ${++made}`, source, ...fields });
  const { id: projectId } = (project.body as unknown as { data: { id: string } }).data;
  const variables = { SECRET: { value: secret, secret: true } };
  await call('PATCH', `/api/projects/${projectId}/variables`, { variables });
  return call('POST', '/api/deployments/plan', { projectId });
}

it.each([
  ['a mistake', 'services: { a: { image: x, ports: ["${SECRET}:80"] } }'],
  ['a path of the machine', 'services: { a: { image: x, volumes: ["/srv/${SECRET}:/x"] } }'],
])('redacts secrets in %s', async (_what, compose) => {
  const { status, text } = await planOf(compose);
  expect([status, text.includes('[hidden]'), text.includes(secret)]).toEqual([400, true, false]);
});

it('keeps nothing, and removes leftovers of a killed process', async () => {
  const { folder } = app.instance;
  const left = join(folder, 'tmp/plan_of-one-that-was-killed');
  mkdirSync(left, { recursive: true });
  const { status, text } = await planOf(
    'services: { a: { image: x, secrets: [s] } }\nsecrets: { s: { environment: SECRET } }',
  );
  expect([status, text.includes('"create"')]).toEqual([200, true]);
  expect([readdirSync(join(folder, 'tmp')), existsSync(join(folder, 'contents'))]).toEqual([[], false]);
});

it('rejects a missing root directory, like the deployment', async () => {
  const { status, text } = await planOf('services: { a: { image: x } }', { rootDirectory: 'nowhere' });
  expect([status, text]).toMatchObject([400, expect.stringContaining('nowhere is not a folder of the source')]);
});

it('warns about endpoints that an app cannot have', async () => {
  const call = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });
  const source = { type: 'local', path: folderWith({ 'index.html': 'x' }) };
  const project = await call('/api/projects', { name: `shop ${++made}`, source });
  const { id: projectId } = (project.body as unknown as { data: { id: string } }).data;
  const publicEndpoints = [
    { service: 'web', port: 80 },
    { service: 'api', port: 3000 },
  ];
  const { status, body } = await call('/api/deployments/plan', { projectId, publicEndpoints });
  const { warnings } = (body as unknown as { data: { warnings: string[] } }).data;
  expect([status, warnings]).toEqual([
    200,
    [expect.stringContaining('the ports 80, 3000'), expect.stringContaining('this app has no services')],
  ]);
});

it('warns about data that no volume keeps: detected in the source, and written by the active release', async () => {
  const call = (method: string, path: string, body: object) => app.call(method, path, { token: ownerToken, body });
  const settings = [
    "MEDIA_ROOT = BASE_DIR / 'media'",
    "DATABASES = {'default': env.db('DATABASE_URL', default={'ENGINE': 'django.db.backends.sqlite3',",
    "  'NAME': BASE_DIR / 'db.sqlite3'})}",
  ].join('\n');
  const source = { type: 'local', path: folderWith({ 'manage.py': '', 'site/settings.py': settings }) };
  const project = await call('POST', '/api/projects', { name: `club ${++made}`, source });
  const { id: projectId, slug } = (project.body as unknown as { data: { id: string; slug: string } }).data;
  const warnings = async () => {
    const { body } = await call('POST', '/api/deployments/plan', { projectId });
    return (body as unknown as { data: { volumeWarnings: string[] } }).data.volumeWarnings;
  };
  const ofMedia =
    'Django keeps uploads in media. Files written there are lost with the next deployment. ' +
    `Add a volume to keep them: mooring volume add ${slug} media media`;
  expect(await warnings()).toEqual([expect.stringMatching(/^Django keeps its SQLite database in db.sqlite3/), ofMedia]);
  await call('PATCH', `/api/projects/${projectId}/variables`, {
    variables: { DATABASE_URL: { value: 'postgres://x' } },
  });
  expect(await warnings()).toEqual([ofMedia]);

  const { db } = app.database;
  const { organizationId } = await db.selectFrom('projects').select('organizationId').executeTakeFirstOrThrow();
  const volume = { id: 'vol_1', organizationId, projectId, environment: 'production', name: 'media', service: null };
  const unused = { overlap: 0, engineId: null, removedAt: null, purge: 0, createdAt: 0 };
  await db
    .insertInto('volumes')
    .values({ ...volume, path: '/app/media', ...unused })
    .execute();
  expect(await warnings()).toEqual([]);

  const begun = await call('POST', '/api/deployments/build/access', { projectId, autoStart: false });
  const { deployment_id: id } = begun.body as unknown as { deployment_id: string };
  await db.updateTable('deployments').set({ status: 'ready', active: 1 }).where('id', '=', id).execute();
  const stray = { folders: [{ path: '.', files: 1, example: 'a.log' }], slug, service: null };
  for (const line of [wereLost(stray), willBeLost(stray)]) await addWarning(db, id, line, stray);
  expect(await warnings()).toEqual([willBeLost(stray)]);

  const ofVolume = { folders: [{ path: 'media', files: 2, example: 'a.png' }], slug, service: null };
  await addWarning(db, id, willBeLost(ofVolume), ofVolume);
  const kept =
    '2 files under media will be lost with the next deployment. The volume for media is mounted from then on. ' +
    'To keep the files, redeploy with --same-build.';
  expect(await warnings()).toEqual([willBeLost(stray), kept]);
  const { body } = await app.call('GET', `/api/deployments/${id}/build`, { token: ownerToken });
  const messages = (body as unknown as { data: { warnings: { message: string }[] } }).data.warnings;
  expect(messages.map(({ message }) => message)).toEqual([wereLost(stray), willBeLost(stray), kept]);
  await db.deleteFrom('volumes').execute();
  expect(await warnings()).toEqual([ofMedia, willBeLost(stray), willBeLost(ofVolume)]);
});

it('shows the services that an app replaces, and the data that they leave behind', async () => {
  const call = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });
  const path = folderWith({ 'index.html': 'x' });
  const project = await call('/api/projects', { name: `shop ${++made}`, source: { type: 'local', path } });
  const { id: projectId } = (project.body as unknown as { data: { id: string } }).data;
  const begun = await call('/api/deployments/build/access', { projectId, autoStart: false });
  const { deployment_id: id } = begun.body as unknown as { deployment_id: string };
  const compose = 'services: { web: { image: x }, db: { image: y, volumes: ["data:/data"] } }\nvolumes: { data: }';
  const { stack } = (await readTestStack(folderWith({ 'compose.yaml': compose })))!;
  const services = ['web', 'db'].map((name) => ({ ...newServiceState(name), status: 'ready', runsOf: id }));
  await app.database.db
    .updateTable('deployments')
    .set({
      status: 'ready',
      active: 1,
      stack: app.instance.sealer.seal(JSON.stringify(stack), stackSealLocation(id)),
      services: JSON.stringify(services),
    })
    .where('id', '=', id)
    .execute();
  const { body } = await call('/api/deployments/plan', { projectId });
  const { services: plans } = (body as unknown as { data: { services: object[] } }).data;
  expect(plans).toMatchObject([
    { name: 'app', change: 'create' },
    { name: 'web', change: 'remove', dataAtRisk: [] },
    { name: 'db', change: 'remove', dataAtRisk: [expect.stringContaining('data')] },
  ]);
});
