import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';
import type { Instance, RuntimeEvent } from '../../src/drivers/runtime/runtime.ts';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import { EngineAwayError, ImageMissingError } from '../../src/drivers/runtime/errors.ts';

const idle = 'setInterval(() => {}, 1000);';
const serving = `let n = 0; setInterval(() => console.log('tick ' + ++n), 100);
  require('node:http').createServer((_, response) => response.end(process.env.ANSWER)).listen(process.env.PORT, () => console.log('up'));`;
const answer = async ({ host, port }: Instance) => (await fetch(`http://${host}:${port}/`)).text();

describe.runIf(has('docker'))('docker runtime failures', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine));
  const noticed = (what: RuntimeEvent['what']) => rig.events.filter((each) => each.what === what);

  it.each(['SIGTERM', 'SIGKILL'] as const)('an engine restart (%s) brings everything back', async (signal) => {
    const { runtime, release } = begin();
    const start = (deploymentId: string) =>
      runtime.start(release(serving, { owner: { deploymentId }, env: { ANSWER: deploymentId } }));
    const before = await Promise.all(['dep_1', 'dep_2', 'dep_stopped'].map(start));
    await until('they answer', () => Promise.all(before.map(answer)));
    await runtime.stop('dep_stopped', 500);
    await engine.stop(signal);
    // Requested while it is away, answered when it is back.
    const asked = runtime.find('dep_1');
    const third = start('dep_3');
    expect((await runtime.logs('dep_1', {})).map(({ line }) => line)).toContain('up');
    await engine.start();
    expect(await asked).toMatchObject({ id: before[0]!.id, port: before[0]!.port });
    const three = [...before.slice(0, 2), await third];
    const found = await until('all run again', async () => {
      const views = await Promise.all(three.map(({ owner }) => runtime.find(owner.deploymentId)));
      return views.every((view) => view?.state === 'running') ? views : undefined!;
    });
    expect(found.map((view) => [view!.id, view!.port])).toEqual(three.map(({ id, port }) => [id, port]));
    for (const [i, each] of three.entries())
      expect(await until('it answers', () => answer(each))).toBe(['dep_1', 'dep_2', 'dep_3'][i]);
    expect((await runtime.find('dep_stopped'))!.state).toBe('exited');
    await until('it was noticed', () => noticed('engine-there').length === 2);
    // Recording continues: the app's restart is in the log, without duplicates.
    await until('it is recorded again', async () => (await rig.lines()).filter((line) => line === 'up').length === 2);
    const lines = await rig.lines();
    const lives = lines.join(' ').split('up').slice(1);
    for (const life of lives) {
      const ticks = [...life.matchAll(/tick (\d+)/g)].map((match) => Number(match[1]));
      expect(ticks).toEqual(ticks.map((_, i) => i + 1));
    }
    expect(rig.reports).toEqual([expect.stringContaining('the container engine is away')]);
    rig.reports.length = 0;
  });

  it('an engine that stays away fails calls, the first after a while and then at once', async () => {
    const { runtime, release } = (rig = dockerRig(engine, { patienceMs: 700 }));
    await runtime.start(release(idle));
    await engine.stop('SIGKILL');
    const first = Date.now();
    await expect(runtime.find('dep_1')).rejects.toThrow(EngineAwayError);
    expect(Date.now() - first).toBeGreaterThan(600);
    const second = Date.now();
    await expect(runtime.stop('dep_1', 500)).rejects.toThrow(EngineAwayError);
    expect(Date.now() - second).toBeLessThan(400);
    await engine.start();
    expect(await runtime.find('dep_1')).toBeDefined();
    rig.reports.length = 0;
  });

  it('a killed process is noticed and restarted', async () => {
    const { runtime, release } = begin();
    const before = await runtime.start(release(serving, { env: { ANSWER: 'alive' } }));
    await until('it answers', () => answer(before));
    process.kill(before.pid!, 'SIGKILL');
    const ended = await until('the end is told', () => noticed('ended')[0]);
    expect(ended).toMatchObject({ exitCode: 137, owner: before.owner });
    const after = await until('it is back', async () => {
      const view = await runtime.find('dep_1');
      return view?.state === 'running' ? view : undefined!;
    });
    expect(after).toMatchObject({ id: before.id, port: before.port, restarts: 1 });
    expect(after.startedAt).toBeGreaterThan(before.startedAt!);
    expect(await until('it answers again', () => answer(after))).toBe('alive');
    await until('the start is told', () => noticed('started').length >= 2);
  });

  it('an app that runs out of memory is reported as such', async () => {
    const { runtime, release } = begin();
    const program = `const held = []; setTimeout(() => { for (;;) held.push(Buffer.alloc(4e6, 1)); }, 300);`;
    const start = await runtime.start(release(program, { memoryBytes: 64 * 1024 * 1024 }));
    expect(start.notices).toEqual([]);
    const view = await until('it was killed twice', async () => {
      const found = (await runtime.find('dep_1'))!;
      return found.state === 'restarting' && found.restarts >= 2 ? found : undefined!;
    });
    expect(view).toMatchObject({ exitCode: 137, exitSignal: 'SIGKILL' });
    expect(view.notices).toEqual([expect.stringMatching(/^It ran out of memory \d+ times; its limit is 64 MB\.$/)]);
    expect(noticed('out-of-memory').length).toBeGreaterThanOrEqual(2);
    expect(await rig.lines()).toContain('[mooring] out of memory: the system killed a process of the app');
  });

  it('runs the requested image id, even if its tag has moved', async () => {
    const { runtime, release } = begin();
    const other = await engine.derive('node-other', ['ENV WHICH=other']);
    const telling = `console.log(String(process.env.WHICH)); ${idle}`;
    await engine.post(`/images/${other}/tag?repo=node&tag=24-slim`);
    const { id } = await runtime.start(release(telling));
    expect((await engine.inspect(id)).Image).toBe(engine.imageId);
    await until('it is the first', async () => (await rig.lines())[0] === 'undefined');
    // The same deployment with another image: the running container is outdated.
    const replaced = await runtime.start(release(telling, { imageId: other }));
    expect(replaced).toMatchObject({ imageId: other, state: 'running' });
    await until('it is the other', async () => (await rig.lines()).at(-1) === 'other');
    expect(await runtime.list()).toHaveLength(1);
    await engine.post(`/images/${engine.imageId}/tag?repo=node&tag=24-slim`);
    const gone = release(idle, { owner: { deploymentId: 'dep_2' }, imageId: `sha256:${'0'.repeat(64)}` });
    await expect(runtime.start(gone)).rejects.toThrow(ImageMissingError);
    expect(await runtime.find('dep_2')).toBeUndefined();
  });

  it('an image that cannot run is reported', async () => {
    const { runtime, release } = begin();
    await expect(runtime.start(release(idle, { cpus: 4000 }))).rejects.toThrow(/CPUs/);
    expect(await runtime.list()).toEqual([]);
    await runtime.start(release('', { command: ['no-such-program'] }));
    await until('it ends', async () => (await runtime.find('dep_1'))!.exitCode === 127);
    expect((await rig.lines()).join()).toMatch(/no-such-program.*No such file/);
  });

  it('recovers when its containers were removed or stopped', async () => {
    const { runtime, release } = begin();
    const before = await runtime.start(release(serving, { env: { ANSWER: 'x' } }));
    await until('it answers', () => answer(before));
    await engine.client.json({ method: 'DELETE', path: `/containers/${before.id}`, query: { force: true } });
    expect(await runtime.find('dep_1')).toBeUndefined();
    expect(await rig.lines()).toContain('up');
    await engine.post('/networks/prune');
    const after = await runtime.start(release(serving, { env: { ANSWER: 'x' } }));
    expect(after.port).toBe(before.port);
    await until('it answers', () => answer(after));
    await engine.post(`/containers/${after.id}/stop?t=0`);
    await engine.post('/networks/prune');
    const again = await runtime.start(release(serving, { env: { ANSWER: 'x' } }));
    expect(await until('it answers', () => answer(again))).toBe('x');
    rig.reports.length = 0;
  });
});
