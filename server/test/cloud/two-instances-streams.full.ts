import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { type CloudThings, makeCloudThings } from '../rig/cloud-things.ts';
import { events } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Follower, follow } from '../rig/follower.ts';
import type { Gate } from '../rig/gate.ts';
import { has } from '../rig/parts.ts';
import { readSlowly } from '../rig/slow-reader.ts';
import { startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';
import { until } from '../rig/until.ts';

/** Two real instances on loopback, and followers at home of deployments in the cloud. */
describe.runIf(has('docker'))('streams from the cloud', () => {
  let two: TwoInstances;
  let things: CloudThings;
  const restart = async (side: 'cloud' | 'home') => {
    await two[side].kill();
    await two[side].start();
  };

  beforeAll(async () => {
    two = await startTwoInstances();
    await two.link();
    things = await makeCloudThings(two);
  }, 120_000);
  afterAll(async () => {
    for (const each of things?.visitors ?? []) await each.stop();
    await two?.close();
  }, 60_000);
  afterEach(() => {
    two.line.strike = undefined;
  });

  /** A build that writes that many lines, in one part per gate. */
  const chatty = async (gates: Gate[], lines: number) => {
    const write = `node -e "for (let i = 0; i < ${lines}; i++) console.log(i, 'x'.repeat(150))"`;
    const build = [write, ...gates.flatMap(({ wait }) => [wait, write])].join('; ');
    two.git.push('app', dockerApp(things.name('chatty'), { scripts: { build } }), 'chatty');
    return (await two.promote(things.app, { autoStart: true })).id;
  };
  const complete = async (id: string, seen: Follower['seen']) => {
    expect(seen.map((each) => each.id)).toEqual(seen.map((_, i) => i + 1));
    expect(seen).toEqual(await events(two.cloud.now, id));
    expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'ready' } });
  };
  const stream = (id: string, since = '', headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${two.home.now.url}/api/deployments/${id}/stream${since && `?since=${since}`}`, {
      headers: { authorization: `Bearer ${ownerToken}`, ...headers },
      ...(signal && { signal }),
    });

  it('reach two followers and a slow reader completely, despite cuts and kills', async () => {
    const gates = Array.from({ length: 6 }, () => two.gates.newGate());
    const id = await chatty(gates, 600);
    const followers = [follow(two.home.now.url, id), follow(two.home.now.url, id)];
    const slow = readSlowly(two.home.now.url, id, 15);
    let cuts = 0;
    for (const [i, gate] of gates.entries()) {
      await until('it is there', () => gate.isReached!(), 30_000);
      cuts += two.line.cutAll();
      if (i === 1) await restart('cloud');
      if (i === 2) await restart('home');
      if (i === 3) await Promise.all([restart('cloud'), restart('home')]);
      gate.open();
      // While lines are being written.
      for (let n = 0; n < 5; n++) {
        await sleep(20 * i);
        cuts += two.line.cutAll();
      }
    }
    for (const follower of followers) await complete(id, await follower.ended);
    await slow.ended;
    const { ids, connections } = slow;
    expect(ids).toEqual(followers[0]!.seen.map((each) => each.id));
    const figures = { events: ids.length, cuts, kills: two.cloud.kills + two.home.kills };
    sayFigures('streams', { ...figures, connections: [...followers.map((each) => each.connections), connections] });
  }, 120_000);

  it('apply backpressure for a slow reader, without disconnecting', async () => {
    const gate = two.gates.newGate();
    const id = await chatty([gate], 8000);
    const slow = readSlowly(two.home.now.url, id, 10);
    gate.open();
    const follower = follow(two.home.now.url, id);
    await complete(id, await follower.ended);
    await slow.ended;
    const { ids, connections } = slow;
    expect(ids).toEqual(follower.seen.map((each) => each.id));
    sayFigures('a slow reader', { events: ids.length, connections });
  }, 120_000);

  it('resume after the last event, and are empty after the end', async () => {
    const { id } = await things.serving(things.app);
    const all = await events(two.cloud.now, id);
    const last = all.length;
    const idsIn = async (answer: Promise<Response>) => (await (await answer).text()).match(/^id: \d+$/gm);
    const fourth = all.slice(3).map((each) => `id: ${each.id}`);
    for (const asked of [stream(id, '3'), stream(id, '', { 'last-event-id': '3' })])
      expect(await idsIn(asked)).toEqual(fourth);
    for (const asked of [stream(id, String(last)), stream(id, '', { 'last-event-id': String(last) })]) {
      const answer = await asked;
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
    expect((await stream(id, 'nonsense')).status).toBe(400);
  });

  it('leak no socket after two hundred were opened and closed', async () => {
    const gate = two.gates.newGate();
    const id = await chatty([gate], 10);
    await until('it is there', () => gate.isReached!(), 30_000);
    const sockets = () => socketsOf(two.home.now.child.pid!) + socketsOf(two.cloud.now.child.pid!);
    const opened = async () => {
      const leaving = new AbortController();
      const answer = await stream(id, '', {}, leaving.signal);
      expect(answer.status).toBe(200);
      await answer.body!.getReader().read();
      return () => leaving.abort();
    };
    for (const leave of [await opened()]) leave();
    await sleep(500);
    const [lines, before] = [two.line.open(), sockets()];
    let most = 0;
    for (let round = 0; round < 10; round++) {
      const leaves = await Promise.all(Array.from({ length: 20 }, opened));
      most = Math.max(most, two.line.open());
      for (const leave of leaves) leave();
    }
    const began = Date.now();
    await until('the line is quiet again', () => two.line.open() <= lines + 1, 5000);
    await until('no socket is left', () => sockets() <= before + 4, 5000);
    const closedMs = Date.now() - began;
    gate.open();
    expect((await follow(two.home.now.url, id).ended).at(-1)).toMatchObject({ data: { status: 'ready' } });
    sayFigures('left behind', { opened: 200, most, closedMs, lines: two.line.open(), sockets: sockets() - before });
  }, 120_000);

  it('reconnect when the connection has gone silent', async () => {
    const gate = two.gates.newGate();
    const id = await chatty([gate], 50);
    await until('it is there', () => gate.isReached!(), 30_000);
    two.line.strike = { request: /^GET \/api\/deployments\/\w+\/stream/, mishap: 'frozen', times: 1 };
    const follower = follow(two.home.now.url, id);
    await until('it is silent', () => two.line.strike!.times === 0);
    const began = Date.now();
    gate.open();
    await complete(id, await follower.ended);
    const silentMs = Date.now() - began;
    expect(silentMs).toBeLessThan(70_000);
    sayFigures('a silent line', { silentMs, connections: follower.connections });
  }, 120_000);

  it('fail no client request', () => {
    const failures = things.visitors.flatMap((each) => each.failures);
    const visits = things.visitors.reduce((sum, each) => sum + each.requests, 0);
    sayFigures('visitors', { visits, failed: failures.length });
    expect(failures).toEqual([]);
  });
});

const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
