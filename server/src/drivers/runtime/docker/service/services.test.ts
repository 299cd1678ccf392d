import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../../test/rig/parts.ts';
import { until } from '../../../../../test/rig/until.ts';
import { PortTakenError } from '../../errors.ts';
import type { Instance } from '../../runtime.ts';
import { type DockerRig, dockerRig, type RuntimeEngine, startRuntimeEngine } from '../docker-rig.ts';
import { killedAt } from '../killed-rig.ts';
import { answeringProgram, idleProgram, testNetwork, testServiceRelease } from './rig.ts';

const answer = ({ host, port }: Pick<Instance, 'host' | 'port'>) =>
  until('it answers', async () => (await fetch(`http://${host}:${port}/`)).text());

describe.runIf(has('docker'))('services of a stack', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine));
  const said = (service: string, deploymentId = 'dep_1') =>
    until('it says something', async () => (await rig.runtime.logs(deploymentId, { service }))[0]?.line);

  it('start concurrently, and are stopped, restarted, measured and removed one by one or together', async () => {
    const { runtime } = begin();
    const names = ['web', 'api', 'db', 'cache', 'worker'];
    const start = (name: string) =>
      runtime.start(testServiceRelease(rig, name, `console.log('${name}');${idleProgram}`));
    const all = await Promise.all(names.map(start));
    expect(new Set(all.map(({ id }) => id)).size).toBe(5);
    expect((await runtime.list()).map(({ owner }) => owner.service).toSorted()).toEqual(names.toSorted());
    await said('api');
    const lines = await runtime.logs('dep_1', {});
    expect(lines.find(({ line }) => line === 'api')).toMatchObject({ service: 'api' });
    const [before] = all.filter(({ owner }) => owner.service === 'api');
    expect((await runtime.restart('dep_1', 'api')).startedAt).toBeGreaterThan(before!.startedAt!);
    expect(await runtime.usage('dep_1', 'api')).toMatchObject({ memoryBytes: expect.any(Number) });
    await runtime.stop('dep_1', 500, 'api');
    expect(await runtime.usage('dep_1', 'api')).toBeUndefined();
    const states = async () => (await runtime.list()).map(({ owner, state }) => `${owner.service} ${state}`).toSorted();
    expect(await states()).toEqual(['api exited', 'cache running', 'db running', 'web running', 'worker running']);
    await runtime.remove('dep_1', 'api');
    expect(await runtime.find('dep_1', 'api')).toBeUndefined();
    expect(await runtime.logs('dep_1', { service: 'api' })).toEqual([]);
    await runtime.stop('dep_1', 500);
    expect(await states()).toEqual(['cache exited', 'db exited', 'web exited', 'worker exited']);
    await runtime.remove('dep_1');
    expect(await runtime.list()).toEqual([]);
    expect(
      (await engine.get<{ Name: string }[]>('/networks')).filter(({ Name }) => Name.startsWith('mooring')),
    ).toEqual([]);
  });

  it('are restarted when needed again while the engine is about to kill their container', async () => {
    const { runtime } = begin();
    const deaf = `process.on('SIGTERM', () => {}); console.log('ready');`;
    for (const policy of ['unless-stopped', 'no'] as const) {
      const options = { restart: { policy, maxAttempts: null } };
      const deploymentId = `dep_${policy}`;
      await runtime.start(testServiceRelease(rig, 'api', deaf + idleProgram, { deploymentId, options }));
      await until('it is ready', async () => (await runtime.logs(deploymentId, { service: 'api' })).length > 0);
      const before = (await runtime.ensureRunning(deploymentId, 'api'))!;
      // The service is killed right after it requests the stop; the engine completes it.
      const { toEngine, wasKilled } = killedAt(engine.address, /\/stop\?/, 'after');
      const killed = rig.with({ connect: toEngine, patienceMs: 0 });
      await killed.stop(deploymentId, 3000, 'api').catch(() => {});
      expect(wasKilled()).toBe(true);
      expect((await runtime.find(deploymentId, 'api'))!.state).toBe('running');
      const after = (await runtime.ensureRunning(deploymentId, 'api'))!;
      expect(after.startedAt).toBeGreaterThan(before.startedAt!);
      await new Promise((resolve) => setTimeout(resolve, 3500));
      expect(await runtime.find(deploymentId, 'api')).toMatchObject({ state: 'running', startedAt: after.startedAt });
    }
    expect(await runtime.ensureRunning('dep_2', 'api')).toBeUndefined();
  }, 30_000);

  it('are not stopped by a call that is no longer wanted when its turn comes', async () => {
    const { runtime } = begin();
    await runtime.start(testServiceRelease(rig, 'api', idleProgram));
    let isNeeded = false;
    const restarting = runtime.restart('dep_1', 'api').then(() => (isNeeded = true));
    await runtime.stopIf('dep_1', 'api', 500, async () => !isNeeded);
    await restarting;
    expect((await runtime.find('dep_1', 'api'))!.state).toBe('running');
    await runtime.stopIf('dep_1', 'api', 500, async () => true);
    expect((await runtime.find('dep_1', 'api'))!.state).toBe('exited');
  });

  it('start while another one takes its time to stop', async () => {
    const { runtime } = begin();
    const deaf = `process.on('SIGTERM', () => console.log('no')); console.log('ready');`;
    const lines = async () => (await runtime.logs('dep_1', { service: 'deaf' })).map(({ line }) => line);
    await runtime.start(testServiceRelease(rig, 'deaf', deaf + idleProgram));
    await until('it is ready', async () => (await lines()).includes('ready'));
    let isStopped = false;
    const stopping = runtime.stop('dep_1', 6_000, 'deaf').then(() => (isStopped = true));
    await until('it was asked', async () => (await lines()).includes('no'));
    await runtime.start(testServiceRelease(rig, 'api', idleProgram));
    expect(isStopped).toBe(false);
    await engine.post(`/containers/${(await runtime.find('dep_1', 'deaf'))!.id}/kill`);
    await stopping;
  });

  it('reuse a stopped container, unless any of their settings changed', async () => {
    const { runtime } = begin();
    const first = await runtime.start(testServiceRelease(rig, 'api', idleProgram));
    await runtime.stop('dep_1', 500, 'api');
    expect((await engine.inspect(first.id)).HostConfig.RestartPolicy.Name).toBe('no');
    expect(await runtime.start(testServiceRelease(rig, 'api', idleProgram))).toMatchObject({
      id: first.id,
      state: 'running',
    });
    expect((await engine.inspect(first.id)).HostConfig.RestartPolicy.Name).toBe('always');
    await runtime.stop('dep_1', 500, 'api');
    const other = testServiceRelease(rig, 'api', idleProgram, { options: { hostname: 'other' } });
    expect((await runtime.start(other)).id).not.toBe(first.id);
    expect(await runtime.list()).toHaveLength(1);
  });

  it('that run once are done when they have exited, also for the next start', async () => {
    const { runtime } = begin();
    const restart = { policy: 'no', maxAttempts: null } as const;
    const once = (program: string) => testServiceRelease(rig, 'job', program, { options: { restart } });
    const { id } = await runtime.start(once('console.log("ran")'));
    const over = await until('it has ended', async () => {
      const found = await runtime.find('dep_1', 'job');
      return found?.state === 'exited' && found;
    });
    expect(over).toMatchObject({ id, exitCode: 0, restarts: 0 });
    expect(await runtime.start(once('console.log("ran")'))).toMatchObject({ id, state: 'exited', exitCode: 0 });
    expect((await runtime.logs('dep_1', {})).map(({ line }) => line)).toEqual(['ran']);
    await runtime.remove('dep_1');
    const long = await runtime.start(once(idleProgram));
    await runtime.stop('dep_1', 500);
    expect(await runtime.start(once(idleProgram)), 'this one was stopped by us').toMatchObject({
      id: long.id,
      state: 'running',
    });
  });

  it('publish ports, also on internal networks only, and name a port that is taken', async () => {
    const { runtime } = begin();
    const { from } = rig.options.portRange;
    const ports = [
      { target: 3000, protocol: 'tcp', hostIp: null, published: { from: from + 50, to: from + 50 } },
    ] as const;
    const networks = [testNetwork(['web', 'api'], { isInternal: true })];
    const web = testServiceRelease(rig, 'web', answeringProgram('web'), {
      listensOn: 3000,
      options: { ports: [...ports], networks },
    });
    const instance = await runtime.start(web);
    expect(await answer(instance)).toBe('web');
    expect(await answer({ host: instance.host, port: from + 50 })).toBe('web');
    const api = testServiceRelease(rig, 'api', idleProgram, { options: { ports: [...ports], networks } });
    const failure: unknown = await runtime.start(api).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PortTakenError);
    expect((failure as PortTakenError).message).toContain(`port ${from + 50} is in use`);
    expect(await runtime.find('dep_1', 'api')).toBeUndefined();
  });

  it('can run a one-off command on their networks and with their volumes', async () => {
    const { runtime } = begin();
    const target = '/data';
    const named = { name: 'data', externalName: null, driver: null, driverOptions: {}, labels: {} };
    const mount = { type: 'volume', target, isReadOnly: false, subpath: null, isCopied: true, volume: named } as const;
    const options = { mounts: [mount] };
    const writing = `require('node:fs').writeFileSync('/data/file', 'x');`;
    await runtime.start(testServiceRelease(rig, 'api', writing + answeringProgram('api'), { options }));
    const lines: string[] = [];
    const asking = `fetch('http://api:3000').then((answer) => answer.text()).then((text) => console.log(text, require('node:fs').readFileSync('/data/file', 'utf8')));`;
    await until('it listens', async () => (await runtime.logs('dep_1', {})).length > 0);
    const spec = testServiceRelease(rig, 'release', asking, { options });
    const signal = new AbortController().signal;
    const onLine = (line: string) => void lines.push(line);
    expect(await runtime.runOnce(spec, { signal, deadlineMs: 20_000, onLine })).toEqual({ exitCode: 0 });
    expect(lines).toEqual(['api x']);
    expect(await runtime.list()).toHaveLength(1);
  });
});
