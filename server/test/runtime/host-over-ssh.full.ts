import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { has } from '../rig/parts.ts';
import { startSshd, type Sshd } from '../rig/sshd.ts';
import { until } from '../rig/until.ts';
import { connectSsh } from '../../src/drivers/ssh/connect.ts';
import { SshPool } from '../../src/drivers/ssh/pool.ts';
import type { SshTarget } from '../../src/drivers/ssh/ssh.ts';
import { hostContract } from '../../src/drivers/host/contract.ts';
import type { Command } from '../../src/drivers/host/host.ts';
import { allProcesses, wasStartedWith } from '../../src/drivers/host/processes.ts';
import { runRemote } from '../../src/drivers/host/remote-command.ts';
import { sshHost, type SshHost } from '../../src/drivers/host/ssh.ts';

const person = { name: 'harbour', uid: 61_501, password: 'correct horse' };
const never = new AbortController().signal;

describe.runIf(has('sshd'))('over SSH', () => {
  let sshd: Sshd;
  let target: SshTarget;
  let host: SshHost;
  const pool = new SshPool();
  beforeAll(async () => {
    sshd = await startSshd({ people: [person] });
    const { name: user, password } = person;
    target = { host: '127.0.0.1', port: sshd.port, user, password, reach: 'private' };
    host = sshHost((task, options) => pool.use('srv', target, task, options));
  });
  afterEach(() => pool.forget('srv'));
  afterAll(async () => {
    pool.close();
    await sshd?.stop();
  });
  const folderOf = () => {
    const folder = newFolder('remote');
    chmodSync(folder, 0o777);
    return folder;
  };
  const command = (script: string, changes: Partial<Command> = {}): Command => ({
    work: 'test',
    file: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    ...changes,
  });
  const run = (wanted: Command) => {
    let printed = '';
    const onOutput = (_: string, chunk: Buffer) => (printed += chunk.toString());
    return host.exec(wanted, { onOutput, signal: never, deadlineMs: 20_000 }).then((exit) => ({ ...exit, printed }));
  };

  // Drops the connection, with everything that belongs to it here.
  const abandon = async (wanted: Command) => {
    const connection = await connectSsh(target, { deadlineMs: 10_000 });
    const running = runRemote(connection, wanted, { onOutput: () => {}, signal: never, deadlineMs: 60_000 });
    const lost = expect(running).rejects.toMatchObject({ code: 'lost' });
    return async () => {
      connection.close();
      await lost;
    };
  };

  hostContract('ssh', () => ({ host, slackMs: 10_000, abandon }));

  it('keeps variables out of process arguments', async () => {
    const secret = `secret-${Math.random()}`;
    const script = 'cat /proc/[0-9]*/cmdline > seen 2>/dev/null; grep -c "$KEY" seen; echo "$KEY"';
    const env = { PATH: '/usr/bin:/bin', KEY: secret };
    const { printed } = await run(command(script, { cwd: folderOf(), env }));
    expect(printed).toBe(`0\n${secret}\n`);
  });

  it('reports a connection lost during a command', async () => {
    const running = run(command('sleep 30', { work: 'lost' }));
    const lost = expect(running).rejects.toMatchObject({
      code: 'lost',
      message: expect.stringContaining('lost') as string,
    });
    await until('it runs', () => allProcesses().some(({ pid }) => wasStartedWith(pid, 'MOORING_WORK=lost/')));
    await pool.use('srv', target, async (connection) => connection.close());
    await lost;
    expect(await host.endWork('lost')).toBeGreaterThan(0);
  });

  it('rejects operations that are not possible on another machine', async () => {
    await expect(run(command('true', { sandbox: { processLimit: 9 } }))).rejects.toThrow('the user of the connection');
    await expect(run(command('true', { env: { 'A-B': 'x' } }))).rejects.toThrow('A-B');
    await expect(run(command('true', { args: ['a\0b'] }))).rejects.toThrow('NUL');
  });

  it('reports a machine that runs no commands', async () => {
    const strict = await startSshd({ people: [person], more: ['ForceCommand internal-sftp'] });
    onTestFinished(() => strict.stop());
    const there = sshHost((task, options) => pool.use('strict', { ...target, port: strict.port }, task, options));
    onTestFinished(() => pool.forget('strict'));
    const options = { onOutput: () => {}, signal: never, deadlineMs: 5000 };
    await expect(there.exec(command('true'), options)).rejects.toThrow('runs no commands');
  });

  it('times out on a machine where commands never start', async () => {
    const hanging = await startSshd({ people: [person], more: ['ForceCommand sleep 60'] });
    onTestFinished(() => hanging.stop());
    const there = sshHost((task, options) => pool.use('hanging', { ...target, port: hanging.port }, task, options));
    onTestFinished(() => pool.forget('hanging'));
    const began = Date.now();
    await expect(there.exec(command('true'), { onOutput: () => {}, signal: never, deadlineMs: 300 })).rejects.toThrow();
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('runs more commands concurrently than a connection has sessions', async () => {
    const exits = await Promise.all(Array.from({ length: 15 }, (_, i) => run(command(`sleep 0.1; echo ${i}`))));
    expect(exits.map(({ printed }) => Number(printed))).toEqual(exits.map((_, i) => i));
  });

  it('forwards to a socket', async () => {
    const path = join(folderOf(), 's');
    const server = createServer((socket) => socket.end('from the socket')).listen(path, () => chmodSync(path, 0o777));
    onTestFinished(() => void server.close());
    await until('it listens', () => existsSync(path));
    expect(await text(await host.openSocket(path))).toBe('from the socket');
    await expect(host.openSocket('/nowhere')).rejects.toThrow();
  });

  it('writes, reads and removes files', async () => {
    const { files } = host;
    const folder = folderOf();
    const odd = join(folder, "a b/$(id)/'x'/é");
    await files.makeFolder(odd);
    await files.makeFolder(odd);
    const file = join(odd, 'file');
    await files.write(file, Buffer.from('one'));
    await files.write(file, Readable.from(['two ', 'parts']), { mode: 0o640 });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two parts', 0o640]);
    expect((await files.read(file, { mostBytes: 100 })).toString()).toBe('two parts');
    await expect(files.read(file, { mostBytes: 5 })).rejects.toThrow('more than 5 bytes');
    await expect(files.read(join(odd, 'none'), { mostBytes: 5 })).rejects.toThrow('No such file');
    const failing = Readable.from(
      (function* () {
        yield 'half';
        throw new Error('the source broke');
      })(),
    );
    await expect(files.write(file, failing)).rejects.toThrow('the source broke');
    expect(readFileSync(file, 'utf8')).toBe('two parts');
    await expect(files.makeFolder(join(file, 'below'))).rejects.toThrow();
    await expect(files.write('/etc/mooring-test', Buffer.from('x'))).rejects.toThrow('Permission denied');
  });

  it('removes a tree without following its symlinks', async () => {
    const [folder, outside] = [folderOf(), folderOf()];
    writeFileSync(join(outside, 'kept'), 'x');
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    chmodSync(tree, 0o777);
    symlinkSync(outside, join(tree, 'link'));
    await host.files.makeFolder(join(tree, 'deep/er'));
    await host.files.write(join(tree, 'deep/er/file'), Buffer.from('x'));
    await host.files.remove(tree);
    expect([existsSync(tree), existsSync(join(outside, 'kept'))]).toEqual([false, true]);
    await host.files.remove(tree);
  });
});
