import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { foreignOrganization, join, newToken } from '../../../test/rig/people.ts';
import { inTransaction } from '../../db/database.ts';
import { newSshKey } from '../../lib/ssh-key.ts';

type Server = Record<string, unknown> & { id: string };
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Server }).data;
const messageOf = (answer: Answer) => (answer.body as unknown as { message?: string }).message;
const secret = 'hunter2-never-shown';
const { privateKey, publicKey } = newSshKey('somebody@somewhere');

/** Invalid values of each field. */
const nonsense: Record<string, unknown[]> = {
  kind: ['', 'docker', null, 7, 'SSH'],
  name: ['', '   ', null, 7, {}, 'x'.repeat(81), 'a\nb', '\u001b[31m', '\ud800'],
  host: [
    '',
    ' ',
    null,
    7,
    [],
    'x'.repeat(254),
    'ssh://example.com',
    'a b',
    '-oProxyCommand=id',
    'a/b',
    'a:22',
    '$(id)',
    'a;id',
  ],
  port: [0, -1, 65_536, 22.5, '22', null, {}, true],
  user: ['', ' ', null, 7, 'x'.repeat(101), '-root', 'a b', 'a\nb'],
  password: ['', 7, {}, 'x'.repeat(1001), 'a\nb'],
  privateKey: [
    '',
    7,
    {},
    'x'.repeat(20_001),
    'no key',
    publicKey,
    '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
  ],
  passphrase: ['', 7, [], 'x'.repeat(1001), 'a\nb'],
  generateKey: ['yes', 1, null],
  hostKey: [7, {}, 'ssh-ed25519 AAAA'],
};

describe.each(databaseKinds)('servers on %s', (kind) => {
  let app: TestApp;
  let made = 0;
  beforeAll(async () => {
    app = await startApp(kind);
  });
  afterAll(() => app.close());
  const call = (method: string, path: string, body?: object, token = ownerToken) =>
    app.call(method, `/api/servers${path}`, { token, ...(body && { body }) });
  /** Nothing listens there. */
  const fields = (more: object = {}) => ({
    name: `server ${++made}`,
    host: '127.0.0.1',
    port: 1,
    user: 'root',
    password: secret,
    ...more,
  });
  const add = async (more: object = {}) => dataOf(await call('POST', '', fields(more)));
  const change = (id: string, body: object, token?: string) => call('PATCH', `/${id}`, body, token);
  const rowOf = (id: string) =>
    app.database.db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const pinned = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJmVxCy8m4hC0ZJhVhJv2Xn9Jq4m0h7cWm3r1Q2w3E4r';
  const addPinned = async (more: object = {}) => {
    const { id } = await add(more);
    await app.database.db.updateTable('servers').set({ hostKey: pinned }).where('id', '=', id).execute();
    return id;
  };

  it('are added, shown, listed, changed and removed', async () => {
    const answer = await call('POST', '', fields({ name: ' web ', host: ' WWW.Example.com ', port: undefined }));
    expect(answer.status).toBe(201);
    const server = dataOf(answer);
    expect(server).toMatchObject({
      id: expect.stringMatching(/^srv_/) as string,
      kind: 'ssh',
      name: 'web',
      host: 'www.example.com',
      port: 22,
      user: 'root',
      hasPassword: true,
      hasPrivateKey: false,
      hasPassphrase: false,
      publicKey: null,
      hostKey: null,
      hostKeyFingerprint: null,
      lastCheckedAt: null,
      lastCheck: null,
    });
    expect(dataOf(await call('GET', `/${server.id}`))).toEqual(server);
    expect((await call('GET', '')).body).toMatchObject({ data: [server] });
    const changed = await change(server.id, { port: 2222, user: 'deploy', password: secret });
    expect(dataOf(changed)).toMatchObject({ port: 2222, user: 'deploy', host: 'www.example.com' });
    expect((await call('DELETE', `/${server.id}`)).status).toBe(200);
    expect((await call('GET', `/${server.id}`)).status).toBe(404);
    expect((await call('DELETE', `/${server.id}`)).status).toBe(404);
  });

  it('stay nodes of a cluster when their address changes, and are released with its head', async () => {
    const set = (id: string, row: object) =>
      app.database.db.updateTable('servers').set(row).where('id', '=', id).execute();
    const [head, node, other] = [await add(), await add(), await add()];
    await set(head.id, { runtime: 'swarm', swarmNodeId: 'n1' });
    await set(node.id, { runtime: 'node', swarmNodeId: 'n2' });
    await set(other.id, { swarmNodeId: 'n3' });
    for (const { id } of [node, other])
      expect((await change(id, { host: '127.0.0.2', password: secret })).status).toBe(200);
    expect([(await rowOf(node.id)).swarmNodeId, (await rowOf(other.id)).swarmNodeId]).toEqual(['n2', null]);
    expect((await call('DELETE', `/${node.id}`)).status, 'it is a node').toBe(409);
    expect((await call('POST', `/${node.id}/cluster`, {})).status, 'it is a node').toBe(409);
    expect((await call('POST', `/${head.id}/cluster/nodes`, { serverId: head.id })).status).toBe(409);
    expect((await call('DELETE', `/${head.id}`)).status).toBe(200);
    expect((await rowOf(node.id)).runtime).toBeNull();
  });

  it('become the server of a cluster only as nodes of it that the caller administers', async () => {
    const set = (id: string, row: object) =>
      app.database.db.updateTable('servers').set(row).where('id', '=', id).execute();
    const [head, node, busy, alone] = [await add(), await add(), await add(), await add()];
    await set(head.id, { runtime: 'swarm', swarmNodeId: 'h1' });
    await set(node.id, { runtime: 'node', swarmNodeId: 'h2' });
    await set(busy.id, { runtime: 'docker', swarmNodeId: 'h3' });
    const move = async (id: string, serverId: string, token?: string) => {
      const answer = await call('POST', `/${id}/cluster/head`, { serverId }, token);
      return [answer.status, answer.body['error']];
    };
    expect(await move(head.id, 'srv_unknown')).toEqual([404, expect.any(String)]);
    expect(await move(node.id, head.id)).toEqual([409, expect.stringContaining('not the server of its cluster')]);
    expect(await move(head.id, head.id)).toEqual([409, expect.stringContaining('already')]);
    expect(await move(head.id, alone.id)).toEqual([409, expect.stringContaining('is not a node of the cluster')]);
    expect(await move(head.id, busy.id)).toEqual([409, expect.stringContaining('runs projects of its own')]);
    await set(busy.id, { runtime: 'swarm' });
    expect(await move(head.id, busy.id)).toEqual([409, expect.stringMatching('has a cluster of its own$')]);
    await set(busy.id, { runtime: 'docker' });
    const [, away] = await move(head.id, node.id);
    expect(away, 'neither of them responds').toContain(String(head['name']));
    const guest = await join(app, `head-${kind}@example.com`, 'restricted');
    const grants = [
      { resource: 'server', id: head.id, actions: ['admin'] },
      { resource: 'server', id: node.id, actions: ['write'] },
    ];
    await app.call('PUT', `/api/members/${guest.memberId}/grants`, { token: ownerToken, body: { grants } });
    expect((await move(head.id, node.id, await newToken(app, guest.cookie, '*')))[0]).toBe(403);
    expect([(await rowOf(head.id)).runtime, (await rowOf(node.id)).runtime]).toEqual(['swarm', 'node']);
  });

  it('get no project while they become nodes', async () => {
    const { id } = await add();
    const changed = Promise.withResolvers<void>();
    const moving = inTransaction(app.database.db, async (trx) => {
      await trx.updateTable('servers').set({ runtime: 'node', swarmNodeId: 'n9' }).where('id', '=', id).execute();
      changed.resolve();
      await sleep(300);
    });
    await changed.promise;
    const body = { name: `late ${kind}`, serverId: id };
    const { status, body: refusal } = await app.call('POST', '/api/projects', { token: ownerToken, body });
    await moving;
    expect([status, refusal['error']]).toEqual([409, expect.stringContaining('is a node of a cluster')]);
  });

  it('accept host names and IP addresses', async () => {
    for (const host of ['10.0.0.1', '::1', '[fd00::1]', 'a_b.example', 'localhost', 'example.com.'])
      expect([host, dataOf(await call('POST', '', fields({ host })))['host']]).toEqual([
        host,
        host.replace(/[[\]]/g, ''),
      ]);
  });

  it.each(Object.keys(nonsense).filter((field) => field !== 'hostKey'))(
    'reject invalid values of %s on creation',
    async (field) => {
      for (const value of nonsense[field]!) {
        const key = field === 'privateKey' || field === 'generateKey' ? { password: undefined } : {};
        const more = field === 'passphrase' ? { privateKey } : {};
        const answer = await call('POST', '', fields({ ...key, ...more, [field]: value }));
        expect([value, answer.status, answer.body['code']]).toEqual([value, 400, 'bad_request']);
        expect(answer.body['error']).toMatch(new RegExp(`^${field} `));
      }
    },
  );

  it.each(Object.keys(nonsense))('reject invalid values of %s on change', async (field) => {
    const { id } = await add({ privateKey });
    const before = await rowOf(id);
    for (const value of nonsense[field]!) {
      const answer = await change(id, { [field]: value });
      expect([value, answer.status, answer.body['code']]).toEqual([value, 400, 'bad_request']);
      expect(answer.body['error']).toMatch(new RegExp(`^${field} `));
    }
    expect(await rowOf(id)).toEqual(before);
  });

  it('require a name, a host, a user and a credential', async () => {
    for (const field of ['name', 'host', 'user', 'password']) {
      const { status, body } = await call('POST', '', fields({ [field]: undefined }));
      expect([field, status]).toEqual([field, 400]);
      expect(body['error']).toMatch(new RegExp(`^${field} is required`));
    }
    const none = { password: null, privateKey: null, passphrase: null, generateKey: false };
    expect((await call('POST', '', fields(none))).status).toBe(400);
    expect((await call('POST', '', fields({ passphrase: 'x' }))).status).toBe(400);
    expect((await call('POST', '', fields({ privateKey, generateKey: true }))).status).toBe(400);
    const { id } = await add();
    expect((await change(id, { passphrase: 'x' })).status).toBe(400);
    expect((await change(id, { privateKey, generateKey: true })).status).toBe(400);
  });

  it('have unique names in an organization, also for concurrent requests', async () => {
    const body = fields();
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('POST', '', body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
    const other = await add();
    expect((await change(other.id, { name: ` ${body.name} ` })).body).toMatchObject({ code: 'conflict' });
    expect((await change(other.id, { name: other['name'] })).status).toBe(200);
  });

  it('get a generated key, or show the public half of the given one', async () => {
    const own = await add({ password: undefined, generateKey: true });
    expect(own).toMatchObject({ hasPassword: false, hasPrivateKey: true, hasPassphrase: false });
    expect(own['publicKey']).toMatch(/^ssh-ed25519 AAAA\S+ mooring-srv_/);
    const again = dataOf(await change(own.id, { generateKey: true }));
    expect(again['publicKey']).not.toBe(own['publicKey']);
    const given = await add({ password: undefined, privateKey });
    expect(given['publicKey']).toBe(publicKey);
  });

  it('keep omitted credentials, clear null ones and replace others', async () => {
    const { id } = await add({ privateKey });
    const flags = ({ hasPassword, hasPrivateKey, publicKey: line }: Server) => [hasPassword, hasPrivateKey, line];
    const before = await rowOf(id);
    expect(flags(dataOf(await change(id, { name: 'renamed', port: 1 })))).toEqual([true, true, publicKey]);
    expect(await rowOf(id)).toMatchObject({ password: before.password, privateKey: before.privateKey });
    expect(flags(dataOf(await change(id, { privateKey: null })))).toEqual([true, false, null]);
    expect(flags(dataOf(await change(id, { password: null })))).toEqual([false, false, null]);
    expect(flags(dataOf(await change(id, { password: 'another' })))).toEqual([true, false, null]);
    const check = dataOf(await call('POST', `/${(await add({ password: 'x' })).id}/test`));
    expect(check['code']).not.toBe('misconfigured');
    await change(id, { password: null });
    expect(dataOf(await call('POST', `/${id}/test`))).toMatchObject({ ok: false, code: 'misconfigured' });
  });

  it('keep the pinned host key when the address changes, unless a credential is sent again or it is null', async () => {
    const kept = await change(await addPinned(), { host: 'other.example', password: null });
    expect([dataOf(kept)['hostKey'], messageOf(kept)]).toEqual([pinned, expect.stringContaining('still pinned')]);
    expect(dataOf(kept)['hostKeyFingerprint']).toMatch(/^SHA256:\S{43}$/);
    for (const more of [{ password: 'again' }, { generateKey: true, password: null }]) {
      const dropped = await change(await addPinned(), { port: 2222, ...more });
      expect([dataOf(dropped)['hostKey'], messageOf(dropped)]).toEqual([null, expect.stringContaining('was removed')]);
    }
    const id = await addPinned();
    expect(dataOf(await change(id, { password: 'again' }))['hostKey']).toBe(pinned);
    expect(dataOf(await change(id, { hostKey: pinned }))['hostKey']).toBe(pinned);
    expect(messageOf(await change(id, { user: 'deploy', password: secret }))).toBeUndefined();
    expect(dataOf(await change(id, { hostKey: null, password: secret }))['hostKey']).toBeNull();
    const log = await app.call('GET', `/api/audit?targetId=${id}`, { token: ownerToken });
    expect(log.text).toContain('server.host_key_forgotten');
  });

  it('never send a stored password to another machine for a member who does not know it', async () => {
    const ids = [await addPinned({ privateKey }), (await add({ privateKey })).id];
    const own = { password: 'attacker', privateKey: newSshKey('attacker').privateKey };
    for (const id of ids)
      for (const field of [{ host: 'evil.example' }, { port: 2222 }, { user: 'eve' }, { hostKey: null }]) {
        if ('hostKey' in field && id !== ids[0]) continue;
        const before = await rowOf(id);
        const bare = await change(id, field);
        const [name] = Object.keys(field);
        const why = new RegExp(`^password is required again when ${name} changes: .* root@127.0.0.1:1`);
        expect([bare.status, bare.body['error']]).toEqual([400, expect.stringMatching(why)]);
        expect(bare.body).toMatchObject({ details: [{ field: 'password' }] });
        const half = await change(id, { ...field, password: own.password });
        expect([half.status, half.body['error']]).toEqual([
          400,
          expect.stringMatching(/^privateKey is required again/),
        ]);
        expect((await change(id, { ...field, privateKey: own.privateKey })).status).toBe(400);
        expect((await change(id, { ...field, generateKey: true })).status).toBe(400);
        expect(await rowOf(id)).toEqual(before);
      }
    expect((await change(ids[0]!, { host: 'evil.example', ...own })).status).toBe(200);
    expect((await change(ids[1]!, { port: 2222, password: null, generateKey: true })).status).toBe(200);
  });

  it('cannot change their kind', async () => {
    const { id } = await add();
    expect((await change(id, { kind: 'this_machine' })).status).toBe(400);
    expect((await change(id, { kind: 'ssh', id: 'srv_x', createdAt: 1, unknown: true })).status).toBe(200);
  });

  it('never show a secret', async () => {
    const { id } = await add({ privateKey });
    await change(id, { password: `${secret}-2`, privateKey });
    const { password, privateKey: sealedKey } = await rowOf(id);
    const refused = await call('POST', '', fields({ port: 0, privateKey }));
    const answers = [await call('GET', ''), await call('GET', `/${id}`), refused, await call('POST', `/${id}/test`)];
    const log = await app.call('GET', '/api/audit?limit=100', { token: ownerToken });
    const shown = [...answers, log].map(({ text }) => text).join('\n');
    for (const each of [secret, privateKey.split('\n')[2]!, password!, sealedKey!]) expect(shown).not.toContain(each);
    expect(JSON.stringify(await app.database.db.selectFrom('servers').selectAll().execute())).not.toContain(secret);
  });

  it('are visible in their own organization only', async () => {
    const stranger = await foreignOrganization(app);
    const { id, name } = await add();
    expect((await call('GET', `/${id}`, undefined, stranger.token)).status).toBe(404);
    expect((await change(id, { name: 'x' }, stranger.token)).status).toBe(404);
    expect((await call('POST', `/${id}/test`, {}, stranger.token)).status).toBe(404);
    expect(await app.servers.access(stranger.organizationId, id)).toBeUndefined();
    expect((await call('POST', '', fields({ name }), stranger.token)).status).toBe(201);
    const grants = { grants: [{ resource: 'server', id, actions: ['read'] }] };
    const put = { token: stranger.token, body: grants };
    expect((await app.call('PUT', `/api/members/${stranger.memberId}/grants`, put)).status).toBe(404);
  });

  it('can be named in uploads by members who may read them', async () => {
    const [{ id }, { id: hidden }] = [await add(), await add()];
    const { token: foreign } = await foreignOrganization(app);
    const guest = await join(app, `uploader-${kind}@example.com`, 'restricted');
    const project = await app.call('POST', '/api/projects', { token: ownerToken, body: { name: 'up' } });
    const grants = [
      { resource: 'server', id, actions: ['read'] },
      { resource: 'server', id: hidden, actions: ['list'] },
      { resource: 'project', id: dataOf(project).id, actions: ['write'] },
    ];
    await app.call('PUT', `/api/members/${guest.memberId}/grants`, { token: ownerToken, body: { grants } });
    const [guestToken, narrow] = [
      await newToken(app, guest.cookie, '*'),
      await newToken(app, guest.cookie, ['project:write']),
    ];
    const open = async (serverId: string, token: string) =>
      (await app.call('POST', '/api/projects/folder/session', { token, body: { mode: 'server', serverId } })).status;
    expect([await open(id, ownerToken), await open(id, guestToken)]).toEqual([200, 200]);
    const refused = [open(id, foreign), open(hidden, guestToken), open(id, narrow), open('srv_none', ownerToken)];
    expect(await Promise.all(refused)).toEqual([404, 404, 404, 404]);
    const { serverId: named } = await app.database.db
      .selectFrom('uploads')
      .select('serverId')
      .executeTakeFirstOrThrow();
    expect(named).toBe(id);
  });

  it('are granted to restricted members one by one', async () => {
    const rita = await join(app, `rita-${kind}@example.com`, 'restricted');
    const [one, other] = [await add(), await add()];
    const grant = (actions: string[]) =>
      app.call('PUT', `/api/members/${rita.memberId}/grants`, {
        token: ownerToken,
        body: { grants: [{ resource: 'server', id: one.id, actions }] },
      });
    const token = await newToken(app, rita.cookie, '*');
    expect((await grant(['read', 'list'])).status).toBe(200);
    expect((await call('GET', '', undefined, token)).body).toMatchObject({ data: [{ id: one.id }] });
    expect((await call('GET', `/${other.id}`, undefined, token)).status).toBe(404);
    expect((await change(one.id, { baseDomain: null }, token)).status).toBe(403);
    await grant(['write']);
    expect((await change(one.id, { baseDomain: null }, token)).status).toBe(200);
    expect((await change(other.id, { baseDomain: null }, token)).status).toBe(404);
    expect((await call('POST', '', fields(), token)).status).toBe(403);
    await grant(['admin']);
    expect((await call('DELETE', `/${one.id}`, undefined, token)).status).toBe(200);
    const { grants } = await app.database.db
      .selectFrom('members')
      .select('grants')
      .where('id', '=', rita.memberId)
      .executeTakeFirstOrThrow();
    expect(grants).toBe('[]');
  });
});

describe('this machine', () => {
  const body = { kind: 'this_machine', name: 'here' };

  it('neither hands its cluster over nor takes over another one', async () => {
    const app = await startApp();
    const post = (path: string, sent: object) =>
      app.call('POST', `/api/servers${path}`, { token: ownerToken, body: sent });
    const here = dataOf(await post('', body));
    const other = dataOf(
      await post('', { kind: 'ssh', name: 'other', host: '127.0.0.1', user: 'a', password: secret }),
    );
    const set = (id: string, row: object) =>
      app.database.db.updateTable('servers').set(row).where('id', '=', id).execute();
    for (const [head, node, error] of [
      [here, other, 'projects of this machine cannot be deployed through another server'],
      [other, here, 'this machine cannot take over the cluster of another server'],
    ] as const) {
      await set(head.id, { runtime: 'swarm', swarmNodeId: 'n1' });
      await set(node.id, { runtime: 'node', swarmNodeId: 'n2' });
      const refused = await post(`/${head.id}/cluster/head`, { serverId: node.id });
      expect([refused.status, refused.body['error']]).toEqual([409, error]);
    }
    await app.close();
  });

  it('can be added once, by the instance owner only, and is tested without SSH', async () => {
    const app = await startApp();
    const call = (method: string, path: string, sent?: object, token = ownerToken) =>
      app.call(method, `/api/servers${path}`, { token, ...(sent && { body: sent }) });
    const admin = await join(app, 'admin@example.com', 'admin');
    const stranger = await foreignOrganization(app);
    for (const token of [await newToken(app, admin.cookie, '*'), stranger.token])
      expect((await call('POST', '', body, token)).body).toMatchObject({ code: 'forbidden' });
    for (const more of [{ host: 'x' }, { password: 'x' }, { generateKey: true }])
      expect((await call('POST', '', { ...body, ...more })).status).toBe(400);
    const { id } = dataOf(await call('POST', '', body));
    expect((await call('POST', '', { ...body, name: 'again' })).status).toBe(409);
    const check = dataOf(await call('POST', `/${id}/test`));
    expect(check).toMatchObject({ ok: true, reached: true, system: expect.stringMatching(/^Linux /) as string });
    const shown = dataOf(await call('GET', `/${id}`));
    expect(shown).toMatchObject({ kind: 'this_machine', host: null, port: null, lastCheck: check });
    expect(Date.now() - Date.parse(shown['lastCheckedAt'] as string)).toBeLessThan(60_000);
    expect((await call('PATCH', `/${id}`, { password: 'x' })).status).toBe(400);
    expect(dataOf(await call('PATCH', `/${id}`, { name: 'this one' }))['name']).toBe('this one');
    const { organizationId: own } = await app.database.db.selectFrom('servers').selectAll().executeTakeFirstOrThrow();
    expect(await app.servers.access(own, id)).toEqual({ kind: 'this_machine', name: 'this one' });
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    await app.close();
  });

  it('is not available in cloud mode, where private addresses are rejected as well', async () => {
    const app = await startApp('sqlite', { env: { MOORING_MODE: 'cloud' } });
    const post = (path: string, sent: object) =>
      app.call('POST', `/api/servers${path}`, { token: ownerToken, body: sent });
    expect((await post('', body)).status).toBe(403);
    for (const host of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::ffff:127.0.0.1', 'localhost']) {
      const { id } = dataOf(await post('', { name: host, host, user: 'root', password: secret }));
      expect(dataOf(await post(`/${id}/test`, {}))).toMatchObject({ ok: false, code: 'refused', reached: false });
    }
    await app.close();
  });
});
