import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { startCredentialRecorder } from '../../../test/rig/credential-recorder.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { foreignOrganization, join as joinAs, newToken, signInOwner } from '../../../test/rig/people.ts';
import { until } from '../../../test/rig/until.ts';
import { newSshKey } from '../../lib/ssh-key.ts';

const path = '/api/backup-destinations';
const secret = 'S3cr3t-never-shown';
const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nnever-shown-key\n-----END OPENSSH PRIVATE KEY-----\n';

type Destination = Record<string, string | number | boolean | null>;
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Destination }).data;
const errorOf = (answer: Answer) => (answer.body as unknown as { error: string }).error;

const s3 = { kind: 's3_compatible', bucket: 'b', accessKeyId: 'never-shown-id', secretAccessKey: secret };
const sftp = { kind: 'sftp', sshHost: 'backup.example.com', sshUser: 'mooring', sftpPassword: secret };

const onServer = (serverId: string) => ({ kind: 'platform_server', serverId });

describe.each(databaseKinds)('backup destinations on %s', (kind) => {
  let app: TestApp;
  let root: string;
  let stranger: { token: string };
  let count = 0;
  beforeAll(async () => {
    root = newFolder('backups');
    app = await startApp(kind, { env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root } });
    stranger = await foreignOrganization(app);
  });
  afterAll(() => app?.close());

  const call = (method: string, at: string, body?: unknown, token = ownerToken) =>
    app.call(method, `${path}${at}`, { token, ...(body !== undefined && { body }) });
  const named = (body: object) => ({ name: `destination ${++count}`, ...body });
  const create = async (body: object): Promise<Destination> => {
    const answer = await call('POST', '', named(body));
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    return dataOf(answer);
  };
  const patch = (id: unknown, change: unknown) => call('PATCH', `/${String(id)}`, change);

  it('show everything but secrets', async () => {
    const made = await create({ ...s3, region: 'eu-1', pathPrefix: 'nightly', endpoint: 'https://s3.example.com' });
    expect(made).toMatchObject({
      kind: 's3_compatible',
      bucket: 'b',
      region: 'eu-1',
      pathPrefix: 'nightly',
      isDefault: false,
      hasAccessKeyId: true,
      hasSecretAccessKey: true,
      hasSftpPassword: false,
      hasSftpPrivateKey: false,
      hasSftpKeyPassphrase: false,
      lastVerifiedAt: null,
      lastVerifyError: null,
    });
    const other = await create({ ...sftp, sftpPrivateKey: key, sftpKeyPassphrase: secret, sshPort: 2222 });
    expect(other).toMatchObject({ sshPort: 2222, hasSftpPassword: true, hasSftpKeyPassphrase: true, bucket: null });
    const texts = await Promise.all([
      call('GET', ''),
      call('GET', `/${String(made['id'])}`),
      call('GET', `/${String(other['id'])}`),
      patch(other['id'], { sftpPassword: `${secret}-2` }),
      app.call('GET', '/api/audit', { token: ownerToken }),
    ]);
    for (const { status, text } of texts)
      expect([status, text]).toEqual([200, expect.not.stringMatching(/never.shown/)]);
    const rows = await app.database.db.selectFrom('backup_destinations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/never.shown/);
  });

  it('name missing fields of their kind', async () => {
    for (const [body, field] of [
      [{ ...s3, bucket: undefined }, 'bucket'],
      [{ ...s3, accessKeyId: undefined }, 'accessKeyId'],
      [{ ...s3, secretAccessKey: null }, 'secretAccessKey'],
      [{ ...sftp, sshHost: undefined }, 'sshHost'],
      [{ ...sftp, sshUser: null }, 'sshUser'],
      [{ ...sftp, sftpPassword: undefined }, 'sftpPassword'],
      [{ kind: 'platform_server' }, 'serverId'],
      [{ kind: 'platform_server', serverId: 'srv_of_nobody' }, 'serverId'],
      [{ kind: 'local' }, 'endpoint'],
      [{ kind: 'http_upload', endpoint: 'https://example.com' }, 'kind'],
      [{ kind: 'toString' }, 'kind'],
      [{}, 'kind'],
    ] as const) {
      const answer = await call('POST', '', named(body));
      expect([body, answer.status, errorOf(answer)]).toEqual([body, 400, expect.stringContaining(field)]);
    }
    const kinds = await call('GET', '/kinds');
    expect(kinds.status).toBe(200);
    const known = (kinds.body as unknown as { data: { kind: string; fields: { name: string }[] }[] }).data;
    expect(known.map((each) => each.kind).toSorted()).toEqual(['local', 'platform_server', 's3_compatible', 'sftp']);
  });

  it('reject invalid values of every field on creation and change', async () => {
    const kinds = (await call('GET', '/kinds')).body as unknown as {
      data: { kind: string; fields: { name: string; required: boolean; secret: boolean; maxLength: number }[] }[];
    };
    const bodies = { s3_compatible: s3, sftp, local: { kind: 'local', endpoint: join(root, 'matrix') } };
    for (const [name, body] of Object.entries(bodies)) {
      const { id } = await create(body);
      for (const field of kinds.data.find((each) => each.kind === name)!.fields) {
        const wrong = ['', '   ', 5.5, true, [], {}, 'x'.repeat(field.maxLength + 1), 'a\u0000b', -1];
        for (const value of wrong) {
          const given = { [field.name]: value };
          const made = await call('POST', '', named({ ...body, ...given }));
          expect([name, given, made.status, made.text]).toEqual([name, given, 400, expect.anything()]);
          expect((await patch(id, given)).status, `PATCH ${JSON.stringify(given)}`).toBe(400);
        }
        const cleared = await patch(id, { [field.name]: null });
        expect([field.name, cleared.status]).toEqual([field.name, field.required && !field.secret ? 400 : 200]);
        expect((await patch(id, {})).status).toBe(200);
      }
    }
    for (const given of [
      { name: '' },
      { name: '  ' },
      { name: 'x'.repeat(81) },
      { name: null },
      { name: 7 },
      { pathPrefix: '../up' },
      { pathPrefix: 'a/../../b' },
      { pathPrefix: 5 },
      { isDefault: 'yes' },
    ]) {
      expect((await call('POST', '', { ...named(s3), ...given })).status, JSON.stringify(given)).toBe(400);
      const { id } = await create(s3);
      expect((await patch(id, given)).status, `PATCH ${JSON.stringify(given)}`).toBe(400);
    }
    expect((await call('POST', '', { ...s3, name: 'n'.repeat(80) })).status).toBe(201);
  });

  it('have unique names, also for concurrent requests', async () => {
    const taken = await create(s3);
    const again = await call('POST', '', { ...s3, name: ` ${String(taken['name'])} ` });
    expect([again.status, errorOf(again)]).toEqual([400, expect.stringContaining('name')]);
    const other = await create(s3);
    expect((await patch(other['id'], { name: taken['name'] })).status).toBe(400);
    expect((await patch(other['id'], { name: other['name'] })).status).toBe(200);
    const name = 'at the same moment';
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', '', { ...s3, name })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400, 400]);
    expect((await app.call('POST', path, { token: stranger.token, body: { ...s3, name } })).status).toBe(201);
  });

  it('have one default', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => call('POST', '', named({ ...s3, isDefault: true }))));
    const defaults = async () =>
      ((await call('GET', '')).body as unknown as { data: Destination[] }).data.filter((each) => each['isDefault']);
    expect(await defaults()).toHaveLength(1);
    const first = dataOf(made[0]!)['id'];
    expect(dataOf(await patch(first, { isDefault: true }))).toMatchObject({ isDefault: true });
    expect(await defaults()).toMatchObject([{ id: first }]);
    await patch(first, { isDefault: false });
    expect(await defaults()).toEqual([]);
  });

  it('keep, clear and replace credentials', async () => {
    const { id } = await create({ ...sftp, sftpPrivateKey: key });
    expect(dataOf(await patch(id, { pathPrefix: 'a' }))).toMatchObject({ pathPrefix: 'a', hasSftpPassword: true });
    expect(dataOf(await patch(id, { sftpPassword: null }))).toMatchObject({
      hasSftpPassword: false,
      hasSftpPrivateKey: true,
    });
    expect(dataOf(await patch(id, { sftpPrivateKey: null }))).toMatchObject({ hasSftpPrivateKey: false });
    const tried = await call('POST', `/${String(id)}/preflight`);
    expect([tried.status, tried.body]).toEqual([200, { ok: false, code: 'misconfigured', reason: expect.any(String) }]);
    expect(dataOf(await patch(id, { sftpPassword: 'new' }))).toMatchObject({ hasSftpPassword: true });
    expect((await patch(id, { kind: 'sftp' })).status).toBe(200);
    const another = await patch(id, { kind: 's3_compatible' });
    expect([another.status, errorOf(another)]).toEqual([400, expect.stringContaining('kind')]);
    const ignored = { id: 'bkd_other', lastVerifiedAt: '2020-01-01T00:00:00Z', createdAt: 1, unknown: {}, bucket: 'x' };
    expect(dataOf(await patch(id, ignored))).toMatchObject({ id, lastVerifiedAt: null, bucket: null });
  });

  it('use stored credentials only for their address and user', async () => {
    const stored = await create({ ...sftp, sftpPrivateKey: key });
    expect(stored).toMatchObject({ sshPort: 22 });
    const moves = [{ sshHost: 'evil.example' }, { sshPort: 2222 }, { sshUser: 'eve' }];
    for (const move of moves) {
      const [name] = Object.keys(move);
      const bare = await patch(stored['id'], move);
      const why = expect.stringMatching(`^sftpPassword is required again when ${name} changes`) as string;
      expect([bare.status, bare.body]).toMatchObject([400, { error: why, details: [{ field: 'sftpPassword' }] }]);
      const half = await patch(stored['id'], { ...move, sftpPassword: 'own' });
      expect([half.status, errorOf(half)]).toEqual([400, expect.stringContaining('sftpPrivateKey is required again')]);
      const tried = { name: 'x', kind: 'sftp', id: stored['id'], ...move, sftpPrivateKey: key };
      expect([move, (await call('POST', '/preflight', tried)).status]).toEqual([move, 400]);
    }
    const same = { sshHost: sftp.sshHost, sshPort: 22, sshUser: sftp.sshUser };
    expect((await patch(stored['id'], same)).status).toBe(200);
    expect((await patch(stored['id'], { sshPort: null })).status).toBe(200);
    const own = { sftpPassword: 'own', sftpPrivateKey: null };
    expect(dataOf(await patch(stored['id'], { sshPort: '2222', ...own }))).toMatchObject({ sshPort: 2222 });
    const bucket = await create({ ...s3, endpoint: 'https://s3.example.com' });
    expect(bucket).toMatchObject({ sshPort: null });
    for (const endpoint of ['https://evil.example', 'http://s3.example.com', null])
      expect([endpoint, (await patch(bucket['id'], { endpoint })).status]).toEqual([endpoint, 400]);
    expect((await patch(bucket['id'], { bucket: 'other', region: 'eu-2' })).status).toBe(200);
    const tried = { name: 'x', kind: 's3_compatible', id: bucket['id'], endpoint: 'https://evil.example' };
    expect((await call('POST', '/preflight', { ...tried, secretAccessKey: 'own' })).status).toBe(400);
  });

  it('never send a stored password to a machine that a member chose, or with another host key', async () => {
    const attacker = await startCredentialRecorder();
    try {
      const { id } = await create({ ...sftp, sshHost: '127.0.0.1', sshPort: attacker.port });
      const away = await create(sftp);
      const pinned = newSshKey('the machine of before').publicKey.split(' ').slice(0, 2).join(' ');
      const { db } = app.database;
      await db.updateTable('backup_destinations').set({ hostKey: pinned }).where('id', '=', String(id)).execute();
      const member = await joinAs(app, `backups-${kind}@example.com`, 'member');
      const token = await newToken(app, member.cookie, ['backup_destination:write']);
      const sftpPrivateKey = newSshKey('attacker').privateKey;
      const address = { sshHost: '127.0.0.1', sshPort: attacker.port };
      const send = (method: string, at: string, body: object) => call(method, at, body, token);
      const body = { name: 'x', kind: 'sftp', ...address, sftpPrivateKey };
      const moved = await send('POST', '/preflight', { ...body, id: away['id'] });
      expect([moved.status, errorOf(moved)]).toEqual([400, expect.stringContaining('sftpPassword is required again')]);
      expect((await send('PATCH', `/${String(away['id'])}`, { ...address, sftpPrivateKey })).status).toBe(400);
      await send('POST', `/${String(away['id'])}/preflight`, {});
      // The address is unchanged, but the machine is another one: the pinned key prevents the connection.
      const other = await send('POST', '/preflight', { ...body, id });
      expect([other.status, other.body]).toMatchObject([200, { ok: false, code: 'auth_failed' }]);
      await send('PATCH', `/${String(id)}`, { ...address, sftpPrivateKey });
      expect((await send('POST', `/${String(id)}/preflight`, {})).body).toMatchObject({ ok: false });
      expect(attacker.attempts).toEqual([]);
    } finally {
      attacker.close();
    }
  });

  it('accept local folders inside the root only', async () => {
    mkdirSync(join(root, 'inside'), { recursive: true });
    symlinkSync('/etc', join(root, 'leads-out'));
    const tried = async (endpoint: string) => (await call('POST', '', named({ kind: 'local', endpoint }))).status;
    for (const endpoint of [
      'inside',
      '/etc',
      '/',
      `${root}/../x`,
      `${root}/leads-out`,
      `${root}/leads-out/x`,
      `${root}x`,
    ])
      expect([endpoint, await tried(endpoint)]).toEqual([endpoint, 400]);
    expect(await tried(join(root, 'inside'))).toBe(201);
    const settings: Record<string, string>[] = [
      {},
      { BACKUP_ALLOW_LOCAL_DESTINATION: 'true' },
      { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: '/' },
      { BACKUP_LOCAL_ROOT: root },
      { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root, MOORING_MODE: 'cloud' },
    ];
    for (const env of settings) {
      const without = await startApp(kind, { env });
      const body = { name: 'x', kind: 'local', endpoint: join(root, 'inside') };
      expect([env, (await without.call('POST', path, { token: ownerToken, body })).status]).toEqual([env, 400]);
      await without.close();
    }
  });

  it('are tested by writing, reading back and deleting', async () => {
    const endpoint = join(root, 'tried');
    mkdirSync(endpoint);
    const { id } = await create({ kind: 'local', endpoint, pathPrefix: 'a/b' });
    expect((await call('POST', `/${String(id)}/preflight`)).body).toEqual({ ok: true });
    expect(readdirSync(endpoint, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())).toEqual([]);
    // Old leftovers of interrupted uploads are removed; recent ones may still be in use.
    const parts = ['1', '2'].map((digit) => join(endpoint, `a/b/.mooring-${digit.repeat(24)}.part`)) as [
      string,
      string,
    ];
    for (const part of parts) writeFileSync(part, 'half');
    utimesSync(parts[0], new Date(), new Date(Date.now() - 8 * 24 * 3_600_000));
    expect((await call('POST', `/${String(id)}/preflight`)).body).toEqual({ ok: true });
    expect(parts.map((part) => existsSync(part))).toEqual([false, true]);
    rmSync(parts[1]);
    const verified = dataOf(await call('GET', `/${String(id)}`));
    expect(verified).toMatchObject({ lastVerifiedAt: expect.any(String), lastVerifyError: null });
    const nowhere = await create({ ...s3, endpoint: 'http://127.0.0.1:1' });
    const failed = await call('POST', `/${String(nowhere['id'])}/preflight`);
    expect([failed.status, failed.body]).toEqual([200, { ok: false, code: 'unreachable', reason: expect.any(String) }]);
    expect(dataOf(await call('GET', `/${String(nowhere['id'])}`))).toMatchObject({
      lastVerifiedAt: null,
      lastVerifyError: (failed.body as unknown as { reason: string }).reason,
    });
    const unsaved = await call('POST', '/preflight', { name: 'x', kind: 'local', endpoint });
    expect([unsaved.status, unsaved.body]).toEqual([200, { ok: true }]);
    const { accessKeyId, secretAccessKey } = s3;
    const withStored = await call('POST', '/preflight', {
      name: 'x',
      id: nowhere['id'],
      kind: 's3_compatible',
      endpoint: 'http://169.254.169.254',
      accessKeyId,
      secretAccessKey,
    });
    expect([withStored.status, withStored.body]).toMatchObject([200, { ok: false }]);
    expect((await call('POST', '/preflight', { name: 'x', kind: 's3_compatible' })).status).toBe(400);
  });

  const newServer = async (token = ownerToken): Promise<string> => {
    const body = { name: `server ${++count}`, host: '127.0.0.1', user: 'root', password: secret };
    return String(dataOf(await app.call('POST', '/api/servers', { token, body }))['id']);
  };
  const removeServer = (id: string, token = ownerToken) => app.call('DELETE', `/api/servers/${id}`, { token });

  it('keep their server from being deleted', async () => {
    const [serverId, other] = [await newServer(), await newServer()];
    const [one, two] = [await create(onServer(serverId)), await create(onServer(serverId))];
    await create(onServer(other));
    const refused = await removeServer(serverId);
    expect([refused.status, refused.body]).toEqual([409, expect.objectContaining({ code: 'server_in_use' })]);
    expect(errorOf(refused)).toContain(`${String(one['name'])}, ${String(two['name'])};`);
    expect((await removeServer(serverId, stranger.token)).status).toBe(404);
    // Members who cannot see the destinations only get their number.
    const guest = await joinAs(app, `server-admin-${kind}@example.com`, 'restricted');
    const grants = [
      { resource: 'server', id: serverId, actions: ['admin'] },
      { resource: 'backup_destination', id: two['id'], actions: ['list'] },
    ];
    await app.call('PUT', `/api/members/${guest.memberId}/grants`, { token: ownerToken, body: { grants } });
    const seen = errorOf(await removeServer(serverId, await newToken(app, guest.cookie, '*')));
    expect(seen).toContain(`${String(two['name'])}, 1 more that you may not see;`);
    expect(seen).not.toContain(String(one['name']));
    const blind = await newToken(app, guest.cookie, ['server:admin']);
    expect(errorOf(await removeServer(serverId, blind))).toContain('server: 2 that you may not see;');
    await patch(one['id'], { serverId: other });
    await call('DELETE', `/${String(two['id'])}`);
    expect((await removeServer(serverId)).status).toBe(200);
    expect((await patch(one['id'], { serverId })).status).toBe(400);
  });

  it('on a server require permission for that server', async () => {
    const serverId = await newServer();
    const { id } = await create(onServer(serverId));
    const owner = await signInOwner(app);
    const narrow = await newToken(app, owner, ['backup_destination:write']);
    const refused = [
      await call('POST', '', named(onServer(serverId)), narrow),
      await call('POST', '', named(onServer('srv_none')), narrow),
      await call('POST', '/preflight', named(onServer(serverId)), narrow),
      await call('PATCH', `/${String(id)}`, { serverId: await newServer() }, narrow),
      await call('POST', `/${String(id)}/preflight`, {}, narrow),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(errorOf(refused[0]!)).toContain('server:write');
    expect((await call('PATCH', `/${String(id)}`, { pathPrefix: 'a' }, narrow)).status).toBe(200);
    const both = await newToken(app, owner, ['backup_destination:write', 'server:write']);
    expect((await call('POST', '', named(onServer(serverId)), both)).status).toBe(201);
    expect((await call('POST', `/${String(id)}/preflight`, {}, both)).body).toMatchObject({ ok: false });
  });

  it('are never created on a server that is deleted concurrently', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const serverId = await newServer();
      const making = () => call('POST', '', named(onServer(serverId)));
      const removing = () => removeServer(serverId);
      const [first, second] = await Promise.all(round % 2 ? [making(), removing()] : [removing(), making()]);
      const [made, removed] = round % 2 ? [first, second] : [second, first];
      outcomes.add(`${made.status} ${removed.status}`);
    }
    expect([...outcomes].filter((each) => !['201 409', '400 200'].includes(each))).toEqual([]);
  });

  it('are tested despite hanging targets of another organization, within a limit', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const body = { name: 'x', ...s3, endpoint: `http://127.0.0.1:${port}` };
    // Eight run and sixteen wait. Only the refused one gets an answer: whichever arrived last.
    const hanging = Array.from({ length: 25 }, () => call('POST', '/preflight', body, stranger.token));
    const refused = await Promise.race(hanging);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    await until('eight of them wait for an answer', () => sockets.length >= 8);
    const endpoint = join(root, 'neighbour');
    mkdirSync(endpoint);
    const answered = await call('POST', '/preflight', { name: 'x', kind: 'local', endpoint });
    expect([answered.status, answered.body]).toEqual([200, { ok: true }]);
    expect(sockets.filter(({ destroyed }) => !destroyed).length, 'the others still wait').toBeGreaterThanOrEqual(8);
    silent.on('connection', (socket) => socket.destroy());
    for (const socket of sockets) socket.destroy();
    await Promise.all(hanging);
    silent.close();
  });

  it('belong to one organization, and are visible to restricted members as granted', async () => {
    const { id } = await create(s3);
    const { id: hidden } = await create(s3);
    for (const [method, at] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/preflight'],
    ] as const)
      expect(
        (await call(method, `/${String(id)}${at}`, method === 'GET' ? undefined : {}, stranger.token)).status,
      ).toBe(404);
    expect((await call('POST', '/preflight', { ...named(s3), id }, stranger.token)).status).toBe(404);
    const member = await joinAs(app, `restricted-${kind}@example.com`, 'restricted');
    const grants = [{ resource: 'backup_destination', id, actions: ['read', 'list'] }];
    await app.call('PUT', `/api/members/${member.memberId}/grants`, { token: ownerToken, body: { grants } });
    const token = await newToken(app, member.cookie, '*');
    const seen = (await call('GET', '', undefined, token)).body as unknown as { data: Destination[] };
    expect(seen.data.map((each) => each['id'])).toEqual([id]);
    expect((await call('GET', `/${String(hidden)}`, undefined, token)).status).toBe(404);
    expect((await call('PATCH', `/${String(id)}`, { name: 'mine' }, token)).status).toBe(403);
    expect((await call('POST', '', named(s3), token)).status).toBe(403);
    expect((await call('DELETE', `/${String(id)}`)).body).toEqual({ success: true });
    expect((await call('GET', `/${String(id)}`)).status).toBe(404);
    expect((await call('DELETE', `/${String(id)}`)).status).toBe(404);
    expect((await call('POST', `/${String(id)}/preflight`)).status).toBe(404);
  });
});
