import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, ensureEdge, type EnsuredEdge, portOf, project } from '../../../../../test/rig/edge.ts';
import { until } from '../../../../../test/rig/until.ts';

const host = 'a.localhost';
/** Queues as few connections as the system allows, so that a stopped one soon responds to none. */
const program = `const server = require('node:http').createServer((req, res) => {
  if (req.url === '/slow') setTimeout(() => res.end('late'), 3000);
  else res.end('first');
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.send(server.address().port));`;

describe('replicas, one of them on a machine that is gone', () => {
  let edge: EnsuredEdge;
  let child: ChildProcess;
  let port: number;
  const queued: Socket[] = [];
  const other = createServer((_req, res) => void res.end('second'));

  beforeEach(async () => {
    edge = await ensureEdge();
    child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    [port] = (await once(child, 'message')) as [number];
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const others = [{ host: '127.0.0.1', port: (other.address() as AddressInfo).port }];
    await edge.point(project(host, 'dep_silent', { type: 'upstream', host: '127.0.0.1', port, others }));
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    for (const socket of queued.splice(0)) socket.destroy();
    other.closeAllConnections();
    if (other.listening) await new Promise((resolve) => other.close(resolve));
    await edge.close();
  });

  const get = async (path = '/') => (await ask(portOf(edge), host, path)).text;
  const both = async () => {
    const seen = new Set<string>();
    await until('both answer', async () => seen.add(await get()).size === 2);
  };

  /** Now nothing answers at its port, as if its machine had lost power. */
  const fallSilent = async () => {
    child.kill('SIGSTOP');
    await until('no connection is accepted', async () => {
      const socket = connect({ host: '127.0.0.1', port });
      queued.push(socket);
      socket.on('error', () => {});
      const late = new Promise<boolean>((resolve) => void setTimeout(() => resolve(true), 300));
      return Promise.race([late, once(socket, 'connect').then(() => false)]);
    });
  };

  it('the other one answers, also a request that was already sent', async () => {
    await both();
    await fallSilent();
    const began = performance.now();
    expect(await Promise.all(Array.from({ length: 6 }, () => get()))).toEqual(Array(6).fill('second'));
    expect(performance.now() - began).toBeLessThan(9000);
    // It is left out for a while.
    const quick = performance.now();
    for (let i = 0; i < 10; i++) expect(await get()).toBe('second');
    expect(performance.now() - quick).toBeLessThan(1500);
    // One that responds again is used again.
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    child.kill('SIGCONT');
    for (const socket of queued.splice(0)) socket.destroy();
    await until('it is used again', async () => (await get()) === 'first', 10_000);
  }, 30_000);

  it('an app that is only slow keeps its request', async () => {
    await both();
    const answers = await Promise.all(Array.from({ length: 4 }, () => get('/slow')));
    // How many get to each depends on how close together they arrive.
    expect([...new Set(answers)].toSorted()).toEqual(['late', 'second']);
  }, 30_000);
});
