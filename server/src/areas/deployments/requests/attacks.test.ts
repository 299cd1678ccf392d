import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { foreignOrganization, join, newToken, type Person, signInOwner } from '../../../../test/rig/people.ts';
import { schemaOf, type TextField, textFields, withText } from '../../../../test/rig/schema-walk.ts';
import { dataOf, owner, thingsOf, type Who } from '../../../../test/rig/things.ts';
import { until } from '../../../../test/rig/until.ts';
import type { Route } from '../../../http/define-route.ts';

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

describe.each(databaseKinds)('deployment attacks on %s', (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
  });
  afterEach(() => app.close());

  const { post, get, newProject, newDeployment, newUpload, grant, rows } = thingsOf(() => app);

  describe('foreign ids in a body', () => {
    /** Expected status for an unknown id, where it is not 404. */
    const otherwise: Record<string, number[]> = {
      // Documented in the API.
      'POST /api/backup-destinations serverId': [400],
      'PATCH /api/backup-destinations/:id serverId': [400],
      'POST /api/backup-destinations/preflight serverId': [400],
      // A prompt belongs to one deployment, whose own id was checked before.
      'POST /api/deployments/:id/build/respond promptId': [400],
      // Only a session may name another organization and leave its own.
      'POST /api/organizations/leave organizationId': [403],
    };
    const idFields = () =>
      app.routes.flatMap((route) =>
        (route.body ? textFields(schemaOf(route.body)) : [])
          // The id of an access key is not an id of ours.
          .filter(({ path, isName }) => !isName && /(^id|(?<!^accessKey)Id)$/.test(path.at(-1)!))
          .map((field) => ({ route, field })),
      );
    const expectNothing = async (
      { route, field }: { route: Route; field: TextField },
      foreign: string[],
      who: Who,
      samples: Record<string, unknown>,
      usual = otherwise,
    ) => {
      const name = `${nameOf(route)} ${field.path.join('.')}`;
      const path = route.path.replace(':id', String(samples[route.path.split('/')[2]!]));
      const unknown = await app.call(route.method, path, { ...who, body: withText(samples, field, 'nothing_here') });
      const before = await rows();
      for (const id of foreign) {
        const answer = await app.call(route.method, path, { ...who, body: withText(samples, field, id) });
        expect([name, usual[name] ?? [404]], answer.text).toEqual([name, [answer.status]]);
        expect([name, answer.text], 'foreign and unknown look the same').toEqual([name, unknown.text]);
      }
      expect([name, await rows()]).toEqual([name, before]);
    };
    const newServer = async (who: Who): Promise<string> => {
      const body = { name: 's', host: '127.0.0.1', user: 'root', password: 'secret' };
      return dataOf(await post('/api/servers', body, who))['id']!;
    };
    /** On a server of its own organization. */
    const newDestination = async (who: Who): Promise<string> => {
      const body = { name: 'd', kind: 'platform_server', serverId: await newServer(who) };
      return dataOf(await post('/api/backup-destinations', body, who))['id']!;
    };
    const timed = { schedule: '0 3 * * *', retention: { last: 1 } };
    /** A completed backup without archives. */
    const newBackup = async (who: Who, projectId: string, destinationId: string): Promise<string> => {
      const body = { name: 'p', projectId, destinationIds: [destinationId], ...timed };
      const policy = dataOf(await post('/api/backup-policies', body, who))['id']!;
      const id = dataOf(await post(`/api/backup-policies/${policy}/run`, {}, who))['id']!;
      const done = { status: 'completed' as const, finishedAt: 1 };
      await app.database.db.updateTable('backup_jobs').set(done).where('id', '=', id).execute();
      return id;
    };
    const samplesOf = async (who: Who) => {
      const projectId = await newProject(who);
      const destination = await newDestination(who);
      const person = await join(app, `viewer${Date.now()}@example.com`, 'viewer', who);
      return {
        projectId,
        projects: projectId,
        deployments: await newDeployment(projectId, who),
        members: person.memberId,
        'backup-destinations': destination,
        destinationIds: [destination],
        backups: await newBackup(who, projectId, destination),
        target: 'scratch',
        ...timed,
        kind: 'platform_server',
        sessionId: 'nothing_here',
        response: 'approve',
        name: 'x',
        projectName: 'x',
        serviceNames: ['x'],
        permissions: '*',
        email: 'new@example.com',
        role: 'restricted',
        'grants.0.resource': 'project',
        'grants.0.actions': ['read'],
        grants: [{ resource: 'project', actions: ['read'] }],
      };
    };

    it('of another organization are not found, and change nothing', async () => {
      const stranger = await foreignOrganization(app);
      const theirs = { token: stranger.token };
      const projectId = await newProject(theirs);
      const foreign = [
        projectId,
        await newDeployment(projectId, theirs),
        await newUpload(theirs),
        stranger.memberId,
        stranger.organizationId,
        await newServer(theirs),
      ];
      const samples = await samplesOf(owner);
      expect(idFields().length).toBeGreaterThan(8);
      for (const each of idFields()) await expectNothing(each, foreign, owner, samples);
    });

    it('of a project that a restricted member cannot see are not found, and change nothing', async () => {
      const guest = await join(app, 'guest@example.com', 'restricted');
      const [mine, hidden] = [await newProject(), await newProject()];
      await grant(guest, [mine, 'admin']);
      const foreign = [hidden, await newDeployment(hidden), await newUpload(owner, { projectId: hidden })];
      const unbound = await newUpload();
      const samples = { ...(await samplesOf(owner)), projectId: mine, deployments: await newDeployment(mine) };
      const routes = idFields().filter(({ route }) => /^\/api\/(projects|deployments)/.test(route.path));
      // A member without any server may neither name one nor create a project.
      const naming = ['build/access', 'plan'].map((each) => `POST /api/deployments/${each} serverId`);
      const making = ['POST /api/projects', 'POST /api/projects/ensure'];
      const refused = [...naming, ...making.map((each) => `${each} serverId`)].map(
        (each) => [each, [403]] as [string, number[]],
      );
      const mayNotMake = Object.fromEntries(refused);
      const who = { cookie: guest.cookie };
      for (const each of routes)
        await expectNothing(each, [...foreign, unbound], who, samples, { ...otherwise, ...mayNotMake });
    });

    it('cannot be granted to a member', async () => {
      const stranger = await foreignOrganization(app);
      const theirs = await newProject({ token: stranger.token });
      const person = await join(app, 'person@example.com', 'restricted');
      for (const id of [theirs, 'prj_nobodys']) expect((await grant(person, [id, 'read'])).status).toBe(404);
      const grants = [{ resource: 'project', id: theirs, actions: ['read'] }];
      const invited = await post('/api/invitations', { email: 'x@example.com', role: 'restricted', grants });
      expect(invited.status).toBe(404);
    });

    it('are removed from grants when the project is deleted', async () => {
      const [gone, kept] = [await newProject(), await newProject()];
      const person = await join(app, 'person@example.com', 'restricted');
      await grant(person, [gone, 'read'], [kept, 'write']);
      const grants = [{ resource: 'project', id: gone, actions: ['read'] }];
      await post('/api/invitations', { email: 'x@example.com', role: 'restricted', grants });
      expect((await app.call('DELETE', `/api/projects/${gone}`, owner)).status).toBe(200);
      expect((await get('/api/members')).text).not.toContain(gone);
      expect((await get('/api/invitations')).text).not.toContain(gone);
      expect((await get('/api/members')).text).toContain(kept);
    });
  });

  it('deploying a project during its deletion leaves nothing running', async () => {
    const projectId = await newProject();
    const { removal } = app.deployments;
    const late: number[] = [];
    const clear = removal.clearProject.bind(removal);
    vi.spyOn(removal, 'clearProject').mockImplementation(async (...given) => {
      const cleared = await clear(...given);
      late.push((await post('/api/deployments/build/access', { projectId })).status);
      return cleared;
    });
    expect((await app.call('DELETE', `/api/projects/${projectId}`, owner)).status).toBe(200);
    expect(late, 'nothing begins any more').toEqual([409]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('/api/deployments/build/access', { projectId, autoStart: false })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 404));
    const left = await app.database.db.selectFrom('deployments').selectAll().execute();
    expect(left).toEqual([]);
  });
});

describe('deployment attacks', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(() => app.close());
  const { post, get, newProject, newDeployment, grant, rows } = thingsOf(() => app);

  describe('a restricted member', () => {
    let guest: Person;
    let who: Who;
    let mine: { project: string; deployment: string };
    let readable: typeof mine;
    let hidden: typeof mine;
    beforeEach(async () => {
      guest = await join(app, 'guest@example.com', 'restricted');
      who = { cookie: guest.cookie };
      const thing = async () => {
        const project = await newProject();
        return { project, deployment: await newDeployment(project) };
      };
      [mine, readable, hidden] = [await thing(), await thing(), await thing()];
      await grant(guest, [mine.project, 'admin'], [readable.project, 'read', 'list']);
    });

    it('sees only the deployments of granted projects', async () => {
      type Page = { id: string }[];
      const listed = async (query = '') =>
        (dataOf(await get(`/api/deployments${query}`, who)) as unknown as Page).map(({ id }) => id).toSorted();
      expect(await listed()).toEqual([mine.deployment, readable.deployment].toSorted());
      expect(await listed('?limit=1')).toHaveLength(1);
      expect(await listed(`?projectId=${hidden.project}`)).toEqual([]);
      expect(await listed(`?cursor=${hidden.deployment}`)).toEqual([mine.deployment, readable.deployment].toSorted());
      for (const part of ['', '/logs', '/build', '/info', '/usage', '/stream'])
        expect((await get(`/api/deployments/${hidden.deployment}${part}`, who)).status, part).toBe(404);
    });

    it('may change what is granted, gets 403 for what is read-only and 404 for the rest', async () => {
      for (const action of [
        'build',
        'redeploy',
        'rollback',
        'pin',
        'keep',
        'reject',
        'restart',
        'build/respond',
        'cancel',
      ]) {
        const before = await rows();
        const act = async (id: string) =>
          (await post(`/api/deployments/${id}/${action}`, { response: 'approve' }, who)).status;
        const refused = [action, await act(readable.deployment), await act(hidden.deployment)];
        expect(refused).toEqual([action, 403, 404]);
        expect(await rows()).toBe(before);
        expect([200, 400], action).toContain(await act(mine.deployment));
      }
    });

    it('deletes only deployments of projects with an admin grant', async () => {
      const remove = async (id: string) => (await app.call('DELETE', `/api/deployments/${id}`, who)).status;
      expect(await remove(readable.deployment)).toBe(403);
      expect(await remove(hidden.deployment)).toBe(404);
      expect(await remove(mine.deployment)).toBe(200);
    });

    it('creates nothing in a read-only project', async () => {
      for (const path of ['/api/deployments', '/api/deployments/build/access'])
        expect([path, (await post(path, { projectId: readable.project }, who)).status]).toEqual([path, 403]);
      const session = await post('/api/projects/folder/session', { projectId: readable.project }, who);
      expect(session.status).toBe(403);
    });

    it('with a list grant sees that a deployment exists, but not its details', async () => {
      await grant(guest, [mine.project, 'write'], [readable.project, 'list']);
      expect((await get('/api/deployments', who)).text).toContain(readable.deployment);
      expect((await get(`/api/deployments/${readable.deployment}`, who)).status).toBe(403);
    });

    it('cannot probe folders of the machine', async () => {
      const there = newFolder('there');
      for (const path of [there, `${there}/nothing`, '/etc', '/nothing']) {
        const looked = await post('/api/deployments/prepare', { source: 'local', path }, who);
        expect([path, looked.status]).toEqual([path, 403]);
        const source = { type: 'local', path };
        const changed = await app.call('PATCH', `/api/projects/${mine.project}`, { ...who, body: { source } });
        expect([path, changed.status]).toEqual([path, 403]);
      }
    });

    it('cannot probe which names are taken', async () => {
      const { name } = dataOf(await get(`/api/projects/${hidden.project}`));
      for (const path of ['/api/projects', '/api/projects/ensure']) {
        const [taken, free] = [await post(path, { name }, who), await post(path, { name: 'nobody has this' }, who)];
        expect([path, taken.status, taken.text]).toEqual([path, 403, free.text]);
      }
    });
  });

  describe('a token', () => {
    const token = async (...permissions: string[]): Promise<Who> => ({
      token: await newToken(app, await signInOwner(app), permissions),
    });

    it('with write permission cannot roll back, cancel or delete', async () => {
      const writer = await token('deployment:write');
      const id = await newDeployment(await newProject());
      const before = await rows();
      for (const action of ['rollback', 'cancel']) {
        expect((await post(`/api/deployments/${id}/${action}`, {}, writer)).status, action).toBe(403);
        // The permission is checked per deployment, so an unknown one is 404.
        expect((await post(`/api/deployments/dep_none/${action}`, {}, writer)).status, action).toBe(404);
      }
      expect((await app.call('DELETE', `/api/deployments/${id}`, writer)).status).toBe(403);
      expect(JSON.parse(await rows()).slice(0, 2)).toEqual(JSON.parse(before).slice(0, 2));
      expect(dataOf(await get(`/api/deployments/${id}`))['status']).toBe('queued');
      expect((await post(`/api/deployments/${id}/pin`, {}, writer)).status).toBe(200);
      expect((await post(`/api/deployments/${id}/cancel`, {}, await token('deployment:admin'))).status).toBe(200);
    });

    it('with read permission sees no secrets and no variables', async () => {
      const projectId = await newProject();
      const variables = { API_KEY: { value: 'sesame-of-the-project', secret: true } };
      await app.call('PATCH', `/api/projects/${projectId}/variables`, { ...owner, body: { variables } });
      const id = await newDeployment(projectId, owner, { envVars: { OTHER_KEY: 'sesame-of-the-request' } });
      await post(`/api/deployments/${id}/cancel`);
      const reader = await token('deployment:read', 'deployment:list');
      for (const part of [
        '',
        `/${id}`,
        ...['logs', 'build', 'info', 'usage', 'stream'].map((each) => `/${id}/${each}`),
      ]) {
        const answer = await get(`/api/deployments${part}`, reader);
        expect([part, answer.status]).toEqual([part, 200]);
        expect(answer.text, part).not.toMatch(/sesame|s1\./);
      }
      expect((await get(`/api/projects/${projectId}/variables`, reader)).status).toBe(403);
      for (const path of [`/api/projects/${projectId}/variables`, '/api/audit', '/api/projects', '/api/openapi.json'])
        expect((await get(path)).text, path).not.toMatch(/sesame|s1\./);
      expect(await rows()).not.toContain('sesame');
    });

    it('with admin permission on projects only deletes a project completely', async () => {
      const projectId = await newProject();
      const preview = await newDeployment(projectId, owner, { environment: 'preview' });
      const production = await newDeployment(projectId);
      const remove = await app.call('DELETE', `/api/projects/${projectId}`, await token('project:admin'));
      expect(remove.status).toBe(200);
      for (const id of [preview, production]) expect((await get(`/api/deployments/${id}`)).status).toBe(404);
    });
  });

  describe('a client of a stream', () => {
    afterEach(() => void vi.useRealTimers());

    it.each(['token revoked', 'grant taken away', 'member removed', 'deployment deleted'])(
      'is disconnected: %s',
      async (how) => {
        const projectId = await newProject();
        const guest = await join(app, 'guest@example.com', 'restricted');
        await grant(guest, [projectId, 'read']);
        const made_ = dataOf(await post('/api/tokens', { name: 'x', permissions: '*' }, { cookie: guest.cookie }));
        const id = await newDeployment(projectId);
        vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
        const ended = vi.fn();
        const path = `/api/deployments/${id}/stream`;
        const following = get(path, { token: made_['token']! }).then(ended);
        await until('the stream is open', () => app.streams.count === 1);
        await vi.advanceTimersByTimeAsync(40_000);
        expect(ended, 'as long as it may').not.toHaveBeenCalled();
        if (how === 'token revoked') await app.call('DELETE', `/api/tokens/${made_['id']}`, { cookie: guest.cookie });
        else if (how === 'grant taken away') await grant(guest);
        else if (how === 'member removed') await app.call('DELETE', `/api/members/${guest.memberId}`, owner);
        else await app.call('DELETE', `/api/deployments/${id}`, owner);
        await vi.advanceTimersByTimeAsync(16_000);
        await following;
        expect((await get(path, { token: made_['token']! })).status).toBeGreaterThanOrEqual(401);
      },
    );
  });

  it('inspecting many unresponsive repositories is rate-limited without blocking others', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`;
    const look = (who?: { token: string }) => post('/api/deployments/prepare', { source: 'githost', url }, who);
    const looking = Array.from({ length: 4 }, () => look());
    await until('all of them ask', () => sockets.length === 4);
    expect(await look()).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect((await get('/api/projects')).status).toBe(200);
    const { token } = await foreignOrganization(app);
    looking.push(look({ token }));
    await until('another organization gets its place', () => sockets.length === 5);
    for (const socket of sockets) socket.destroy();
    expect((await Promise.all(looking)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 400));
    const again = look();
    await until('it is free again', () => sockets.length > 5);
    for (const socket of sockets) socket.destroy();
    expect((await again).status).toBe(400);
    silent.close();
  });

  it('rejects variables that no process can have, by name', async () => {
    const projectId = await newProject();
    const send = (envVars: object) => post('/api/deployments/build/access', { projectId, autoStart: false, envVars });
    for (const name of ['PORT', 'HOST', '1A', 'A B', 'A=B', '']) {
      const { status, text } = await send({ [name]: 'x' });
      expect([name, status]).toEqual([name, 400]);
      expect(text).toContain(`envVars.${name}`);
    }
    expect((await send({ HALF: 'x\ud800' })).text).toContain('envVars.HALF must be valid Unicode text');
    expect((await send({ NUL: 'x\0' })).text).toContain('envVars.NUL must not have NUL characters');
    const large = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'x'.repeat(32_000)]));
    await app.call('PATCH', `/api/projects/${projectId}/variables`, { ...owner, body: { variables: large('A', 20) } });
    expect((await send(large('A', 20))).status, 'the same names').toBe(200);
    const { status, text } = await send(large('B', 20));
    expect([status, text]).toEqual([400, expect.stringContaining('at most 1 MB together') as string]);
    expect((await send(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`C${i}`, 'x'])))).status).toBe(400);
  });

  it('rejects reserved names', async () => {
    const body = { name: 'named', source: { type: 'local', path: newFolder('source') } };
    const projectId = dataOf(await post('/api/projects', body))['id'];
    const want = (publicEndpoints: object[], more: object = {}) =>
      post('/api/deployments/build/access', { projectId, autoStart: false, publicEndpoints, ...more });
    // Reserved by us, of another project's environment, and a homograph.
    for (const domain of ['admin', 'www', 'shop--staging', 'xn--80ak6aa92e', 'api.shop', 'a-.localhost'])
      expect([domain, (await want([{ domain }])).status]).toEqual([domain, 400]);
    expect((await want([{ domain: 'named--staging' }], { environment: 'staging' })).status).toBe(200);
    expect((await want([{ domain: 'another' }])).status).toBe(200);
  });

  it('rejects an environment whose address would be too long', async () => {
    const body = { name: 'x'.repeat(48), source: { type: 'local', path: newFolder('source') } };
    const projectId = dataOf(await post('/api/projects', body))['id'];
    const environment = (name: string) =>
      post('/api/deployments/build/access', { projectId, autoStart: false, environment: name });
    expect((await environment('preview')).status).toBe(200);
    expect(await environment('a-long-name-for-it')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'environment' }] },
    });
  });
});
