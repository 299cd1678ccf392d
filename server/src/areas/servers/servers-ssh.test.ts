import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join as joinPath } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { startDocker } from '../../../test/rig/docker.ts';
import { has } from '../../../test/rig/parts.ts';
import { startCredentialRecorder } from '../../../test/rig/credential-recorder.ts';
import { join, newToken } from '../../../test/rig/people.ts';
import { startSshd, type Sshd } from '../../../test/rig/sshd.ts';
import { runAndCollect } from '../../drivers/ssh/run-and-collect.ts';
import type { SshConnection } from '../../drivers/ssh/ssh.ts';
import { newSshKey } from '../../lib/ssh-key.ts';

type Data = Record<string, unknown> & { id: string };
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Data }).data;
const never = new AbortController().signal;
const person = { name: 'harbour', uid: 61_500, password: 'correct horse' };

describe.runIf(has('sshd')).each(databaseKindsInFull)('servers over SSH on %s', (kind) => {
  let app: TestApp;
  let sshd: Sshd;
  let organizationId: string;
  let made = 0;
  beforeAll(async () => {
    sshd = await startSshd({ people: [person] });
    app = await startApp(kind, { env: { MOORING_SSH_TIMEOUT: '3' } });
    organizationId = (await app.database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()).id;
  });
  afterAll(async () => {
    await app?.close();
    await sshd?.stop();
  });
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/servers${path}`, { token: ownerToken, ...(body && { body }) });
  const add = async (more: object = {}) => {
    const { name: user, password } = person;
    const body = { name: `server ${++made}`, host: '127.0.0.1', port: sshd.port, user, password, ...more };
    const answer = await call('POST', '', body);
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return dataOf(answer);
  };
  const test = async (id: string) => {
    const answer = await call('POST', `/${id}/test`);
    expect(answer.status).toBe(200);
    return dataOf(answer);
  };
  const works = async (id: string) => {
    const check = await test(id);
    expect([check['ok'], check['reason']]).toEqual([true, undefined]);
    return check;
  };
  const shown = async (id: string) => dataOf(await call('GET', `/${id}`));

  /** Starts a TCP server with this behavior. */
  async function listening(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createServer(onConnection).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  }

  it('report system, permissions and disk, with a password', async () => {
    const { id } = await add();
    expect((await shown(id))['hostKey'], 'adding it dials nobody').toBeNull();
    const check = await works(id);
    expect(check).toMatchObject({ reached: true, rights: 'none' });
    expect(check['system']).toBe(execFileSync('uname', ['-sr'], { encoding: 'utf8' }).trim());
    expect(check['architecture']).toBe(execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim());
    expect(check['engine']).toMatchObject({ available: false });
    const { freeBytes, totalBytes } = check['disk'] as { freeBytes: number; totalBytes: number };
    expect(totalBytes).toBeGreaterThan(freeBytes);
    expect(check['latencyMs']).toBeGreaterThan(0);
    expect(await shown(id)).toMatchObject({
      hostKey: expect.stringMatching(/^ssh-ed25519 /) as string,
      hostKeyFingerprint: expect.stringMatching(/^SHA256:/) as string,
      lastCheck: check,
    });
  });

  it.runIf(has('docker'))('report the engine, and whether the user may use it', async () => {
    const docker = await startDocker();
    onTestFinished(() => docker.close());
    const engineSocket = new URL(docker.address).pathname;
    const machine = await startSshd({ people: [person], engineSocket });
    onTestFinished(() => machine.stop());
    const refused = await works((await add({ port: machine.port })).id);
    const reason = expect.stringContaining('add the user to the group docker') as string;
    expect(refused['engine']).toEqual({ available: false, version: null, reason, swarm: null });
    const root = await add({ port: machine.port, user: 'root', password: undefined, generateKey: true });
    machine.allow(root['publicKey'] as string);
    const { ServerVersion: version, DockerRootDir: path } = await docker.client.json<Record<string, string>>({
      method: 'GET',
      path: '/info',
    });
    const check = await works(root.id);
    expect(check).toMatchObject({ rights: 'root', engine: { available: true, version, reason: null }, disk: { path } });
    const closed = await startSshd({ people: [person], engineSocket, more: ['AllowStreamLocalForwarding no'] });
    onTestFinished(() => closed.stop());
    const moved = dataOf(await call('PATCH', `/${root.id}`, { port: closed.port, generateKey: true }));
    closed.allow(moved['publicKey'] as string);
    const barred = expect.stringContaining('AllowStreamLocalForwarding') as string;
    expect((await works(root.id))['engine']).toEqual({ available: false, version: null, reason: barred, swarm: null });
  });

  it('report a machine that cannot run commands', async () => {
    const machine = await startSshd({ people: [person], more: ['ForceCommand internal-sftp'] });
    onTestFinished(() => machine.stop());
    expect(await test((await add({ port: machine.port })).id)).toMatchObject({ ok: false, code: 'no_commands' });
  });

  it('time out if commands never end', async () => {
    const machine = await startSshd({ people: [person], more: ['ForceCommand sleep 60'] });
    onTestFinished(() => machine.stop());
    const { id } = await add({ port: machine.port });
    const began = Date.now();
    expect(await test(id)).toMatchObject({ ok: false, code: 'timeout' });
    expect(Date.now() - began).toBeLessThan(7500);
  });

  it('sign in with a generated key, a key with a passphrase, and as root', async () => {
    const own = await add({ password: undefined, generateKey: true });
    expect(await test(own.id)).toMatchObject({ ok: false, code: 'auth_failed', reached: true });
    sshd.allow(own['publicKey'] as string);
    await works(own.id);
    const file = joinPath(newFolder('key'), 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-a', '4', '-N', 'open sesame', '-f', file]);
    const publicKey = readFileSync(`${file}.pub`, 'utf8').trim();
    sshd.allow(publicKey);
    const key = { password: undefined, privateKey: readFileSync(file, 'utf8'), passphrase: 'open sesame' };
    const locked = await add({ ...key, user: 'root' });
    expect(locked).toMatchObject({ publicKey, hasPassphrase: true, hasPassword: false });
    expect(await works(locked.id)).toMatchObject({ rights: 'root' });
    const wrong = await call('PATCH', `/${locked.id}`, { passphrase: 'sesame' });
    expect([wrong.status, wrong.body['error']]).toEqual([400, expect.stringContaining('bad passphrase')]);
    await call('PATCH', `/${locked.id}`, { passphrase: null });
    expect(await test(locked.id)).toMatchObject({ ok: false, code: 'misconfigured' });
  });

  it('reject a key whose passphrase takes too long to check', async () => {
    const file = joinPath(newFolder('key'), 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-a', '129', '-N', 'x', '-f', file]);
    const body = { name: 'slow', host: 'x', user: 'x', privateKey: readFileSync(file, 'utf8'), passphrase: 'x' };
    const { status, body: answer } = await call('POST', '', body);
    expect([status, answer['error']]).toEqual([400, expect.stringContaining('129 rounds')]);
  });

  it('report why signing in failed, within the timeout and without the credential', async () => {
    const silent = await listening(() => {});
    const web = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const curt = await listening((socket) => socket.destroy());
    for (const [more, code, reason] of [
      [
        { password: 'wrong-secret' },
        'auth_failed',
        'rejects harbour with these credentials; check the user and the pass',
      ],
      [{ user: 'nobody-here' }, 'auth_failed', 'rejects nobody-here with'],
      [{ port: 1 }, 'unreachable', 'ECONNREFUSED'],
      [{ host: 'no-such-name.invalid' }, 'unreachable', 'has no DNS record'],
      [{ host: '169.254.169.254' }, 'refused', 'is refused: '],
      [{ port: silent }, 'timeout', 'in time'],
      [{ port: web }, 'unreachable', 'SSH'],
      [{ port: curt }, 'unreachable', 'Connection lost'],
    ] as const) {
      const { id } = await add(more);
      const began = Date.now();
      const check = await test(id);
      expect([more, check['ok'], check['code']]).toEqual([more, false, code]);
      expect(check['reason']).toContain(reason);
      expect(Date.now() - began).toBeLessThan(6_000);
      expect(await shown(id)).toMatchObject({ hostKey: null, lastCheck: check });
      expect(JSON.stringify(check)).not.toMatch(/wrong-secret|correct horse/);
    }
  });

  it('reject a changed host key', async () => {
    const { id } = await add();
    await works(id);
    const before = (await shown(id))['hostKey'];
    await sshd.changeHostKey();
    expect(await test(id)).toMatchObject({ ok: false, code: 'host_key_changed', reached: true });
    const { use } = (await app.servers.access(organizationId, id)) as {
      use: (task: unknown, o: object) => Promise<void>;
    };
    await expect(use(async () => {}, {})).rejects.toMatchObject({ code: 'host_key_changed' });
    expect((await shown(id))['hostKey']).toBe(before);
    expect((await call('PATCH', `/${id}`, { hostKey: null })).status).toBe(400);
    await call('PATCH', `/${id}`, { hostKey: null, password: person.password });
    await works(id);
    expect((await shown(id))['hostKey']).not.toBe(before);
  });

  it('never send a stored password to a machine that a member chose', async () => {
    const attacker = await startCredentialRecorder();
    onTestFinished(() => attacker.close());
    const { id } = await add();
    await works(id);
    const member = await join(app, `member-${kind}@example.com`, 'member');
    const token = await newToken(app, member.cookie, '*');
    const change = async (body: object) => (await app.call('PATCH', `/api/servers/${id}`, { token, body })).status;
    const statuses = [
      await change({ port: attacker.port }),
      await change({ hostKey: null }),
      await change({ port: attacker.port, hostKey: null }),
      await change({ port: attacker.port, privateKey: newSshKey('attacker').privateKey }),
      await change({ port: attacker.port, passphrase: null }),
      await change({ host: 'localhost', generateKey: true }),
      await change({ user: 'root' }),
    ];
    await app.call('POST', `/api/servers/${id}/test`, { token });
    expect(attacker.attempts).toEqual([]);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 400]);
    expect(await change({ port: attacker.port, password: 'of the member' })).toBe(200);
    await app.call('POST', `/api/servers/${id}/test`, { token });
    const sent = attacker.attempts.flatMap(({ password }) => password ?? []);
    expect(new Set(sent)).toEqual(new Set(['of the member']));
  });

  describe('used by other areas', () => {
    const access = async (id: string) => {
      const found = await app.servers.access(organizationId, id);
      if (found?.kind !== 'ssh') throw new Error('no such server');
      return found;
    };
    /** Identifies the connection by the ports at both ends. */
    const which = async (connection: SshConnection) =>
      (await runAndCollect(connection, ['sh', '-c', 'echo $SSH_CONNECTION'], never)).stdout.trim();

    it('share one connection, pin the host key at the first use, and reconnect after a change', async () => {
      const { id, name } = await add();
      const server = await access(id);
      expect(server.name).toBe(name);
      const [first, second] = await Promise.all([server.use(which, {}), server.use(which, {})]);
      expect(second).toBe(first);
      expect((await shown(id))['hostKey']).toMatch(/^ssh-ed25519 /);
      expect(await server.use(which, {}), 'also now that the key is known').toBe(first);
      await call('PATCH', `/${id}`, { name: `${String(name)} again` });
      expect(await server.use(which, {})).not.toBe(first);
      await call('PATCH', `/${id}`, { password: 'wrong' });
      await expect(server.use(which, {})).rejects.toMatchObject({ code: 'auth_failed' });
      await call('DELETE', `/${id}`);
      await expect(server.use(which, {})).rejects.toThrow('was removed');
      expect(await app.servers.access(organizationId, id)).toBeUndefined();
    });

    it('agree on one host key when two first uses see different machines', async () => {
      const other = await startSshd({ people: [person] });
      onTestFinished(() => other.stop());
      let count = 0;
      // Every second connection goes to another machine.
      const both = await listening((socket) => {
        const port = count++ % 2 ? other.port : sshd.port;
        void import('node:net').then(({ connect }) => {
          const target = connect(port, '127.0.0.1');
          socket.on('error', () => target.destroy()).pipe(target);
          target.on('error', () => socket.destroy()).pipe(socket);
        });
      });
      const { id } = await add({ port: both });
      const replica = await startApp(kind, { replica: { of: app, name: 'second' } });
      onTestFinished(() => replica.close());
      const [here, there] = await Promise.all([access(id), replica.servers.access(organizationId, id)]);
      const uses = [here, there as typeof here].map((each) => each.use(async ({ hostKey }) => hostKey, {}));
      const settled = await Promise.allSettled(uses);
      const won = settled.filter((each) => each.status === 'fulfilled').map((each) => each.value);
      expect(won).toEqual([(await shown(id))['hostKey']]);
      expect(settled.find((each) => each.status === 'rejected')?.reason).toMatchObject({ code: 'host_key_changed' });
    });

    it('stop waiting on abort', async () => {
      const { id } = await add({ port: await listening(() => {}) });
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error('enough')), 100);
      const began = Date.now();
      await expect((await access(id)).use(which, { signal: stop.signal })).rejects.toThrow('enough');
      expect(Date.now() - began).toBeLessThan(1500);
    });
  });
});
