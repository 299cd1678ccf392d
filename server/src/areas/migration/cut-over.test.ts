import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { memoryDrivers } from '../../../test/rig/drivers.ts';
import { foreignOrganization, join, newToken, type Person } from '../../../test/rig/people.ts';
import { thingsOf } from '../../../test/rig/things.ts';
import { until } from '../../../test/rig/until.ts';
import type { AdoptionState, DeploymentStatus } from '../../db/tables.ts';
import { EngineError } from '../../drivers/runtime/docker/engine/errors.ts';
import type { OriginalContainers, OriginalState } from '../../drivers/runtime/docker/originals/originals.ts';
import { EngineAwayError } from '../../drivers/runtime/errors.ts';
import type { ContainerParts } from '../deployments/model/parts.ts';
import { type Original, originalsIn } from '../deployments/model/originals.ts';
import { servicesSealLocation } from '../projects/projects/store.ts';
import { updateOriginal } from '../deployments/model/originals-store.ts';

const was: OriginalState = { state: 'running', restartPolicy: { name: 'always', maximumRetryCount: 0 } };
const original = (name: string, more: Partial<Original> = {}): Original => {
  return { containerId: `id-${name}`, name, ports: [], mounts: [], networks: [], ...more };
};
const held = (name: string): Original => original(name, { held: { by: 'dep_1', was } });

/** An engine that only knows whether containers run. */
function fakeOriginals() {
  const running = new Map<string, boolean>();
  const removed: string[] = [];
  const written = new Map<string, string[]>();
  const trouble = new Map<string, Error>();
  /** Number of checks until healthy, and the state afterwards. */
  const health = new Map<string, { looks: number; after: 'healthy' | 'unhealthy' }>();
  const told: string[] = [];
  const originals: OriginalContainers = {
    async look(id) {
      const error = trouble.get('look');
      if (error) throw error;
      const isUp = running.get(id);
      const check = isUp ? health.get(id) : undefined;
      const says = check && (check.looks-- > 0 ? ('starting' as const) : check.after);
      if (says) told.push(`${id} ${says}`);
      const state = isUp ? ('running' as const) : ('stopped' as const);
      return isUp === undefined
        ? undefined
        : { ...was, state, isRemovedAtItsEnd: false, ...(says && { health: says }) };
    },
    writtenFiles: async (id) => (written.get(id) ?? []).map((path) => ({ path, newFolder: null })),
    holdBack: async (id) => void running.set(id, false),
    async bringBack(id) {
      const error = trouble.get(id);
      if (error) throw error;
      if (!running.has(id)) return false;
      running.set(id, true);
      told.push(`${id} starts`);
      return true;
    },
    async remove(id) {
      running.delete(id);
      removed.push(id);
    },
    join: async () => true,
    leave: async () => {},
  };
  return { running, removed, written, trouble, health, told, originals };
}

describe.each(databaseKinds)('undoing and confirming a cut-over on %s', (kind) => {
  let app: TestApp;
  let serverId: string;
  let stranger: Person & { token: string };
  let engine = fakeOriginals();
  beforeAll(async () => {
    const drivers = memoryDrivers();
    const containers = { originals: new Proxy({}, { get: (_, name) => Reflect.get(engine.originals, name) }) };
    const { runtime, edge } = drivers;
    const openPort = () => Promise.reject(new Error('nobody is asked'));
    const onServer = async () => {
      const end = { dismantle: async () => {}, close: async () => {} };
      return {
        runtime,
        edge,
        openPort,
        homeFolder: async () => '/root',
        containers: containers as unknown as ContainerParts,
        ...end,
      };
    };
    app = await startApp(kind, { drivers: { ...drivers, onServer } });
    stranger = await foreignOrganization(app);
    const body = { name: 'far', host: '192.0.2.1', user: 'root', password: 'not used' };
    serverId = (await call('POST', '/api/servers', ownerToken, body)).data['id']!;
  });
  afterAll(() => app?.close());
  beforeEach(() => {
    engine = fakeOriginals();
  });

  const call = async (method: string, path: string, token = ownerToken, body: object = {}) => {
    const answer = await app.call(method, path, { token, ...(method === 'POST' && { body }) });
    return {
      status: answer.status,
      ...(answer.body as unknown as Record<string, string> & { data: Record<string, string> }),
    };
  };
  const undo = (project: string, token?: string) => call('POST', `/api/migration/${project}/undo`, token);
  const confirm = (project: string, token?: string, body?: object) =>
    call('POST', `/api/migration/${project}/confirm`, token, body);
  const things = thingsOf(() => app);
  const rowOf = (project: string) =>
    app.database.db.selectFrom('adoptions').selectAll().where('projectId', '=', project).executeTakeFirstOrThrow();

  /** Creates a project that has adopted these. */
  async function adopted(state: AdoptionState, ...all: Original[]): Promise<string> {
    const project = await things.newProject();
    const { organizationId } = await app.database.db
      .selectFrom('projects')
      .select('organizationId')
      .where('id', '=', project)
      .executeTakeFirstOrThrow();
    for (const { containerId, held: isHeld } of all) engine.running.set(containerId, !isHeld);
    const originals = JSON.stringify(Object.fromEntries(all.map((each) => [each.name, [each]])));
    const about = { projectId: project, organizationId, serverId, createdBy: 'u' };
    const row = { ...about, state, originals, warnings: null, createdAt: 1, updatedAt: 1 };
    await app.database.db.insertInto('adoptions').values(row).execute();
    return project;
  }

  /** Stores the services of a project. */
  const sealServices = (project: string, services: object) =>
    app.database.db
      .updateTable('projects')
      .set({ services: app.instance.sealer.seal(JSON.stringify({ services }), servicesSealLocation(project)) })
      .where('id', '=', project)
      .execute();

  it('requires write access to the server and the project', async () => {
    const project = await adopted('switched', held('web'));
    const unadopted = await things.newProject();
    expect((await undo(project, stranger.token)).status).toBe(404);
    expect(await undo(unadopted)).toMatchObject({ status: 400, code: 'not_allowed_now' });
    expect((await call('GET', `/api/migration/${unadopted}`)).status).toBe(404);
    const owner = (await join(app, `o-${kind}@example.com`, 'owner')).cookie;
    for (const permissions of [['server:write'], ['project:write'], ['server:read', 'project:write']])
      expect((await undo(project, await newToken(app, owner, permissions))).status).toBe(403);
    const restricted = await join(app, `r-${kind}@example.com`, 'restricted');
    await things.grant(restricted, [project, 'write']);
    const answer = await app.call('POST', `/api/migration/${project}/undo`, { cookie: restricted.cookie, body: {} });
    expect([403, 404]).toContain(answer.status);
    expect((await rowOf(project)).state).toBe('switched');
    const allowed = await newToken(app, owner, ['server:write', 'project:write']);
    expect(await undo(project, allowed)).toMatchObject({ status: 200, restored: ['web'], warnings: [] });
    expect(engine.running).toEqual(new Map([['id-web', true]]));
  });

  it('is rejected in other states', async () => {
    const messages = [
      ['undone', 'nothing to undo'],
      ['adopted', 'nothing to undo'],
      ['confirmed', 'was confirmed'],
    ] as const;
    for (const [state, message] of messages) {
      const project = await adopted(state, original('web'));
      expect(await undo(project)).toMatchObject({
        status: 400,
        code: 'not_allowed_now',
        error: expect.stringContaining(message) as string,
      });
      expect(await confirm(project)).toMatchObject({ status: 400, code: 'not_allowed_now' });
    }
    const project = await adopted('switched', held('web'));
    const deployment = await things.newDeployment(project);
    const set = (status: DeploymentStatus) =>
      app.database.db.updateTable('deployments').set({ status, held: 0 }).where('id', '=', deployment).execute();
    for (const status of ['queued', 'building', 'deploying', 'partial_failure'] as const) {
      await set(status);
      expect([await undo(project), await confirm(project)]).toMatchObject([{ status: 400 }, { status: 400 }]);
    }
    await set('ready');
    await app.database.db.updateTable('adoptions').set({ state: 'undoing' }).where('projectId', '=', project).execute();
    const refused = await things.post('/api/deployments/build/access', { projectId: project });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('being undone')]);
    expect((await undo(project)).status).toBe(200);
    expect((await rowOf(project)).state).toBe('undone');
    await app.database.db
      .updateTable('adoptions')
      .set({ state: 'confirming' })
      .where('projectId', '=', project)
      .execute();
    const alsoRefused = await things.post('/api/deployments/build/access', { projectId: project });
    expect([alsoRefused.status, alsoRefused.text]).toEqual([400, expect.stringContaining('being confirmed')]);
  });

  it('restores the other containers when one fails, reports it, and can be repeated', async () => {
    const project = await adopted('switched', held('web'), held('db'), held('gone'), original('idle'));
    engine.running.delete('id-gone');
    engine.trouble.set('id-db', new EngineError(500, 'its network is not there'));
    const first = await undo(project);
    expect(first).toMatchObject({
      status: 502,
      message: expect.stringContaining('db: its network is not there') as string,
    });
    expect((await rowOf(project)).state).toBe('switched');
    expect(engine.running.get('id-web')).toBe(true);
    engine.trouble.clear();
    expect(await undo(project)).toMatchObject({ status: 200, restored: ['db'] });
    expect(originalsIn(await rowOf(project))['idle']).toEqual([original('idle')]);
    const entries = await call('GET', '/api/audit?limit=5');
    expect(JSON.stringify(entries)).toContain('migration.undone');
  });

  it('is rejected when no original exists any more; the project keeps running', async () => {
    const project = await adopted('switched', held('web'), original('idle'));
    engine.running.delete('id-web');
    expect(await undo(project)).toMatchObject({
      status: 400,
      code: 'not_allowed_now',
      error: expect.stringContaining('cannot be undone') as string,
    });
    expect((await rowOf(project)).state).toBe('switched');
    expect(await confirm(project)).toMatchObject({ status: 200 });
  });

  it('restores dependencies first and waits until they are healthy', async () => {
    const project = await adopted('switched', held('web'), held('db'), held('mail'));
    const services = {
      web: { image: 'x', depends_on: ['mail'] },
      db: { image: 'x' },
      mail: { image: 'x', depends_on: ['db'] },
    };
    await sealServices(project, services);
    engine.health.set('id-db', { looks: 2, after: 'healthy' });
    engine.health.set('id-mail', { looks: 1, after: 'unhealthy' });
    const answer = await undo(project);
    expect(answer).toMatchObject({
      status: 200,
      warnings: ['the container mail runs again, but its health check fails'],
    });
    expect(engine.told).toEqual([
      'id-db starts',
      'id-db starting',
      'id-db starting',
      'id-db healthy',
      'id-mail starts',
      'id-mail starting',
      'id-mail unhealthy',
      'id-web starts',
    ]);
  });

  it('changes nothing while the server is unreachable', async () => {
    const project = await adopted('switched', held('web'));
    engine.trouble.set('look', new EngineAwayError(new Error('no route to it')));
    for (const act of [undo, confirm])
      expect(await act(project)).toMatchObject({ status: 502, message: expect.stringContaining('no route') as string });
    expect((await rowOf(project)).state).toBe('switched');
    expect((await call('GET', `/api/migration/${project}`)).data).toMatchObject({
      state: 'switched',
      services: [{ originals: [{ standing: 'stopped', running: null }] }],
    });
  });

  it('shows which services an undo interrupts, and the warnings of the adoption', async () => {
    const project = await adopted('switched', held('web'), held('db'), original('job'));
    await sealServices(project, { web: { image: 'x' }, db: { image: 'x' } });
    const shown = async () => (await call('GET', `/api/migration/${project}`)).data;
    expect(await shown()).toMatchObject({
      warnings: [],
      // A service that the project does not have is assumed not to run twice.
      services: [{ stopsFirst: false }, { stopsFirst: false }, { name: 'job', stopsFirst: true }],
    });
    const warnings = JSON.stringify(['notes/job is not adopted']);
    await app.database.db.updateTable('adoptions').set({ warnings }).where('projectId', '=', project).execute();
    expect(await shown()).toMatchObject({ warnings: ['notes/job is not adopted'] });
  });

  it('removes only stopped originals on confirm', async () => {
    const project = await adopted('switched', held('web'), held('again'), original('db'));
    engine.running.set('id-again', true);
    const answer = await confirm(project);
    expect(answer).toMatchObject({
      status: 200,
      removed: ['web'],
      warnings: [expect.stringContaining('again runs again')],
    });
    expect(engine.removed).toEqual(['id-web']);
    // Services that were never replaced can be adopted later.
    expect((await rowOf(project)).state).toBe('adopted');
    const whole = await adopted('switched', held('all'));
    await confirm(whole);
    expect((await rowOf(whole)).state).toBe('confirmed');
    expect(JSON.stringify(await call('GET', '/api/audit?limit=5'))).toContain('migration.confirmed');
  });

  it('does not confirm while originals have files outside volumes, unless forced', async () => {
    const project = await adopted('switched', held('web'), held('again'));
    engine.running.set('id-again', true);
    engine.written.set('id-again', ['/app/more.db']);
    engine.written.set('id-web', ['/app/shop.db', '/tmp/x', '/run/web.pid', '/var/log/web.log', '/root/.cache/y']);
    expect(await confirm(project)).toMatchObject({
      status: 409,
      error: expect.stringMatching(
        /^the container web wrote 1 file \(shop\.db\) under \/app, outside its volumes\. .*docker cp.*repeat with force/,
      ) as string,
    });
    expect([engine.removed, (await rowOf(project)).state]).toEqual([[], 'switched']);
    expect(await confirm(project, undefined, { force: true })).toMatchObject({ status: 200, removed: ['web'] });
    // Requests without a body, as from older clients, still work.
    const plain = await adopted('switched', held('plain'));
    engine.written.set('id-plain', ['/tmp/x']);
    const answer = await app.call('POST', `/api/migration/${plain}/confirm`, { token: ownerToken });
    expect(answer.status).toBe(200);
  });

  it('does not deploy the services as adopted in place of a compose file that was deployed since', async () => {
    const project = await adopted('confirmed', original('web'));
    const { db } = app.database;
    await sealServices(project, { web: { image: 'x' } });
    const source = JSON.stringify({ type: 'services' });
    await db.updateTable('projects').set({ source, serverId }).where('id', '=', project).execute();
    const deploy = (more: object = {}) =>
      call('POST', '/api/deployments/build/access', ownerToken, { projectId: project, autoStart: false, ...more });
    const id = await things.newDeployment(project);
    const activate = (from: object) => {
      const set = { source: JSON.stringify(from), status: 'ready' as const, held: 0, active: 1 };
      return db.updateTable('deployments').set(set).where('id', '=', id).execute();
    };
    await activate({ type: 'services' });
    expect((await deploy()).status).toBe(200);
    await activate({ type: 'upload', uploadId: 'upl_1' });
    expect(await deploy()).toMatchObject({
      status: 409,
      error: expect.stringMatching(/as they were adopted\. .*mooring redeploy project-\d+$/) as string,
    });
    expect((await call('POST', '/api/deployments/plan', ownerToken, { projectId: project })).status).toBe(409);
    expect((await deploy({ services: [{ name: 'web', image: 'y' }] })).status).toBe(200);
    expect((await deploy({ environment: 'preview' })).status).toBe(200);
    const uploadSessionId = await things.newUpload();
    expect((await deploy({ uploadSessionId })).status).toBe(200);
    expect((await call('POST', `/api/deployments/${id}/redeploy`)).status).toBe(200);
  });

  it('keeps the project on its server until confirmed', async () => {
    for (const [state, status] of [
      ['adopted', 400],
      ['undone', 400],
      ['confirmed', 200],
    ] as const) {
      const project = await adopted(state, original('web'));
      const moved = await app.call('PATCH', `/api/projects/${project}`, {
        token: ownerToken,
        body: { serverId },
      });
      expect([state, moved.status]).toEqual([state, status]);
    }
  });

  it('allows deleting the project with abandon', async () => {
    const project = await adopted('switched', held('web'));
    expect((await call('DELETE', `/api/projects/${project}`)).status).toBe(409);
    expect((await call('DELETE', `/api/projects/${project}?abandon=true`)).status).toBe(200);
  });

  it('prevents deleting a project with stopped originals', async () => {
    const project = await adopted('switched', held('web'));
    const remove = () => app.call('DELETE', `/api/projects/${project}`, { token: ownerToken });
    const refused = await remove();
    expect([refused.status, refused.text]).toEqual([409, expect.stringMatching(/undo.*confirm/)]);
    await undo(project);
    expect((await remove()).status).toBe(200);
  });

  it('prevents deleting a project during a deployment', async () => {
    const project = await adopted('adopted', original('web'));
    const deployment = await things.newDeployment(project);
    const set = (status: DeploymentStatus) =>
      app.database.db.updateTable('deployments').set({ status, held: 0 }).where('id', '=', deployment).execute();
    await set('deploying');
    const remove = () => app.call('DELETE', `/api/projects/${project}`, { token: ownerToken });
    const refused = await remove();
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('is in progress or needs a decision'),
    ]);
    await set('failed');
    expect((await remove()).status).toBe(200);
    expect(engine.running.get('id-web')).toBe(true);
  });

  it('resumes after a restart and restores originals of a failed deployment', async () => {
    const [failed, ready] = [
      await things.newDeployment(await things.newProject()),
      await things.newDeployment(await things.newProject()),
    ];
    for (const [id, status] of [
      [failed, 'failed'],
      [ready, 'ready'],
    ] as const)
      await app.database.db.updateTable('deployments').set({ status }).where('id', '=', id).execute();
    const begun = await adopted('undoing', held('begun'));
    const orphans = await adopted(
      'switched',
      original('lost', { held: { by: failed, was } }),
      original('kept', { held: { by: ready, was } }),
    );
    app.migration.start();
    await until(
      'all is where it belongs',
      async () => (await rowOf(begun)).state === 'undone' && engine.running.get('id-lost'),
    );
    await app.migration.stop();
    expect(engine.running).toEqual(
      new Map([
        ['id-begun', true],
        ['id-lost', true],
        ['id-kept', false],
      ]),
    );
    expect((await rowOf(orphans)).state).toBe('switched');
  });

  it('allows deleting a project whose old deployments name a removed server', async () => {
    const project = await things.newProject();
    const deployment = await things.newDeployment(project);
    const set = { serverId: 'srv_removed', status: 'ready' as const, held: 0 };
    await app.database.db.updateTable('deployments').set(set).where('id', '=', deployment).execute();
    const remove = await app.call('DELETE', `/api/projects/${project}`, { token: ownerToken });
    expect([remove.status, remove.text]).toEqual([200, expect.any(String)]);
  });

  it('keeps all concurrent writes', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `s${i}`);
    const project = await adopted('adopted', ...names.map((name) => original(name)));
    const row = await rowOf(project);
    const hold = (each: Original): Original => ({ ...each, held: { by: 'dep_1', was } });
    await Promise.all(names.map((name) => updateOriginal(app.database.db, row, `id-${name}`, hold)));
    const now = await rowOf(project);
    expect(now.state).toBe('switched');
    expect(
      Object.values(originalsIn(now))
        .flat()
        .filter((each) => each.held),
    ).toHaveLength(12);
  });
});

describe('cut-over in cloud mode', () => {
  it('is not available', async () => {
    const app = await startApp('sqlite', { env: { MOORING_MODE: 'cloud' } });
    for (const [method, path] of [
      ['GET', 'x'],
      ['POST', 'x/undo'],
      ['POST', 'x/confirm'],
    ] as const)
      expect((await app.call(method, `/api/migration/${path}`, { token: ownerToken, body: {} })).status).toBe(404);
    await app.close();
  });
});
