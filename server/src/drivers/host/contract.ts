import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newFolder, startTime } from '../../../test/rig/children.ts';
import { until } from '../../../test/rig/until.ts';
import type { Command, Exit, Host } from './host.ts';
import { readProcess } from './processes.ts';

/** A way to reach this machine, so that the suite can inspect the processes. */
export interface HostRig {
  host: Host;
  /** Extra time for start and end compared to a local host. */
  slackMs: number;
  /** Starts the command through another process, and returns a function that kills that process. */
  abandon(command: Command): Promise<() => Promise<void>>;
}

/** Behavior of every host. */
export function hostContract(name: string, rig: () => HostRig): void {
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
    const folder = openFolder();
    const env = { PATH: '/usr/bin:/bin' };
    const exit: Promise<Exit & { ms: number }> = rig()
      .host.exec(
        { work: 'test', file: '/bin/sh', args: ['-c', script], cwd: folder, env, ...command },
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
    const pidIn = (name: string) => pidInFile(join(folder, name));
    return {
      exit,
      output,
      abort: () => controller.abort(),
      folder,
      pidIn,
      text: () => output.map((o) => o.text).join(''),
    };
  }

  const openFolder = () => {
    const folder = newFolder('host');
    // Commands may run as another user.
    chmodSync(folder, 0o777);
    return folder;
  };

  async function pidInFile(file: string): Promise<number> {
    const pid = await until(`${file} is written`, () => Number(readFileSync(file, 'utf8')));
    pids.add(pid);
    return pid;
  }

  const gone = (pid: number) => until(`${pid} is gone`, () => !startTime(pid) || isZombie(pid), 3000);
  const isZombie = (pid: number) => existsSync(`/proc/${pid}`) && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

  describe(`${name} host`, () => {
    it('runs a command with exactly the given environment and returns its exit code', async () => {
      const { exit, output } = run('env; echo oops >&2; exit 7', { env: { PATH: '/usr/bin:/bin', ONE: 'a\nb $(id)' } });
      expect(await exit).toMatchObject({ code: 7, signal: null, timedOut: false });
      expect(output.find(({ stream }) => stream === 'stderr')!.text).toBe('oops\n');
      const env = output.find(({ stream }) => stream === 'stdout')!.text;
      const shellsOwn = /^(PWD|OLDPWD|SHLVL|_)=.*\n/gm;
      expect(env.replaceAll(shellsOwn, '').split('\n').toSorted()).toEqual([
        '',
        expect.stringMatching(/^MOORING_WORK=test\/[0-9a-f]{16}$/),
        'ONE=a',
        'PATH=/usr/bin:/bin',
        'b $(id)',
      ]);
    });

    it('passes arguments without shell expansion', async () => {
      const args = ['%s|', '$(touch pwned)', '; id', '-n', 'a\nb', ''];
      const { exit, text, folder } = run('', { file: '/usr/bin/printf', args });
      expect(await exit).toMatchObject({ code: 0 });
      expect(text()).toBe('$(touch pwned)|; id|-n|a\nb||');
      expect(existsSync(join(folder, 'pwned'))).toBe(false);
    });

    it('streams output as it arrives and provides no input', async () => {
      const { exit, output } = run('echo first; cat; sleep 0.5; echo second');
      await exit;
      expect(output.map(({ text }) => text)).toEqual(['first\n', 'second\n']);
      expect(output[1]!.at - output[0]!.at).toBeGreaterThan(300);
    });

    it('ends the command and its children on abort', async () => {
      const { exit, abort, pidIn } = run('sleep 60 & echo $! > child; wait');
      const child = await pidIn('child');
      abort();
      expect(await exit).toMatchObject({ signal: 'SIGTERM', timedOut: false });
      await gone(child);
    });

    it('kills processes that ignore SIGTERM at the deadline', async () => {
      const script = `trap '' TERM; (trap '' TERM; echo $$ > self; while :; do sleep 0.1; done) & echo $! > child; wait`;
      const { exit, pidIn } = run(script, { deadlineMs: 500 });
      const child = await pidIn('child');
      const result = await exit;
      expect(result).toMatchObject({ signal: 'SIGKILL', timedOut: true });
      expect(result.ms).toBeLessThan(6000 + rig().slackMs);
      await gone(child);
    });

    it('returns when the command exits, even if a child holds the pipe', async () => {
      const { exit, pidIn } = run('sleep 60 & echo $! > child; echo done');
      const result = await exit;
      expect(result).toMatchObject({ code: 0, timedOut: false });
      expect(result.ms).toBeLessThan(2000 + rig().slackMs);
      await gone(await pidIn('child'));
    });

    it('does not start a command that was already aborted', async () => {
      const controller = new AbortController();
      controller.abort();
      const command = { work: 'test', file: '/bin/false', args: [], cwd: '/', env: {} };
      const options = { onOutput: () => {}, signal: controller.signal, deadlineMs: 1000 };
      expect(await rig().host.exec(command, options)).toMatchObject({ code: null, signal: 'SIGTERM' });
    });

    it('names a program that cannot run and rethrows errors of the output handler', async () => {
      await expect(run('', { file: '/no/such/program' }).exit).rejects.toThrow(
        /no\/such\/program.*(ENOENT|does not exist)/,
      );
      await expect(run('true', { cwd: '/no/such/folder' }).exit).rejects.toThrow(/ENOENT|does not exist/);
      const onOutput = () => {
        throw new Error('the reader is full');
      };
      await expect(run('echo x; sleep 60', { onOutput }).exit).rejects.toThrow('the reader is full');
    });
  });

  describe(`daemon of a command on a ${name} host`, () => {
    const forever = 'while :; do sleep 0.1; done';
    const deaf = `trap "" TERM; ${forever}`;
    /** A daemon in its own group and session, without any of our descriptors. */
    const daemon = (name: string, script = 'exec sleep 60') =>
      `setsid nohup sh -c '${script}' > /dev/null 2>&1 & echo $! > ${name};`;
    const alive = (pid: number) => readProcess(pid) !== undefined;

    it('is killed when the command exits', async () => {
      const { exit, pidIn } = run(
        `${daemon('one')} (${daemon('two', deaf)}); setsid sleep 60 & echo $! > three; exit 3`,
      );
      const { code, ms } = await exit;
      expect(code).toBe(3);
      for (const name of ['one', 'two', 'three']) expect(alive(await pidIn(name)), name).toBe(false);
      expect(ms).toBeLessThan(2000 + rig().slackMs);
    });

    it('is found while it is still detaching', async () => {
      for (let round = 0; round < 15; round++) {
        const work = `round_${process.pid}/${round}`;
        const script = `( ( setsid sh -c '(setsid sh -c "(setsid sleep 60 &)" &)' & ) & ) > /dev/null 2>&1`;
        await run(script, { work }).exit;
        await new Promise((resolve) => setTimeout(resolve, 30));
        expect(await rig().host.endWork(work), work).toBe(0);
      }
    });

    it('gets SIGTERM on abort, and is killed if it ignores it', async () => {
      const polite = `trap "echo bye > bye; exit" TERM; echo > ready; ${forever}`;
      const { exit, abort, pidIn, folder } = run(`${daemon('polite', polite)} ${daemon('deaf', deaf)} wait`);
      const both = [await pidIn('polite'), await pidIn('deaf')];
      await until('it listens', () => existsSync(join(folder, 'ready')));
      abort();
      const { signal, ms } = await exit;
      expect([signal, ...both.map(alive)]).toEqual(['SIGTERM', false, false]);
      expect(readFileSync(join(folder, 'bye'), 'utf8')).toBe('bye\n');
      expect(ms).toBeLessThan(6000 + rig().slackMs);
    });

    it('is killed at the deadline and when the output handler fails', async () => {
      const late = run(`${daemon('child')} wait`, { deadlineMs: 300 });
      expect(await late.exit).toMatchObject({ timedOut: true });
      expect(alive(await late.pidIn('child'))).toBe(false);
      const onOutput = () => {
        throw new Error('the reader is full');
      };
      const unread = run(`${daemon('child')} echo x; wait`, { onOutput });
      await expect(unread.exit).rejects.toThrow('the reader is full');
      expect(alive(await unread.pidIn('child'))).toBe(false);
    });

    it('survives the end of another command with the same work', async () => {
      const long = run(`${daemon('child')} wait`, { work: 'dep_1/build' });
      const child = await long.pidIn('child');
      const short = run(daemon('child'), { work: 'dep_1/build' });
      await short.exit;
      expect([alive(child), alive(await short.pidIn('child'))]).toEqual([true, false]);
    });

    it('is found by its work after the service was killed', async () => {
      const start = async (work: string) => {
        const folder = openFolder();
        const args = ['-c', `${daemon('daemon')} echo $$ > self; sleep 60`];
        const command = { work, file: '/bin/sh', args, cwd: folder, env: { PATH: '/usr/bin:/bin' } };
        const disappear = await rig().abandon(command);
        const found = [await pidInFile(join(folder, 'self')), await pidInFile(join(folder, 'daemon'))];
        await disappear();
        return found;
      };
      // Work is searched for on the whole machine, where other tests run too.
      const work = `dep_${process.pid}_1`;
      const [own, other] = [await start(`${work}/build`), await start(`${work}0/build`)];
      expect(own.map(alive), 'neither hears of the kill').toEqual([true, true]);
      const all = ['the shell', 'its sleep', 'the daemon'].length;
      expect(await rig().host.endWork(work)).toBe(all);
      expect([...own, ...other].map(alive)).toEqual([false, false, true, true]);
      expect(await rig().host.endWork(work)).toBe(0);
      expect(await rig().host.endWork(`${work}0/build`)).toBe(all);
      expect(other.map(alive)).toEqual([false, false]);
    });
  });
}
