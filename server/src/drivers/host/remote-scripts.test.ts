import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, constantFrom, dictionary, oneof, property, string, stringMatching } from 'fast-check';
import { until } from '../../../test/rig/until.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../test/rig/children.ts';
import { newCanary } from '../../../test/rig/odd-input.ts';
import { readProcess, wasStartedWith } from './processes.ts';
import { endScript, launchScript } from './remote-scripts.ts';

/** Shells used as `sh`; BusyBox with its own tools, as on Alpine. */
const shells = ['/bin/dash', '/bin/bash', '/usr/bin/busybox'].filter(existsSync);

function shellOf(file: string): { argv: string[]; env: Record<string, string> } {
  if (!file.endsWith('busybox')) return { argv: [file, '-s'], env: {} };
  const folder = newFolder('busybox');
  for (const name of execFileSync(file, ['--list'], { encoding: 'utf8' }).split('\n').filter(Boolean))
    symlinkSync(file, join(folder, name));
  return { argv: [file, 'sh', '-s'], env: { PATH: folder } };
}

describe.each(shells)('scripts for another server, run by %s', (file) => {
  const { argv, env: own } = shellOf(file);
  const run = (input: string) => spawnSync(argv[0]!, argv.slice(1), { input, env: own, encoding: 'utf8' });
  const canary = newCanary();

  it('pass arguments, variables and the folder exactly, and evaluate nothing', () => {
    const text = string({ unit: 'binary', maxLength: 30 }).map((each) => each.toWellFormed().replaceAll('\0', ''));
    const hostile = oneof(constantFrom(...canary.values, "'", '\\', '-n', '--', '', '\n', '$', '~'), text);
    const names = stringMatching(/^X_[A-Za-z0-9_]{1,8}$/);
    assert(
      property(
        array(hostile, { maxLength: 4 }),
        dictionary(names, hostile, { maxKeys: 3 }),
        hostile,
        (args, env, odd) => {
          const cwd = join(newFolder('odd'), `a ${odd.replaceAll(/[/\0]/g, '').slice(0, 60)}b`);
          mkdirSync(cwd);
          const program = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env, process.cwd()]))';
          const command = { work: 'w', file: process.execPath, args: ['-e', program, '--', ...args], cwd, env };
          const { stdout, stderr } = run(launchScript(command, 'nonce'));
          expect(stderr).toMatch(/^nonce pid \d+ \d+\nnonce go\n$/);
          const [gotArgs, gotEnv, gotCwd] = JSON.parse(stdout) as [string[], Record<string, string>, string];
          expect([gotArgs, gotCwd]).toEqual([args, cwd]);
          expect(gotEnv).toMatchObject(env);
        },
      ),
      { numRuns: 25 },
    );
    expect(canary.isAlive()).toBe(true);
  });

  it('report what is missing', () => {
    const command = { work: 'w', file: 'true', args: [], cwd: '/', env: {} };
    expect(run(launchScript({ ...command, cwd: '/no/such' }, 'n')).stderr).toMatch(/\nn cwd\n$/);
    expect(run(launchScript({ ...command, file: '/no/such' }, 'n')).stderr).toMatch(/\nn file\n$/);
  });

  it('end processes with the marker and their descendants, and nothing else', async () => {
    // Searched for on the whole machine, where other tests run too.
    const work = `dep_${process.pid}_1`;
    const forever = 'while :; do sleep 0.1; done';
    const start = (script: string, work?: string) => {
      const env = { PATH: '/usr/bin:/bin', ...(work && { MOORING_WORK: work }) };
      const child = spawnRecorded('/bin/sh', ['-c', script], { env, stdio: 'ignore', detached: true });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const own = [
      start(forever, `${work}/build/aa`),
      start(`trap '' TERM; ${forever}`, `${work}/build/bb`),
      // A descendant with a cleared environment.
      start(`env -i /bin/sh -c '${forever}'; true`, `${work}/check/cc`),
    ];
    const others = [start(forever, `${work}0/build/aa`), start(forever), start(forever, `x MOORING_WORK=${work}/y`)];
    for (const { pid } of [...own, ...others.slice(0, 1)])
      await until('it has begun', () => wasStartedWith(pid!, `MOORING_WORK=${work}`));
    const ended = run(endScript(`MOORING_WORK=${work}/`, undefined, 500));
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    expect(Number(ended.stdout)).toBeGreaterThanOrEqual(own.length);
    await Promise.all(own.map(exited));
    expect(others.map(({ pid }) => readProcess(pid!) !== undefined)).toEqual([true, true, true]);
    expect(run(endScript(`MOORING_WORK=${work}/`, undefined, 500)).stdout).toBe('0\n');
  });

  it('end the session of a leader, but not that of another process with its pid', async () => {
    const script = `env -i setsid --fork true; env -i sleep 60 & exit`;
    const child = spawnRecorded('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
    const startTime = readProcess(child.pid!)?.startTime ?? '1';
    await exited(child);
    const leader = { pid: String(child.pid), startTime };
    expect(run(endScript('MOORING_WORK=none', leader, 500)).stdout).toBe('1\n');
    const living = spawnRecorded('/bin/sleep', ['60'], { stdio: 'ignore', detached: true });
    onTestFinished(() => void living.kill('SIGKILL'));
    const wrong = { pid: String(living.pid), startTime: '1' };
    expect(run(endScript('MOORING_WORK=none', wrong, 500)).stdout).toBe('0\n');
  });
});
