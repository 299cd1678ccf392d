import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../rig/app.ts';
import { newFolder } from '../rig/children.ts';
import { memoryDrivers } from '../rig/drivers.ts';
import { join, newToken, signInOwner } from '../rig/people.ts';

type Mode = 'self-hosted' | 'cloud';
const modes: Mode[] = ['self-hosted', 'cloud'];

/** Every API route with its permission; a third word marks those that do not exist in a cloud. */
const stated = `
GET /api/deployments deployment:list
POST /api/deployments deployment:write
POST /api/deployments/prepare deployment:write
POST /api/deployments/build/access deployment:write
POST /api/deployments/ssl/status deployment:read
POST /api/deployments/ssl/renew deployment:write
GET /api/deployments/:id deployment:read
GET /api/deployments/:id/logs deployment:read
GET /api/deployments/:id/stream deployment:read
GET /api/deployments/:id/build deployment:read
POST /api/deployments/:id/build deployment:write
POST /api/deployments/:id/build/respond deployment:write
POST /api/deployments/:id/redeploy deployment:write
POST /api/deployments/:id/rollback deployment:write
POST /api/deployments/:id/pin deployment:write
POST /api/deployments/:id/cancel deployment:write
POST /api/deployments/:id/keep deployment:write
POST /api/deployments/:id/reject deployment:write
POST /api/deployments/:id/restart deployment:write
GET /api/deployments/:id/info deployment:read
GET /api/deployments/:id/usage deployment:read
DELETE /api/deployments/:id deployment:admin
GET /api/backup-destinations backup_destination:list
POST /api/backup-destinations backup_destination:write
GET /api/backup-destinations/:id backup_destination:read
PATCH /api/backup-destinations/:id backup_destination:write
DELETE /api/backup-destinations/:id backup_destination:admin
POST /api/backup-destinations/:id/preflight backup_destination:write
GET /api/githost/status githost:read
GET /api/githost/home githost:read
GET /api/githost/local-status githost:read self-hosted
GET /api/githost/connect/poll githost:read self-hosted
POST /api/githost/connect githost:write
GET /api/githost/connect/redirect public
POST /api/githost/disconnect githost:admin
GET /api/githost/repos githost:list
POST /api/githost/repos githost:write
GET /api/githost/orgs/:org/repos githost:list
GET /api/githost/repos/:owner/:repo githost:read
DELETE /api/githost/repos/:owner/:repo githost:admin
GET /api/githost/repos/:owner/:repo/branches githost:list
GET /api/githost/repos/:owner/:repo/clone-token githost:read
GET /api/githost/repos/:owner/:repo/files githost:list
GET /api/githost/repos/:owner/:repo/file githost:read
GET /api/githost/repos/:owner/:repo/webhooks githost:list
POST /api/githost/repos/:owner/:repo/webhooks githost:write
DELETE /api/githost/repos/:owner/:repo/webhooks githost:admin
POST /api/migration/scan server:write self-hosted
POST /api/migration/adopt server:write self-hosted`
  .trim()
  .split('\n')
  .map((line) => line.split(' ') as [method: string, path: string, permission: string, only?: string]);

const isThere = (only: string | undefined, mode: Mode) => only === undefined || only === mode;
const withIds = (path: string) => path.replace(/:\w+/g, 'unknown');

describe('the API in both modes', () => {
  const apps = {} as Record<Mode, TestApp>;
  const viewers = {} as Record<Mode, string>;
  const statements: string[] = [];
  const root = newFolder('destinations');
  beforeAll(async () => {
    for (const mode of modes) {
      const drivers = memoryDrivers();
      Object.assign(drivers.runtime, { kind: 'docker' });
      const local = { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root };
      const onStatement = (sql: string) => void statements.push(sql);
      apps[mode] = await startApp('sqlite', { env: { MOORING_MODE: mode, ...local }, drivers, onStatement });
      const { cookie } = await join(apps[mode], 'viewer@example.com', 'viewer');
      viewers[mode] = await newToken(apps[mode], cookie, '*');
    }
  });
  afterAll(() => Promise.all(modes.map((mode) => apps[mode]?.close())));

  const call = (mode: Mode, method: string, path: string, body?: unknown, token = ownerToken) =>
    apps[mode].call(method, path, { token, ...(body !== undefined && { body }) });
  const seen = ({ status, body }: Answer) => [status, body['code']];
  /** The message for an unknown path. */
  const nothing = (method: string, path: string) => `there is no route ${method} ${path}`;

  it.each(modes)('has every documented route with its permission, or none (%s)', async (mode) => {
    for (const [method, path, permission, only] of stated) {
      const route = apps[mode].routes.find((each) => each.method === method && each.path === path);
      const anonymous = await apps[mode].call(method, withIds(path), method === 'GET' ? {} : { body: {} });
      if (isThere(only, mode)) {
        expect([path, route?.permission]).toEqual([path, permission]);
        if (permission !== 'public') expect([path, ...seen(anonymous)]).toEqual([path, 401, 'unauthenticated']);
        continue;
      }
      for (const token of [ownerToken, viewers[mode]]) {
        const answer = await call(mode, method, withIds(path), method === 'GET' ? undefined : {}, token);
        expect([answer.status, answer.body['error']]).toEqual([404, nothing(method, withIds(path))]);
      }
      expect([path, anonymous.status]).toEqual([path, 404]);
    }
  });

  it.each(modes)('has every route in one document, which names its mode (%s)', async (mode) => {
    type Document = { paths: Record<string, Record<string, { 'x-mode'?: Mode }>> };
    const { paths } = (await call(mode, 'GET', '/api/openapi.json')).body as unknown as Document;
    for (const route of apps[mode].routes) {
      const found = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
      expect([route.method, route.path, found?.['x-mode']]).toEqual([route.method, route.path, route.mode]);
    }
  });

  it.each(modes)("checks a viewer's permission before anything else (%s)", async (mode) => {
    for (const [method, path, permission, only] of stated) {
      if (!isThere(only, mode) || !/:(write|admin)$/.test(permission)) continue;
      const answer = await call(mode, method, withIds(path), {}, viewers[mode]);
      expect([method, path, ...seen(answer)]).toEqual([method, path, 403, 'forbidden']);
    }
    const local = { source: 'local', path: '/etc' };
    const refused = await call(mode, 'POST', '/api/deployments/prepare', local, viewers[mode]);
    expect(seen(refused), 'the permission comes before the mode').toEqual([403, 'forbidden']);
  });

  it.each(modes)('rejects unknown ids (%s)', async (mode) => {
    const acceptable: Record<string, object> = { 'POST /api/deployments/:id/build/respond': { response: 'x' } };
    for (const [method, path] of stated.filter(([, each]) => /^\/api\/(deployments|backup-dest\S+)\/:id/.test(each))) {
      const body = method === 'GET' ? undefined : (acceptable[`${method} ${path}`] ?? {});
      expect([method, path, ...seen(await call(mode, method, withIds(path), body))]).toEqual([
        method,
        path,
        404,
        'not_found',
      ]);
    }
  });

  /** The request, the response to the machine's owner, and the response in a cloud. */
  const rules: [method: string, path: string, body: object | undefined, own: unknown[], cloud: unknown[]][] = [
    // Rejected before the folder, project or session is looked up.
    ['POST', '/api/deployments/prepare', { source: 'local', path: '/no/such' }, [400], [403, 'local_in_cloud']],
    ['POST', '/api/deployments/prepare', { source: 'local' }, [400], [403, 'local_in_cloud']],
    ['POST', '/api/deployments/prepare', { source: 'elsewhere' }, [400], [400]],
    ['POST', '/api/deployments/prepare', {}, [400], [400]],
    [
      'POST',
      '/api/deployments/build/access',
      { projectId: 'prj_x', uploadSessionId: 'upl_x' },
      [404],
      [403, 'local_in_cloud'],
    ],
    ['POST', '/api/deployments/build/access', { projectId: 'prj_x' }, [404], [404]],
    [
      'POST',
      '/api/deployments/build/access',
      { projectId: 'prj_x', deployTarget: 'cloud' },
      [400, 'cloud_not_linked'],
      [404],
    ],
    ['POST', '/api/projects/folder/session', {}, [200], [403, 'local_in_cloud']],
    [
      'POST',
      '/api/projects',
      { name: 'l', source: { type: 'local', path: '/no/such' } },
      [400],
      [403, 'local_in_cloud'],
    ],
    ['POST', '/api/projects', { name: 't', trusted: true }, [201], [403]],
    ['POST', '/api/servers', { name: 'here', kind: 'this_machine' }, [201], [403]],
    ['POST', '/api/backup-destinations', { name: 'a', kind: 'local', endpoint: '/no/such' }, [400], [400]],
    ['POST', '/api/backup-destinations', { name: 'b', kind: 'http_upload' }, [400], [400]],
    ['POST', '/api/backup-destinations', { name: ' ', kind: 's3_compatible' }, [400], [400]],
    ['POST', '/api/backup-destinations', { name: 'c', kind: 'platform_server', serverId: 'srv_x' }, [400], [400]],
    ['POST', '/api/deployments/ssl/status', {}, [400], [400]],
    ['POST', '/api/deployments/ssl/renew', {}, [400], [400]],
    ['GET', '/api/githost/status', undefined, [200], [200]],
    ['GET', '/api/githost/home', undefined, [200], [200]],
    ['GET', '/api/githost/repos', undefined, [400, 'not_connected'], [400, 'not_connected']],
    ['GET', '/api/githost/repos/a/b/clone-token', undefined, [409], [409]],
    ['POST', '/api/githost/connect', { source: 'cli' }, [200], [400, 'bad_request']],
    ['POST', '/api/migration/scan', {}, [400], [404]],
    ['POST', '/api/migration/scan', { serverId: 'srv_x' }, [404], [404]],
    ['POST', '/api/migration/adopt', { serverId: 'x', projectName: '', serviceNames: ['a'] }, [400], [404]],
    ['POST', '/api/migration/adopt', { serverId: 'x', projectName: 'a', serviceNames: [] }, [400], [404]],
    ['GET', '/api/cloud/link', undefined, [200], [404]],
    ['POST', '/api/cloud/link', {}, [400], [404]],
    ['GET', '/api/organizations/current/limits', undefined, [404], [200]],
    ['PUT', '/api/cloud/projects/prj_00000000000000000000000000', {}, [404], [400]],
  ];

  it.each(rules)('%s %s %j', async (method, path, body, own, cloud) => {
    for (const [mode, expected] of [
      ['self-hosted', own],
      ['cloud', cloud],
    ] as const) {
      const answer = await call(mode, method, path, body);
      expect([mode, ...seen(answer).slice(0, expected.length)], answer.text).toEqual([mode, ...expected]);
    }
  });

  it('allows local destinations on a self-hosted machine, and never in a cloud', async () => {
    for (const [mode, status] of [
      ['self-hosted', 201],
      ['cloud', 400],
    ] as const) {
      const create = (name: string, endpoint: string) =>
        call(mode, 'POST', '/api/backup-destinations', { name, kind: 'local', endpoint });
      const inside = await create('inside', root);
      expect([mode, inside.status], inside.text).toEqual([mode, status]);
      expect([mode, (await create('outside', newFolder('outside'))).status]).toEqual([mode, 400]);
    }
  });

  it('lets members create organizations when self-hosted, but not in a cloud', async () => {
    for (const mode of modes) {
      const { cookie } = await join(apps[mode], 'second-owner@example.com', 'owner');
      const make = (who: { cookie: string } | { token: string }) =>
        apps[mode].call('POST', '/api/organizations', { ...who, body: { name: 'Another' } });
      expect([mode, (await make({ cookie })).status]).toEqual([mode, mode === 'cloud' ? 403 : 201]);
      expect([mode, (await make({ cookie: await signInOwner(apps[mode]) })).status]).toEqual([mode, 201]);
    }
  });

  it('reads the limits of an organization with two statements', async () => {
    statements.length = 0;
    const { body } = await call('cloud', 'GET', '/api/organizations/current/limits');
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(2);
    expect(body['data']).toMatchObject({
      projects: { limit: 50 },
      buildsAtOnce: { used: 0, limit: 1 },
      memoryMb: { used: 0, limit: 8192 },
      cpus: { used: 0, limit: 8 },
      container: { memoryMb: { usual: 512, most: 4096 }, cpus: { usual: 1, most: 2 } },
    });
    const viewer = await call('cloud', 'GET', '/api/organizations/current/limits', undefined, viewers.cloud);
    expect(viewer.status).toBe(200);
  });
});
