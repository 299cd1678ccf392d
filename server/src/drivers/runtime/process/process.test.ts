import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { detectIsolation } from '../../host/isolation.ts';
import { appPorts } from '../../../../test/rig/ports.ts';
import { until } from '../../../../test/rig/until.ts';
import { runtimeContract } from '../contract.ts';
import { type ProcessRig, processRig, runningUntilEnded } from './process-rig.ts';
import type { ProcessRuntimeOptions } from './process-runtime.ts';
import { allProcesses } from '../../host/processes.ts';
import { deploymentFailureOf } from '../../../areas/deployments/model/failure.ts';

const newRig = async (more: Partial<ProcessRuntimeOptions> = {}) => processRig(newFolder('process'), appPorts(), more);

runtimeContract('process', () => newRig());
runtimeContract('process in namespaces', () => {
  const folder = newFolder('process');
  const view = { hidden: [folder, '/run'], readable: [] };
  return Promise.resolve(
    processRig(folder, appPorts(), {
      isolation: Promise.resolve({ kind: 'namespaces', processLimit: 2048, view }),
    }),
  );
});

describe('process runtime', () => {
  let rig: ProcessRig;
  afterEach(() => rig.close());
  const begin = async (more?: Partial<ProcessRuntimeOptions>) => (rig = await newRig(more));

  it('keeps secrets out of arguments and off the disk', async () => {
    const { runtime, release, folder } = await begin();
    const secret = `secret-${Math.random()}`;
    await runtime.start(release(`console.log(process.env.KEY.length); ${runningUntilEnded}`, { env: { KEY: secret } }));
    await until('the app has it', async () => (await rig.lines())[0] === String(secret.length));
    for (const { pid } of allProcesses())
      if (pid !== process.pid && existsSync(`/proc/${pid}/cmdline`))
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(secret);
    const supervisor = rig.record().supervisor.pid;
    expect(readFileSync(`/proc/${supervisor}/environ`, 'utf8')).not.toContain(secret);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(secret);
    await runtime.restart('dep_1');
    await until('it still has it', async () => (await rig.lines())[1] === String(secret.length));
  });

  it('passes an app its own variables and the few it needs, no more', async () => {
    const { runtime, release } = await begin();
    const spec = release(`console.log(JSON.stringify(process.env)); ${runningUntilEnded}`, {
      env: { ONE: '1', PORT: '9' },
    });
    const { port } = await runtime.start(spec);
    const env = JSON.parse((await until('it tells', async () => (await rig.lines())[0])) ?? '') as Record<
      string,
      string
    >;
    // Set by the shell.
    for (const name of ['PWD', 'OLDPWD', 'SHLVL', '_']) delete env[name];
    expect(env).toEqual({
      ONE: '1',
      PORT: String(port),
      HOST: '127.0.0.1',
      HOME: spec.folder,
      LANG: 'C.UTF-8',
      PYTHONUNBUFFERED: '1',
      PATH: expect.stringContaining('/usr/bin:/'),
      MOORING_PROCESS: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
  });

  it('assigns each instance a port, and the same one again', async () => {
    const first = appPorts();
    const { runtime, release } = await begin({ portRange: { from: first, to: first + 3 } });
    const foreign = createServer().listen(first + 1, '127.0.0.1');
    onTestFinished(() => void foreign.close());
    const spec = (n: number) => release(runningUntilEnded, { owner: { deploymentId: `dep_${n}` } });
    const three = await Promise.all([1, 2, 3].map((n) => runtime.start(spec(n))));
    expect(three.map(({ port }) => port).toSorted((a, b) => a - b)).toEqual([first, first + 2, first + 3]);
    await runtime.stop('dep_2', 500);
    await expect(runtime.start(spec(4))).rejects.toThrow(/no port between/);
    expect((await runtime.start(spec(2))).port).toBe(three[1]!.port);
    await expect(runtime.start({ ...spec(5), port: first })).rejects.toThrow(`port ${first} is in use`);
    await runtime.remove('dep_2');
    expect((await runtime.start(spec(6))).port).toBe(three[1]!.port);
  });

  it('names the app that occupies the ports of others when none is left', async () => {
    const first = appPorts();
    const reports: string[] = [];
    const portRange = { from: first, to: first + 3 };
    const { runtime, release } = await begin({ portRange, report: (what) => reports.push(what) });
    const program = `for (let port = ${first}; port <= ${first + 3}; port++)
      require('node:http').createServer().listen(port, '127.0.0.1', () => console.log('listening'));`;
    await runtime.start(release(program));
    await until('it listens everywhere', async () => (await rig.lines()).length === 4);
    const second = runtime.start(release(runningUntilEnded, { owner: { deploymentId: 'dep_2' } }));
    const error = await second.catch((failed: Error) => failed);
    expect(reports).toEqual(['dep_1 listens on 3 ports of other apps']);
    expect(deploymentFailureOf(error as Error, 'start', (line) => line)).toMatchObject({
      code: 'no_port_left',
      message: `no port between ${first} and ${first + 3} is free: every app needs one`,
    });
  });

  it('keeps logs bounded', async () => {
    const { runtime, release } = await begin({ limits: { logFileBytes: 20_000, logFiles: 3 } });
    const program = `for (let i = 0; i < 20000; i++) console.log('line ' + i); ${runningUntilEnded}`;
    await runtime.start(release(program));
    await until('all was said', async () => (await rig.lines()).at(-1) === 'line 19999');
    const all = await rig.lines();
    expect(all).toEqual(Array.from({ length: all.length }, (_, i) => `line ${20_000 - all.length + i}`));
    const logs = readdirSync(rig.instanceFolder()).filter((name) => /^\d+\.log$/.test(name));
    expect(logs).toHaveLength(3);
    expect(all.length).toBeLessThan(5000);
  });

  it.runIf(process.getuid?.() === 0)(
    'runs as the user of its project, whatever it does to its own folder',
    async () => {
      const { runtime, release } = await begin();
      const command = 'id -u; id -g; id -G; sleep 60';
      const { notices } = await runtime.start({ ...release(''), command, user: { uid: 61_005, gid: 61_005 } });
      await until('it says who it is', async () => (await rig.lines()).length === 3);
      expect([await rig.lines(), notices]).toEqual([['61005', '61005', '61005'], []]);
      const closed = release('', { folderName: 'closed/release', owner: { deploymentId: 'dep_2' } });
      chmodSync(join(closed.folder, '..'), 0o700);
      await runtime.start({ ...closed, command }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(await rig.lines('dep_2'), 'it cannot enter, and is not let in as root').not.toContain('0');
    },
  );

  it.runIf(process.getuid?.() === 0)(
    'never runs as root where project users cannot enter the data folder',
    async () => {
      const closed = newFolder('closed');
      chmodSync(closed, 0o700);
      const isolation = await detectIsolation({ dataDir: closed, setting: 'none', processLimit: 2048, path: '' });
      expect(isolation).toEqual({ kind: 'refused', reason: `users of projects cannot enter ${closed}` });
      const { runtime, release } = await begin({ isolation: Promise.resolve(isolation) });
      await expect(runtime.start(release(runningUntilEnded))).rejects.toThrow(closed);
      await expect(
        (await begin()).runtime.start({ ...rig.release(runningUntilEnded), user: { uid: 0, gid: 0 } }),
      ).rejects.toThrow('no user of its own');
    },
  );

  it.runIf(process.getuid?.() === 0)('prevents new privileges and enforces the process limit', async () => {
    const { runtime, release } = await begin({
      isolation: Promise.resolve({ kind: 'users', processLimit: 70, privateTmp: { readable: [] } }),
    });
    const status = `require('node:fs').readFileSync('/proc/self/status', 'utf8')`;
    const program = `const { spawn } = require('node:child_process');
      console.log(${status}.includes('NoNewPrivs:\\t1'));
      let refused = 0;
      for (let i = 0; i < 100; i++) spawn('/bin/sleep', ['60']).on('error', () => refused++);
      setTimeout(() => console.log(refused > 20 ? 'bounded' : 'started ' + (100 - refused)), 500);`;
    await runtime.start({ ...release(program), user: { uid: 61_006, gid: 61_006 } });
    await until('it has tried', async () => (await rig.lines()).length > 1);
    expect(await rig.lines()).toEqual(['true', 'bounded']);
  });

  it('treats unusual names and commands as plain data', async () => {
    const { runtime, release, folder } = await begin();
    const id = '-rf ../../$(touch pwned)\n`id`/..';
    const spec = release(runningUntilEnded, { owner: { deploymentId: id, service: '../../../etc; id' } });
    await runtime.start(spec);
    expect(await runtime.list()).toMatchObject([{ owner: spec.owner, state: 'running' }]);
    await runtime.stop(id, 500);
    await runtime.remove(id);
    expect(readdirSync(join(folder, 'instances'))).toEqual([]);
    const dash = { ...release('', { owner: { deploymentId: 'dep_2' } }), command: '--version; exit 5' };
    await runtime.start(dash);
    await until('it fails', async () => (await runtime.find('dep_2'))!.exitCode === 5);
    const start = (changes: object) => runtime.start({ ...spec, ...changes });
    await expect(start({ folder: '/no/such/folder' })).rejects.toThrow(/does not exist/);
    await expect(start({ env: { 'A=B': '' } })).rejects.toThrow(/"A=B" cannot be given/);
    await expect(start({ owner: { ...spec.owner, instanceId: 'x' } })).rejects.toThrow(/another instance/);
  });
});
