import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../rig/children.ts';
import { appPorts } from '../rig/ports.ts';
import { until } from '../rig/until.ts';
import {
  type ProcessRig,
  processRig,
  runningUntilEnded,
  supervisorProgram,
} from '../../src/drivers/runtime/process/process-rig.ts';
import type { ProcessRuntimeOptions } from '../../src/drivers/runtime/process/process-runtime.ts';
import {
  allProcesses,
  bootId,
  identifyChild,
  isAlive,
  readProcess,
  residentBytes,
} from '../../src/drivers/host/processes.ts';

const newRig = async (more: Partial<ProcessRuntimeOptions> = {}) => processRig(newFolder('process'), appPorts(), more);

describe('process runtime failures', () => {
  let rig: ProcessRig;
  afterEach(() => rig.close());
  const begin = async (more?: Partial<ProcessRuntimeOptions>) => (rig = await newRig(more));
  const pidPrinted = (nth = 0) => until('a pid is printed', async () => Number((await rig.lines())[nth]));
  const gone = (pid: number) => until(`${pid} is gone`, () => !readProcess(pid), 5000);

  it('the supervisor outlives a killed service, and is small', async () => {
    const { options, runtime, release } = await begin();
    const spec = release(`console.log(process.pid); ${runningUntilEnded}`, { command: 'exec node app-one.cjs' });
    const service = await startFromAnotherProcess(options, spec);
    const pid = await pidPrinted();
    // With its whole process group, as by Ctrl-C.
    process.kill(-service.pid!, 'SIGKILL');
    await exited(service);
    expect(await runtime.start(spec)).toMatchObject({ state: 'running', pid, restarts: 0 });
    expect(residentBytes(rig.record().supervisor.pid)).toBeLessThan(100e6);
  });

  it('ignores an incomplete task', async () => {
    const { folder } = await begin();
    mkdirSync(folder);
    const child = spawnRecorded(process.execPath, [supervisorProgram, folder], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin!.end('{"folder":"/tmp"');
    expect(await exited(child)).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never signals a process that has reused one of our pids', async () => {
    const { runtime, release } = await begin();
    const instance = await runtime.start(release(runningUntilEnded));
    const record = rig.record();
    await runtime.stop('dep_1', 1000);
    const innocent = identifyChild(startInnocent().pid!);
    const reused = { pid: innocent.pid, startTime: String(Number(innocent.startTime) - 1) };
    rig.setRecord({ ...record, supervisor: reused, app: reused });
    expect(await runtime.find('dep_1')).toMatchObject({ state: 'exited' });
    expect(await runtime.usage('dep_1')).toBeUndefined();
    await expect(runtime.restart('dep_1')).rejects.toThrow(/does not run/);
    await runtime.stop('dep_1', 100);
    // The same pid and start time, but before a reboot.
    rig.setRecord({ ...record, supervisor: innocent, app: innocent, bootId: 'another' });
    expect(await runtime.find('dep_1')).toMatchObject({ state: 'exited' });
    await runtime.stop('dep_1', 100);
    const again = await runtime.start(release(runningUntilEnded));
    expect(again).toMatchObject({ state: 'running', port: instance.port });
    expect(rig.record().bootId).toBe(bootId());
    await runtime.remove('dep_1');
    expect(isAlive(innocent)).toBe(true);
  });

  it('an app whose supervisor was killed is found and ended', async () => {
    const { runtime, release } = await begin();
    const spec = release(`console.log(process.pid); process.on('SIGTERM', () => {}); ${runningUntilEnded}`, {
      command: 'exec node app-one.cjs',
    });
    await runtime.start(spec);
    const first = await pidPrinted();
    process.kill(rig.record().supervisor.pid, 'SIGKILL');
    await gone(rig.record().supervisor.pid);
    const [orphan] = await runtime.list();
    expect(orphan).toMatchObject({
      state: 'running',
      pid: first,
      isOrphan: true,
      notices: [expect.stringMatching(/supervisor is gone/)],
    });
    await runtime.stop('dep_1', 300);
    expect(readProcess(first)).toBeUndefined();
    const second = await runtime.start(spec);
    expect(second).toMatchObject({ state: 'running', notices: [] });
    expect(second.isOrphan).toBeUndefined();
    process.kill(rig.record().supervisor.pid, 'SIGKILL');
    await gone(rig.record().supervisor.pid);
    // Killed before it had recorded its app: the marker finds it.
    rig.setRecord({ ...rig.record(), app: null, starts: 0, status: 'starting' });
    await runtime.stop('dep_1', 300);
    expect(readProcess(second.pid!)).toBeUndefined();
  });

  it('an app whose supervisor was killed gets another one, which adopts it as it is', async () => {
    const { runtime, release } = await begin();
    const daemon = `setInterval(() => {}, 1000)`;
    const program = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}],
      { detached: true, stdio: 'ignore' }); console.log(process.pid); console.log(child.pid); ${runningUntilEnded}`;
    const spec = release(program, { command: 'exec node app-one.cjs' });
    await runtime.start(spec);
    const [first, below] = [await pidPrinted(), await pidPrinted(1)];
    const lost = rig.record().supervisor.pid;
    process.kill(lost, 'SIGKILL');
    await gone(lost);
    await expect(runtime.restart('dep_1')).rejects.toThrow(/does not run/);
    // Writes fail, as on a full disk: it continues, and does not wait for a task.
    const inTheWay = join(rig.instanceFolder(), 'state.json.draft');
    mkdirSync(inTheWay);
    await expect(runtime.start(spec)).rejects.toThrow(/EISDIR/);
    rmdirSync(inTheWay);
    const adopted = await runtime.start(spec);
    expect(adopted).toMatchObject({ state: 'running', pid: first, restarts: 0 });
    expect(adopted.isOrphan).toBeUndefined();
    expect((await runtime.find('dep_1'))!.notices).toEqual([expect.stringMatching(/killed and replaced.*is lost/)]);
    // The supervisor that never got its task ends when it notices, which is not awaited.
    await until('one supervisor is left', () => supervisorsIn(rig.folder).length === 1);
    expect(supervisorsIn(rig.folder)).toEqual([rig.record().supervisor.pid]);
    // The second supervisor owns the same processes, including those that left the group.
    expect((await runtime.usage('dep_1'))!.memoryBytes).toBeGreaterThan(0);
    process.kill(rig.record().supervisor.pid, 'SIGKILL');
    await gone(rig.record().supervisor.pid);
    expect(await runtime.start(spec)).toMatchObject({ state: 'running', pid: first });
    process.kill(first, 'SIGKILL');
    const second = await pidPrinted(2);
    await gone(below);
    expect(await runtime.find('dep_1')).toMatchObject({ state: 'running', pid: second, restarts: 1, notices: [] });
    process.kill(rig.record().supervisor.pid, 'SIGKILL');
    await gone(rig.record().supervisor.pid);
    await runtime.start(spec);
    const restarted = await runtime.restart('dep_1');
    expect(restarted.port).toBe(adopted.port);
    expect(restarted.pid).not.toBe(second);
    await runtime.stop('dep_1', 500);
    expect([second, restarted.pid!].map(readProcess)).toEqual([undefined, undefined]);
  });

  it('kills processes that left the group and ignore signals', async () => {
    const { runtime, release } = await begin();
    const daemon = `process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000)`;
    const program = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}],
      { detached: true, stdio: 'ignore' }); child.unref(); console.log(child.pid);`;
    await runtime.start(release(`${program} ${runningUntilEnded}`));
    const pid = await pidPrinted();
    await runtime.stop('dep_1', 500);
    expect(readProcess(pid)).toBeUndefined();
    // An app that forks and exits: its children would hold the port, so they are killed before the next start.
    await runtime.start(release(program, { owner: { fence: 2 } }));
    const left = await pidPrinted(1);
    await gone(left);
    await until('it is started again', async () => (await runtime.find('dep_1'))!.restarts >= 1);
    await runtime.stop('dep_1', 500);
    // Without marker and parent, only the process group identifies it.
    const command = 'env -i /bin/sleep 60 & echo $!; exit 0';
    const before = (await rig.lines()).length;
    await runtime.start({ ...release('', { owner: { fence: 3 } }), command });
    await gone(await pidPrinted(before));
  });

  it('restarts with backoff, and a stop during a pause takes effect', async () => {
    const { runtime, release } = await begin({ limits: { firstPauseMs: 100, longestPauseMs: 5000 } });
    await runtime.start(release('console.log(Date.now()); process.exit(1)'));
    const times = await until('it has run five times', async () => {
      const seen = (await rig.lines()).map(Number);
      expect(seen.length).toBeGreaterThanOrEqual(5);
      return seen;
    });
    expect(times[4]! - times[3]!).toBeGreaterThanOrEqual(800);
    await until('it is in a pause', async () => {
      const { state, restarts } = (await runtime.find('dep_1'))!;
      return state === 'restarting' && restarts >= 4;
    });
    const began = Date.now();
    await runtime.stop('dep_1', 10_000);
    expect(Date.now() - began).toBeLessThan(1500);
    expect(await runtime.find('dep_1')).toMatchObject({ state: 'exited', exitCode: 1 });
  });

  it('kills an app that exceeds its memory limit', async () => {
    const { runtime, release } = await begin({ limits: { memoryCheckMs: 200 } });
    const program = `globalThis.held = []; setInterval(() => held.push(Buffer.alloc(20e6, 1)), 50)`;
    await runtime.start(release(program, { memoryBytes: 200e6 }));
    const seen = await until('it was restarted', async () => {
      const found = (await runtime.find('dep_1'))!;
      expect(found.restarts).toBeGreaterThan(0);
      return found;
    });
    expect(seen.notices).toEqual([
      expect.stringMatching(/stopped for using too much memory once; the limit is 191 MB/),
    ]);
    expect(await rig.lines()).toContainEqual(expect.stringMatching(/\[mooring\] stopped: it used \d+ MB of memory/));
  });

  it('handles the maximum number of secrets', async () => {
    const { runtime, release } = await begin();
    const keys = Array.from({ length: 400 }, (_, i) => `SECRET_${i}`);
    const env = Object.fromEntries(keys.map((key, i) => [key, `${i} "ü/${'💥é'.repeat(350)}`]));
    const program = `console.log('last', process.env.SECRET_399); ${runningUntilEnded}`;
    await runtime.start(release(program, { env, secretKeys: keys }));
    await until('it is said', async () => expect(await rig.lines()).toEqual(['last [hidden]']));
    expect(await runtime.find('dep_1')).toMatchObject({ state: 'running', notices: [] });
  });

  it('an unreadable record hides no other, and is kept', async () => {
    const reports: string[] = [];
    const { runtime, release } = await begin({ report: (what, error) => reports.push(`${what}: ${String(error)}`) });
    await runtime.start(release(runningUntilEnded, { owner: { deploymentId: 'dep_2' } }));
    await runtime.start(release(runningUntilEnded));
    const record = rig.record();
    writeFileSync(join(rig.instanceFolder(), 'state.json'), '');
    expect((await runtime.list()).map(({ owner }) => owner.deploymentId)).toEqual(['dep_2']);
    expect(reports).toEqual([expect.stringMatching(/is skipped.*state\.json cannot be read/)]);
    await expect(runtime.remove('dep_1')).rejects.toThrow(/cannot be read/);
    rig.setRecord(record);
    await runtime.remove('dep_1');
    expect(readProcess(record.app!.pid)).toBeUndefined();
  });

  it('a supervisor that cannot work says why', async () => {
    const { runtime, release } = await begin({ program: '/no/such/supervisor.js' });
    await expect(runtime.start(release(runningUntilEnded))).rejects.toThrow(/supervisor ended.*Cannot find module/s);
    expect(await runtime.find('dep_1')).toMatchObject({ state: 'exited' });
  });

  it('the supervisor has only the app as a child', async () => {
    const { runtime, release } = await begin();
    const { pid } = await runtime.start(release(runningUntilEnded));
    const below = allProcesses().filter(({ parent }) => parent === rig.record().supervisor.pid);
    expect(below.map((each) => each.pid)).toEqual([pid]);
  });
  it('a kill at any moment of a start leaves exactly one app', async () => {
    const { options, runtime, release } = await begin();
    const command = `exec sleep 5${process.pid}`;
    const running = () =>
      allProcesses().filter(({ pid }) => argumentsOf(pid) === `${command.slice('exec '.length).replace(' ', '\0')}\0`);
    for (const ms of [120, 170, 220, 270, 320]) {
      const spec = { ...release('', { owner: { fence: ms } }), command };
      const service = await startFromAnotherProcess(options, spec);
      await new Promise((resolve) => setTimeout(resolve, ms));
      service.kill('SIGKILL');
      await exited(service);
      expect(await runtime.start(spec)).toMatchObject({ state: 'running', owner: { fence: ms } });
      await until('there is one', () => running().length === 1);
    }
    await runtime.stop('dep_1', 1000);
    expect(running()).toEqual([]);
  });
});

/** Processes with an instance folder as their argument. */
const supervisorsIn = (folder: string): number[] =>
  allProcesses().flatMap(({ pid }) => (argumentsOf(pid).includes(`\0${folder}/instances/`) ? [pid] : []));

function startInnocent(): ChildProcess {
  const child = spawnRecorded('/bin/sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** A separate process that starts the release and then waits to be killed. */
async function startFromAnotherProcess(options: ProcessRuntimeOptions, spec: object): Promise<ChildProcess> {
  const file = join(newFolder('service'), 'service.ts');
  const runtime = join(import.meta.dirname, '../../src/drivers/runtime/process/process-runtime.ts');
  const isolation = await options.isolation;
  writeFileSync(
    file,
    `import { createProcessRuntime } from ${JSON.stringify(runtime)};
     await createProcessRuntime(${JSON.stringify({ ...options, isolation })}).start(${JSON.stringify(spec)});
     setInterval(() => {}, 1000);`,
  );
  return spawnRecorded(process.execPath, [file], { stdio: 'inherit', detached: true });
}

const argumentsOf = (pid: number): string =>
  existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
