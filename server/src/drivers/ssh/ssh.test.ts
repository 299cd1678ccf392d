import { execFileSync } from 'node:child_process';
import { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import ssh2 from 'ssh2';
import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';
import { has } from '../../../test/rig/parts.ts';
import { startSshd, type Sshd } from '../../../test/rig/sshd.ts';
import { connectSsh } from './connect.ts';
import { reuseKeyObjects } from './ssh2-speedups.ts';
import { openPrivateKey } from './private-key.ts';
import { SshPool } from './pool.ts';
import type { SshConnection, SshTarget } from './ssh.ts';

const never = new AbortController().signal;

/** Runs a command; returns its output and exit. */
async function run(connection: SshConnection, argv: string[], signal = never) {
  const printed = { stdout: '', stderr: '' };
  const exit = await connection.exec(argv, { signal, onOutput: (stream, chunk) => (printed[stream] += chunk) });
  return { ...exit, ...printed };
}

describe.runIf(has('sshd'))('server over SSH', () => {
  let sshd: Sshd;
  let target: SshTarget;
  let publicKey: string;
  beforeAll(async () => {
    sshd = await startSshd();
    const key = join(newFolder('key'), 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    publicKey = readFileSync(`${key}.pub`, 'utf8').trim();
    sshd.allow(publicKey);
    const privateKey = readFileSync(key, 'utf8');
    target = { host: '127.0.0.1', port: sshd.port, user: sshd.user, privateKey, reach: 'private' };
  });
  afterAll(() => sshd?.stop());
  const connect = async (changes: Partial<SshTarget> = {}) => {
    const connection = await connectSsh({ ...target, ...changes }, { deadlineMs: 10_000 });
    onTestFinished(() => connection.close());
    return connection;
  };

  it('runs a program with exactly the given arguments', async () => {
    const connection = await connect();
    expect(await run(connection, ['sh', '-c', 'echo out; echo err >&2; exit 7'])).toEqual({
      code: 7,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    const argument = string({ unit: 'binary', maxLength: 40 }).filter((each) => !each.includes('\0'));
    const hostile = constantFrom("'", "';id;'", '$(id)', '`id`', '\\', '\n', '-n', '~', '*', '!!', '"', '');
    await assert(
      asyncProperty(array(oneof(argument, hostile), { maxLength: 5 }), async (given) => {
        const wanted = given.map((each) => each.toWellFormed());
        const { stdout } = await run(connection, ['printf', '%s\\0', ...wanted]);
        expect(stdout).toBe(wanted.length ? wanted.map((each) => `${each}\0`).join('') : '\0');
      }),
      { numRuns: 30 },
    );
    await expect(run(connection, ['echo', 'a\0b'])).rejects.toThrow('NUL');
  });

  it('reads its input, and ends an aborted command', async () => {
    const connection = await connect();
    let printed = '';
    const input = Readable.from(['some ', 'input']);
    await connection.exec(['cat'], { signal: never, input, onOutput: (_, chunk) => (printed += chunk) });
    expect(printed).toBe('some input');
    const stop = new AbortController();
    const began = Date.now();
    const running = run(connection, ['sleep', '300'], stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 200);
    await expect(running).rejects.toThrow('enough');
    expect(Date.now() - began).toBeLessThan(5_000);
    expect((await run(connection, ['echo', 'still here'])).stdout).toBe('still here\n');
  });

  it('gets the exit of a command that ends at once', async () => {
    const connection = await connect();
    for (let round = 0; round < 20; round++) expect(await run(connection, ['exec', 'true'])).toMatchObject({ code: 0 });
  });

  it('connects to a socket of the server', async () => {
    const path = join(mkdtempSync('/tmp/mooring-socket-'), 's');
    const server = createServer((socket) => socket.end('from the socket')).listen(path);
    onTestFinished(() => void server.close());
    expect(await text(await (await connect()).openSocket(path))).toBe('from the socket');
    await expect((await connect()).openSocket('/nowhere')).rejects.toThrow();
  });

  it('explains why authentication failed', async () => {
    const other = join(newFolder('key'), 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'secret', '-f', other]);
    const privateKey = readFileSync(other, 'utf8');
    await expect(connect({ privateKey, passphrase: 'secret' })).rejects.toMatchObject({ code: 'auth_failed' });
    await expect(connect({ privateKey, passphrase: 'wrong' })).rejects.toMatchObject({ code: 'bad_key' });
    await expect(connect({ privateKey: 'no key' })).rejects.toMatchObject({ code: 'bad_key' });
    await expect(connect({ port: 1 })).rejects.toMatchObject({ code: 'unreachable' });
    await expect(connect({ reach: 'public' })).rejects.toMatchObject({ code: 'refused' });
    await expect(connect({ host: 'no-such-name.invalid' })).rejects.toMatchObject({ code: 'not_found' });
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const began = Date.now();
    await expect(connectSsh({ ...target, port }, { deadlineMs: 500 })).rejects.toMatchObject({ code: 'timeout' });
    expect(Date.now() - began).toBeLessThan(3_000);
  });

  it('recognizes the server, and rejects a changed host key', async () => {
    const { hostKey } = await connect();
    expect(hostKey).toMatch(/^ssh-ed25519 AAAA/);
    expect((await connect({ hostKey })).hostKey).toBe(hostKey);
    await sshd.changeHostKey();
    await expect(connect({ hostKey })).rejects.toMatchObject({ code: 'host_key_changed' });
  });

  it('recognizes a server that has an additional type of host key', async () => {
    const file = join(newFolder('host-key'), 'rsa');
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', file]);
    const several = await startSshd({ more: [`HostKey ${file}`] });
    onTestFinished(() => several.stop());
    const port = several.port;
    await expect(connect({ port })).rejects.toMatchObject({ code: 'auth_failed' });
    const [type, base64] = readFileSync(`${file}.pub`, 'utf8').split(' ');
    await expect(connect({ port, hostKey: `${type} ${base64}` })).rejects.toMatchObject({ code: 'auth_failed' });
    const other = `${type} ${base64!.replace(/.{8}$/, 'AAAAAAAA')}`;
    await expect(connect({ port, hostKey: other })).rejects.toMatchObject({ code: 'host_key_changed' });
  });

  it('rejects a public key, and a key with too many rounds', async () => {
    const file = join(newFolder('key'), 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-a', '130', '-N', 'x', '-f', file]);
    const trying = (path: string) => connect({ privateKey: readFileSync(path, 'utf8'), passphrase: 'x' });
    await expect(trying(`${file}.pub`)).rejects.toThrow('it is a public key');
    await expect(trying(file)).rejects.toThrow('uses 130 rounds');
  });

  it.each(['ed25519', 'rsa', 'ecdsa'])(
    'authenticates with an encrypted %s key without blocking the event loop',
    async (type) => {
      const file = join(newFolder('key'), 'id');
      execFileSync('ssh-keygen', ['-q', '-t', type, '-a', '32', '-N', 'opens it', '-C', 'a comment', '-f', file]);
      const publicHalf = readFileSync(`${file}.pub`, 'utf8').trim();
      const privateKey = readFileSync(file, 'utf8');
      sshd.allow(publicHalf);
      const ticks = monitorEventLoopDelay({ resolution: 5 });
      ticks.enable();
      const began = Date.now();
      expect((await openPrivateKey(privateKey, 'opens it')).publicHalf).toBe(publicHalf);
      const tookMs = Date.now() - began;
      ticks.disable();
      // It takes long, or the test proved nothing.
      expect(tookMs).toBeGreaterThan(100);
      expect(ticks.max / 1e6).toBeLessThan(tookMs / 2);
      await connect({ privateKey, passphrase: 'opens it' });
      await expect(connect({ privateKey, passphrase: 'does not' })).rejects.toMatchObject({ code: 'bad_key' });
    },
  );

  it('converts cipher keys once, and again after rekeying', async () => {
    const changing = await startSshd({ more: ['RekeyLimit 1M'] });
    onTestFinished(() => changing.stop());
    changing.allow(publicKey);
    const client = new ssh2.Client();
    onTestFinished(() => void client.end());
    reuseKeyObjects(client);
    client.connect({ host: '127.0.0.1', port: changing.port, username: target.user, privateKey: target.privateKey! });
    await once(client, 'ready');
    type Inner = { _protocol: { _cipher: { _encKey: unknown }; _decipher: { _decipherKey: unknown } } };
    const keys = () => {
      const { _cipher, _decipher } = (client as unknown as Inner)._protocol;
      return [_cipher._encKey, _decipher._decipherKey];
    };
    const first = keys();
    expect(first.every((key) => key instanceof KeyObject)).toBe(true);
    const printed = await new Promise<Readable>((resolve, reject) =>
      client.exec('head -c 5000000 /dev/zero', (error, channel) => (error ? reject(error) : resolve(channel))),
    );
    expect(await buffer(printed)).toEqual(Buffer.alloc(5_000_000));
    expect(keys().every((key) => key instanceof KeyObject && !first.includes(key))).toBe(true);
  });

  it('shares one connection, and opens another when it was lost', async () => {
    const pool = new SshPool();
    onTestFinished(() => pool.close());
    const pidOf = () => pool.use('srv', target, async (each) => (await run(each, ['sh', '-c', 'echo $PPID'])).stdout);
    const [first, second] = await Promise.all([pidOf(), pidOf()]);
    expect(second).toBe(first);
    const lost = pool.use('srv', target, (each) => run(each, ['sh', '-c', 'kill -9 $PPID; sleep 5']));
    await expect(lost).rejects.toMatchObject({ code: 'lost' });
    expect(await pidOf()).not.toBe(first);
    const went = pool.use('srv', target, (each) => run(each, ['sh', '-c', 'sleep 1; echo went on']));
    pool.forget('srv');
    expect((await went).stdout).toBe('went on\n');
  });
});
