import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newFolder, startTime } from '../../../test/rig/children.ts';
import { until } from '../../../test/rig/until.ts';
import type { Command, Exit } from './host.ts';
import { localHost } from './local.ts';

const started: AbortController[] = [];
const pids = new Set<number>();
afterEach(() => {
  for (const each of started.splice(0)) each.abort();
  for (const pid of pids) if (startTime(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
});

function run(script: string, changes: Partial<Command & { deadlineMs: number; onOutput(): void }> = {}) {
  const { deadlineMs = 20_000, onOutput, ...command } = changes;
  const controller = new AbortController();
  started.push(controller);
  const output: { stream: string; text: string; at: number }[] = [];
  const began = Date.now();
  const folder = newFolder('local');
  const exit: Promise<Exit & { ms: number }> = localHost()
    .exec(
      { file: '/bin/sh', args: ['-c', script], cwd: folder, env: { PATH: '/usr/bin:/bin' }, ...command },
      {
        onOutput: (stream, chunk) => {
          output.push({ stream, text: chunk.toString(), at: Date.now() - began });
          onOutput?.();
        },
        signal: controller.signal,
        deadlineMs,
      },
    )
    .then((result) => ({ ...result, ms: Date.now() - began }));
  const pidIn = async (name: string) => {
    const pid = await until(`${name} is written`, () => Number(readFileSync(join(folder, name), 'utf8')));
    pids.add(pid);
    return pid;
  };
  return {
    exit,
    output,
    abort: () => controller.abort(),
    folder,
    pidIn,
    text: () => output.map((o) => o.text).join(''),
  };
}

const gone = (pid: number) => until(`${pid} is gone`, () => !startTime(pid) || isZombie(pid), 3000);
const isZombie = (pid: number) => existsSync(`/proc/${pid}`) && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('local host', () => {
  it('runs a command in exactly its environment, and tells its exit', async () => {
    const { exit, output } = run('env; echo oops >&2; exit 7', { env: { PATH: '/usr/bin:/bin', ONE: 'a\nb $(id)' } });
    expect(await exit).toMatchObject({ code: 7, signal: null, timedOut: false });
    expect(output.find(({ stream }) => stream === 'stderr')!.text).toBe('oops\n');
    const env = output.find(({ stream }) => stream === 'stdout')!.text;
    const shellsOwn = /^(PWD|OLDPWD|SHLVL|_)=.*\n/gm;
    expect(env.replaceAll(shellsOwn, '').split('\n').toSorted()).toEqual([
      '',
      'ONE=a',
      'PATH=/usr/bin:/bin',
      'b $(id)',
    ]);
  });

  it('arguments stay arguments', async () => {
    const args = ['%s|', '$(touch pwned)', '; id', '-n', 'a\nb', ''];
    const { exit, text, folder } = run('', { file: '/usr/bin/printf', args });
    expect(await exit).toMatchObject({ code: 0 });
    expect(text()).toBe('$(touch pwned)|; id|-n|a\nb||');
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('gives output as it comes, and no input', async () => {
    const { exit, output } = run('echo first; cat; sleep 0.5; echo second');
    await exit;
    expect(output.map(({ text }) => text)).toEqual(['first\n', 'second\n']);
    expect(output[1]!.at - output[0]!.at).toBeGreaterThan(300);
  });

  it('abort ends the command and what it has started', async () => {
    const { exit, abort, pidIn } = run('sleep 60 & echo $! > child; wait');
    const child = await pidIn('child');
    abort();
    expect(await exit).toMatchObject({ signal: 'SIGTERM', timedOut: false });
    await gone(child);
  });

  it('the deadline ends also what does not listen', async () => {
    const script = `trap '' TERM; (trap '' TERM; echo $$ > self; while :; do sleep 0.1; done) & echo $! > child; wait`;
    const { exit, pidIn } = run(script, { deadlineMs: 500 });
    const child = await pidIn('child');
    const result = await exit;
    expect(result).toMatchObject({ signal: 'SIGKILL', timedOut: true });
    expect(result.ms).toBeLessThan(6000);
    await gone(child);
  });

  it('is over when the command is over, whoever holds the pipe', async () => {
    const { exit, pidIn } = run('sleep 60 & echo $! > child; echo done');
    const result = await exit;
    expect(result).toMatchObject({ code: 0, timedOut: false });
    expect(result.ms).toBeLessThan(2000);
    await gone(await pidIn('child'));
  });

  it('is not even started when it was aborted before', async () => {
    const controller = new AbortController();
    controller.abort();
    const command = { file: '/bin/false', args: [], cwd: '/', env: {} };
    const options = { onOutput: () => {}, signal: controller.signal, deadlineMs: 1000 };
    expect(await localHost().exec(command, options)).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('says what cannot be run, and passes on what its reader throws', async () => {
    await expect(run('', { file: '/no/such/program' }).exit).rejects.toThrow(/no\/such\/program.*ENOENT/);
    await expect(run('true', { cwd: '/no/such/folder' }).exit).rejects.toThrow(/ENOENT/);
    const onOutput = () => {
      throw new Error('the reader is full');
    };
    await expect(run('echo x; sleep 60', { onOutput }).exit).rejects.toThrow('the reader is full');
  });

  it.runIf(process.getuid?.() === 0)('runs as another user without our groups', async () => {
    const { exit, text } = run('id -u; id -g; id -G', { user: { uid: 61_002, gid: 61_003 }, cwd: '/' });
    await exit;
    expect(text()).toBe('61002\n61003\n61003\n');
  });
});
