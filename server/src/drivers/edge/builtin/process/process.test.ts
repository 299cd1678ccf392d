import { StaleFenceError } from '../../../stale-fence.ts';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import {
  ask,
  builtinEdges,
  edgeProgram,
  newVersion,
  openUpgraded,
  portOf,
  project,
  recordProcess,
  startLoad,
  startTestApp,
} from '../../../../../test/rig/edge.ts';
import { freePort } from '../../../../../test/rig/ports.ts';
import { until } from '../../../../../test/rig/until.ts';
import { createBuiltinEdge } from '../builtin.ts';
import { ControlClient } from '../control/client.ts';

describe('edge process', () => {
  const { driver, ensured, app } = builtinEdges();

  it('is found again by the next service, and started once by concurrent callers', async () => {
    const dataDir = newFolder('edge');
    const drivers = Array.from({ length: 5 }, () => driver({ dataDir }));
    await Promise.all(drivers.map((each) => each.ensure()));
    const pids = await Promise.all(drivers.map((each) => each.pid()));
    expect(new Set(pids).size).toBe(1);
    recordProcess(pids[0]!);
    const next = await ensured({ dataDir });
    expect(next.process).toBe(pids[0]);
    expect(portOf(next)).toBe(portOf(drivers[0]!));
  });

  it('serves the same routes on the same port after kill -9', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    const mine = await app('mine');
    await edge.point(project('a.localhost', 'dep_1', mine.target, 5));
    await edge.answerChallenge('given', 'given.thumb');
    process.kill(edge.process, 'SIGKILL');
    await until('it is gone', async () => (await edge.pid()) === null);
    const next = await ensured({ dataDir });
    expect(next.process).not.toBe(edge.process);
    expect(portOf(next)).toBe(portOf(edge));
    expect((await ask(portOf(next), 'a.localhost')).text).toBe('mine');
    expect((await ask(portOf(next), 'b.localhost', '/.well-known/acme-challenge/given')).text).toBe('given.thumb');
    await expect(next.point(project('a.localhost', 'dep_0', mine.target, 4))).rejects.toThrow(StaleFenceError);
  });

  it('resolves gone() for every waiter when it is killed', async () => {
    const edge = await ensured();
    let gone = 0;
    const waiting = [edge.gone(), edge.gone()].map((each) => each.then(() => gone++));
    await edge.list();
    expect(gone).toBe(0);
    process.kill(edge.process, 'SIGKILL');
    await Promise.all(waiting);
    await edge.gone();
  });

  it('is restarted by the next call that needs it', async () => {
    const edge = await ensured();
    process.kill(edge.process, 'SIGKILL');
    await until('it is gone', async () => (await edge.pid()) === null);
    await edge.point(project('a.localhost', 'dep_1', (await app('mine')).target));
    recordProcess((await edge.pid())!);
    expect((await ask(portOf(edge), 'a.localhost')).text).toBe('mine');
  });

  it('ignores a call whose caller has timed out', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('one')).target, 1));
    const client = new ControlClient(join(dataDir, 'edge.sock'), 'ins_1');
    const next = project('a.localhost', 'dep_2', (await app('two')).target, 2);
    process.kill(edge.process, 'SIGSTOP');
    await expect(client.call('PUT', '/projects', next, 300)).rejects.toThrow('did not answer within 300 ms');
    process.kill(edge.process, 'SIGCONT');
    // The edge processes the timed-out call before this one.
    expect((await edge.list())[0]!.routes[0]!.deploymentId).toBe('dep_1');
    expect((await ask(portOf(edge), 'a.localhost')).text).toBe('one');
    await client.call('PUT', '/projects', next, 5000);
    expect((await ask(portOf(edge), 'a.localhost')).text).toBe('two');
  });

  it('keeps its files private and inherits nothing of our environment', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('mine')).target));
    for (const name of ['edge.sock', 'edge.json', 'edge.log'])
      expect(statSync(join(dataDir, name)).mode & 0o777, name).toBe(0o600);
    expect(readFileSync(`/proc/${edge.process}/environ`, 'utf8')).not.toMatch(/PATH=|HOME=|VITEST/);
  });

  it('reports a taken port, a path that is too long, another instance and a broken program', async () => {
    const taken = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
    await expect(driver({ port }).ensure()).rejects.toThrow(/MOORING_EDGE_PORT/);
    taken.close();
    expect(() => driver({ dataDir: `/tmp/${'x'.repeat(100)}` })).toThrow(/MOORING_DATA_DIR/);
    const broken = join(newFolder('program'), 'edge.mjs');
    writeFileSync(broken, 'throw new Error("broken")');
    await expect(driver({ program: broken }).ensure()).rejects.toThrow(/exited with 1 .*edge\.log/);
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    const stranger = createBuiltinEdge({
      dataDir,
      port: 0,
      host: '127.0.0.1',
      instanceId: 'ins_2',
      program: edgeProgram,
    });
    await expect(stranger.ensure()).rejects.toThrow(String(edge.process));
    await expect(stranger.point(project('a', 'd', (await app('x')).target))).rejects.toThrow('another instance');
  });

  it('moves when its port setting changes', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('mine')).target));
    const port = await freePort();
    const moved = await ensured({ dataDir, port });
    expect(portOf(moved)).toBe(port);
    expect((await ask(port, 'a.localhost')).text).toBe('mine');
  });

  it('finishes requests in flight on SIGTERM', async () => {
    const edge = await ensured();
    const answers: (() => void)[] = [];
    const slow = await startTestApp((_req, res) => void answers.push(() => res.end('whole')));
    await edge.point(project('a.localhost', 'dep_1', slow.target));
    const asked = ask(portOf(edge), 'a.localhost');
    await until('it arrives', () => answers.length);
    process.kill(edge.process, 'SIGTERM');
    await until('no more is taken', async () => (await edge.pid()) === null);
    await expect(ask(portOf(edge), 'a.localhost')).rejects.toThrow('ECONNREFUSED');
    answers[0]!();
    expect((await asked).text).toBe('whole');
    await slow.close();
  });
});

describe('new version of the edge', () => {
  const { driver, ensured, app } = builtinEdges();

  it('takes over under load without a failed request', { timeout: 30_000 }, async () => {
    const dataDir = newFolder('edge');
    let edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('1')).target));
    const port = portOf(edge);
    const load = startLoad(port, 'a.localhost', 12, ({ status, text }) =>
      status === 200 ? null : `${status} ${text}`,
    );
    await until('load', () => load.requests() > 200);
    for (let i = 0; i < 2; i++) {
      const before = edge.process;
      edge = await ensured({ dataDir, program: newVersion() });
      expect(edge.process).not.toBe(before);
      expect(portOf(edge)).toBe(port);
      const count = load.requests();
      await until('more load', () => load.requests() > count + 300);
      await until('the old one goes', () => !isAlive(before));
    }
    await load.stop();
    expect(load.failures).toEqual([]);
  });

  it('still counts and steers the open connections of the old process', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('one')).target));
    const { socket, received } = await openUpgraded(portOf(edge), 'a.localhost');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(portOf(edge), 'a.localhost', '/', { agent })).text).toBe('one');
    const next = await ensured({ dataDir, program: newVersion() });
    await next.point(project('a.localhost', 'dep_2', (await app('two')).target, 2));
    // On the connection to the old edge, which closes it with this response.
    const reply = await ask(portOf(edge), 'a.localhost', '/', { agent });
    expect(reply).toMatchObject({ text: 'two', headers: { connection: 'close' } });
    socket.write('still here');
    await until('the echo', () => received() === 'still here', 2000);
    expect(await next.drain('dep_1', 100)).toBe(1);
    const drained = next.drain('dep_1', 5000);
    socket.end();
    expect(await drained).toBe(0);
    await until('the old one goes', () => !isAlive(edge.process));
  });

  it('steers the open connections of the second-last process, too', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('one')).target));
    const { socket } = await openUpgraded(portOf(edge), 'a.localhost');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(portOf(edge), 'a.localhost', '/', { agent })).text).toBe('one');
    const middle = await ensured({ dataDir, program: newVersion() });
    const next = await ensured({ dataDir, program: newVersion() });
    await next.point(project('a.localhost', 'dep_2', (await app('two')).target, 2));
    expect((await ask(portOf(edge), 'a.localhost', '/', { agent })).text).toBe('two');
    expect(await next.drain('dep_1', 100)).toBe(1);
    socket.destroy();
    await until('both go', () => !isAlive(edge.process) && !isAlive(middle.process));
  });

  it('holds requests on connections to the old process', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('one')).target));
    const { socket } = await openUpgraded(portOf(edge), 'a.localhost');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(portOf(edge), 'a.localhost', '/', { agent })).text).toBe('one');
    const next = await ensured({ dataDir, program: newVersion() });
    expect(await next.hold('dep_1', { withinMs: 20_000, drainMs: 5000 })).toBe(0);
    let answered = false;
    const asked = ask(portOf(edge), 'a.localhost', '/', { agent }).finally(() => (answered = true));
    await sleep(300);
    expect(answered).toBe(false);
    await next.resume('dep_1');
    expect(await asked).toMatchObject({ text: 'one', headers: { connection: 'close' } });
    socket.destroy();
  });

  it('leaves the old process serving when it does not start', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project('a.localhost', 'dep_1', (await app('one')).target));
    const broken = join(newFolder('program'), 'edge.mjs');
    writeFileSync(broken, 'process.exit(3)');
    await expect(driver({ dataDir, program: broken }).ensure()).rejects.toThrow(/exited with 3/);
    expect(await edge.pid()).toBe(edge.process);
    expect((await ask(portOf(edge), 'a.localhost')).text).toBe('one');
    await edge.point(project('a.localhost', 'dep_2', (await app('two')).target, 2));
    expect((await ask(portOf(edge), 'a.localhost')).text).toBe('two');
  });
});

/** Whether the process runs; a zombie does not. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
