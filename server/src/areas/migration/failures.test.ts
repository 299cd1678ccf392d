import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, ownerToken, startApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { has } from '../../../test/rig/parts.ts';
import { foreignOrganization, join as joinAs, newToken } from '../../../test/rig/people.ts';
import { startSshd } from '../../../test/rig/sshd.ts';
import { startCuttableProxy, fakeEngine, pingResponse } from './fake-engine-rig.ts';
import { composeLabels, type ScanRig, sshUser, startScanRig } from './migration-rig.ts';

const byPassword = { user: sshUser.name, password: sshUser.password, generateKey: undefined };

describe.runIf(has('docker') && has('sshd'))('scan of an inaccessible server', () => {
  let harbour: ScanRig;
  beforeAll(async () => {
    harbour = await startScanRig();
  });
  afterAll(() => harbour?.close());

  const expectReason = (answer: Answer, reason: RegExp) => {
    expect([answer.status, answer.body['code'], answer.body['message']]).toEqual([
      502,
      'runtime_unavailable',
      expect.stringMatching(reason),
    ]);
    expect(answer.text).not.toContain(sshUser.password);
  };
  const both = async (id: string, reason: RegExp) => {
    expectReason(await harbour.scan(id), reason);
    expectReason(await harbour.adopt({ serverId: id, projectName: 'x', serviceNames: ['x'] }), reason);
  };
  /** Starts a machine with another engine, or none. */
  const behind = async (engineSocket?: string, more: string[] = []) => {
    const sshd = await startSshd({ people: [sshUser], more, ...(engineSocket && { engineSocket }) });
    onTestFinished(() => sshd.stop());
    const id = await harbour.addServer({ port: sshd.port });
    const { publicKey } = await harbour.app.database.db
      .selectFrom('servers')
      .select('publicKey')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    sshd.allow(publicKey!);
    return { id, sshd };
  };

  it('fails if the server is unreachable or rejects the credentials', async () => {
    await both(await harbour.addServer({ port: 1 }), /ECONNREFUSED/);
    await both(await harbour.addServer({ ...byPassword, password: 'wrong' }), /rejects harbour with/);
  });

  it('fails if the host key has changed', async () => {
    const { id, sshd } = await behind();
    expectReason(await harbour.scan(id), /no engine at/);
    await sshd.changeHostKey();
    // An open connection stays in use; the change forces a new one.
    await harbour.app.call('PATCH', `/api/servers/${id}`, { token: ownerToken, body: { name: 'again' } });
    await both(id, /a different host key/);
  });

  it('fails if the user may not use the engine', async () => {
    await both(await harbour.addServer(byPassword), /permission denied.*group docker/);
  });

  it('uses the rootless engine of the user', async () => {
    const own = newFolder('runtime');
    symlinkSync(new URL(harbour.docker.address).pathname, join(own, 'docker.sock'));
    const { id } = await behind(undefined, [`SetEnv XDG_RUNTIME_DIR=${own}`]);
    await harbour.create('rootless');
    expect((await harbour.stack(id)).services.map(({ name }) => name)).toContain('rootless');
    const adopted = await harbour.adopt({ serverId: id, projectName: 'own', serviceNames: ['rootless'] });
    expect(adopted.status).toBe(200);
    const checked = await harbour.app.call('POST', `/api/servers/${id}/test`, { token: ownerToken });
    expect(checked.text).toContain('"available":true');
    const { id: nowhere } = await behind(undefined, ['SetEnv XDG_RUNTIME_DIR=/nowhere']);
    await both(nowhere, /no engine at .*, and no rootless one/);
    await harbour.empty();
  });

  it('fails if the SSH server forbids forwarding', async () => {
    const { id } = await behind(new URL(harbour.docker.address).pathname, ['AllowStreamLocalForwarding no']);
    await both(id, /AllowStreamLocalForwarding/);
  });

  it.each([
    ['a page', (_, response) => void response.end('<html>hello</html>'), /not a container engine/],
    [
      'JSON of another kind',
      (request, response) =>
        request.url === '/_ping' ? pingResponse(request, response) : void response.end('{"a":1}'),
      /not a container engine: \/\w+/,
    ],
    ['an error', (_, response) => void response.writeHead(500).end('{"message":"full"}'), /refuses the request: full/],
    ['nothing', (request) => void request.socket.destroy(), /does not respond/],
  ] satisfies [string, Parameters<typeof fakeEngine>[0], RegExp][])(
    'fails if the engine responds with %s',
    async (_, answer, reason) => {
      const { id } = await behind(await fakeEngine(answer));
      await both(id, reason);
    },
  );

  it('fails if the connection breaks during the scan', async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { id: ownId, sshd } = await behind(
      await fakeEngine((request, response) => {
        if (request.url === '/_ping') return pingResponse(request, response);
        response.write('[');
        asked();
      }),
    );
    const way = await startCuttableProxy(sshd.port);
    const moved = await harbour.app.call('PATCH', `/api/servers/${ownId}`, {
      token: ownerToken,
      body: { port: way.port, generateKey: true },
    });
    sshd.allow((moved.body as unknown as { data: { publicKey: string } }).data.publicKey);
    const answer = harbour.scan(ownId);
    await isAsked;
    way.cut();
    expectReason(await answer, /connection was lost/);
  });

  it('succeeds without access to files', async () => {
    const { id } = await behind(new URL(harbour.docker.address).pathname, ['ForceCommand /bin/false']);
    await harbour.create('hidden', {
      Labels: composeLabels('hidden', 'web', { 'project.config_files': '/srv/x.yml' }),
    });
    const { groups, warnings } = await harbour.stack(id);
    expect(groups).toMatchObject([
      {
        project: 'hidden',
        composeFiles: [{ path: '/srv/x.yml', found: false, problem: expect.stringContaining('SFTP') as string }],
      },
    ]);
    expect(warnings).toEqual([expect.stringContaining('no SFTP')]);
    await harbour.empty();
  });

  it('fails for servers of other organizations', async () => {
    const { app } = harbour;
    const stranger = await foreignOrganization(app);
    const scanAs = (token: string, serverId = harbour.serverId) =>
      app.call('POST', '/api/migration/scan', { token, body: { serverId } });
    const [foreign, unknown] = [await scanAs(stranger.token), await scanAs(ownerToken, 'srv_none')];
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    const adopted = await harbour.adopt({ projectName: 'x', serviceNames: ['x'] }, { token: stranger.token });
    expect([adopted.status, adopted.text]).toEqual([404, unknown.text]);
    const person = await joinAs(app, 'guest@example.com', 'restricted');
    const grant = (...actions: string[]) =>
      app.call('PUT', `/api/members/${person.memberId}/grants`, {
        token: ownerToken,
        body: { grants: actions.length ? [{ resource: 'server', id: harbour.serverId, actions }] : [] },
      });
    const asGuest = () =>
      app.call('POST', '/api/migration/scan', { cookie: person.cookie, body: { serverId: harbour.serverId } });
    await grant('read');
    expect((await asGuest()).status).toBe(403);
    await grant('write');
    expect((await asGuest()).status).toBe(200);
    const asMaker = { cookie: person.cookie };
    expect((await harbour.adopt({ projectName: 'x', serviceNames: ['x'] }, asMaker)).status).toBe(403);
  });

  it('allows this machine for the instance owner only', async () => {
    const { app } = harbour;
    const body = { kind: 'this_machine', name: 'here' };
    const added = await app.call('POST', '/api/servers', { token: ownerToken, body });
    const { id } = (added.body as unknown as { data: { id: string } }).data;
    await harbour.create('here');
    expect((await harbour.stack(id)).services.map(({ name }) => name)).toContain('here');
    const admin = await joinAs(app, 'local-admin@example.com', 'admin');
    const token = await newToken(app, admin.cookie, '*');
    expect((await app.call('POST', '/api/migration/scan', { token, body: { serverId: id } })).status).toBe(403);
    const adopted = await harbour.adopt({ serverId: id, projectName: 'here', serviceNames: ['here'] });
    expect(adopted.body).toMatchObject({ success: true, project: { serverId: null } });
  });

  it('fails if the engine has stopped', async () => {
    await harbour.docker.stop('SIGKILL');
    await both(harbour.serverId, /is not running|does not respond/);
  });
});

describe('migration in cloud mode', () => {
  it('is not available', async () => {
    const app = await startApp('sqlite', { env: { MOORING_MODE: 'cloud' } });
    onTestFinished(() => app.close());
    for (const path of ['scan', 'adopt', '', 'anything'])
      for (const body of [{}, { serverId: 'x', projectName: 'x', serviceNames: ['x'] }])
        expect((await app.call('POST', `/api/migration/${path}`, { token: ownerToken, body })).status).toBe(404);
  });
});
