import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../../test/rig/certificate.ts';
import { newFolder } from '../../../../../test/rig/children.ts';
import {
  ask,
  builtinEdges,
  type EnsuredEdge,
  newVersion,
  portOf,
  project,
  startLoad,
  startTestApp,
  tlsPortOf,
} from '../../../../../test/rig/edge.ts';
import { childrenOf, programOf } from '../../../../../test/rig/processes.ts';
import { until } from '../../../../../test/rig/until.ts';

const { ensured, app } = builtinEdges();
const host = 'a.localhost';
const isFine = ({ status, text }: { status: number; text: string }) => (status === 200 ? null : `${status} ${text}`);
const isRunning = (pid: number): boolean => programOf(pid) !== '';
const workersOf = (edge: EnsuredEdge): number[] => childrenOf(edge.process);
const logOf = (dataDir: string): string => readFileSync(join(dataDir, 'edge.log'), 'utf8');

/** Connections that stay open, most likely to several processes. */
function keptConnections(edge: EnsuredEdge, count = 40) {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  return {
    ask: (path = '/') => agents.map((agent) => ask(portOf(edge), host, path, { agent })),
    close: () => agents.forEach((agent) => agent.destroy()),
  };
}

describe('workers', () => {
  it('follow routes, holds and drains, and all requests are counted', async () => {
    const edge = await ensured({ workers: 3 });
    expect(workersOf(edge)).toHaveLength(2);
    await edge.point(project(host, 'dep_1', (await app('one')).target));
    const clients = keptConnections(edge);
    for (const { text } of await Promise.all(clients.ask())) expect(text).toBe('one');
    let [open, isHeld] = [0, false];
    const slow = await startTestApp((_req, res) => {
      expect(isHeld).toBe(false);
      open++;
      setTimeout(() => {
        open--;
        res.end('two');
      }, 300);
    });
    await edge.point(project(host, 'dep_2', slow.target, 2));
    const asked = clients.ask();
    await until('all are under way', () => open === 40, 2000);
    expect(await edge.drain('dep_1', 1000)).toBe(0);
    expect(await edge.drain('dep_2', 10)).toBe(40);
    expect(await edge.hold('dep_2', { withinMs: 20_000, drainMs: 5000 })).toBe(0);
    expect(open).toBe(0);
    isHeld = true;
    for (const { text } of await Promise.all(asked)) expect(text).toBe('two');
    const waiting = clients.ask();
    await sleep(300);
    isHeld = false;
    await edge.resume('dep_2');
    for (const { text } of await Promise.all(waiting)) expect(text).toBe('two');
    const { minutes } = await edge.traffic(0);
    expect(minutes.reduce((sum, { requests }) => sum + requests, 0)).toBe(120);
    clients.close();
    await slow.close();
  });

  it('are replaced when they crash, with the routes and holds of that moment, and the others serve on', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir, workers: 2 });
    let seen = 0;
    const counting = await startTestApp((_req, res) => res.end(String(++seen)));
    await edge.point(project(host, 'dep_1', counting.target));
    await edge.hold('dep_1', { withinMs: 20_000, drainMs: 100 });
    const [worker] = workersOf(edge);
    process.kill(worker!, 'SIGKILL');
    const next = await until('another one', () => workersOf(edge).find((pid) => pid !== worker));
    expect(logOf(dataDir)).toContain(`worker ${worker} exited with SIGKILL`);
    const clients = keptConnections(edge);
    const waiting = clients.ask();
    await sleep(500);
    expect(seen).toBe(0);
    await edge.resume('dep_1');
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    process.kill(next!, 'SIGSTOP');
    const began = Date.now();
    // A worker that hangs is killed: nobody knows what it would do with its connections.
    await edge.point(project(host, 'dep_2', (await app('two')).target, 2));
    expect(Date.now() - began).toBeLessThan(14_000);
    await until('it is gone', () => !isRunning(next!));
    clients.close();
    for (const { text } of await Promise.all(keptConnections(edge, 5).ask())) expect(text).toBe('two');
    await counting.close();
  }, 40_000);

  it('use certificates from the moment that they are stored until they are removed', async () => {
    const edge = await ensured({ workers: 3 });
    await edge.point(project(host, 'dep_1', (await app('fine')).target));
    const before = workersOf(edge);
    const { cert: chain, key } = selfSigned(host);
    await edge.useCertificate({ host, chain, key });
    // TLS has a socket of its own, which new workers inherit.
    await until('new workers', () => workersOf(edge).filter((pid) => !before.includes(pid)).length === 2);
    await until('the old ones leave', () => before.every((pid) => !isRunning(pid)), 5000);
    const load = startLoad(tlsPortOf(edge), host, 8, isFine, true);
    await until('some requests', () => load.requests() > 100, 10_000);
    await load.stop();
    expect(load.failures).toEqual([]);
    await edge.removeCertificate(host);
    for (let i = 0; i < 20; i++) await expect(ask(tlsPortOf(edge), host, '/', { secure: true })).rejects.toThrow();
  });

  it('change in number, are handed over and stop, all without a failed request', { timeout: 60_000 }, async () => {
    const dataDir = newFolder('edge');
    let edge = await ensured({ dataDir, workers: 1 });
    expect(workersOf(edge)).toEqual([]);
    await edge.point(project(host, 'dep_1', (await app('fine')).target));
    const load = startLoad(portOf(edge), host, 8, isFine);
    const more = async () => {
      const before = load.requests();
      await until('more requests', () => load.requests() > before + 200, 20_000);
    };
    for (const workers of [3, 2, 1, 3]) {
      edge = await ensured({ dataDir, workers });
      await until(`${workers} processes`, () => workersOf(edge).length === workers - 1, 20_000);
      await more();
    }
    const old = [edge.process, ...workersOf(edge)];
    edge = await ensured({ dataDir, workers: 3, program: newVersion() });
    await more();
    await load.stop();
    expect(load.failures).toEqual([]);
    await until('the old ones are gone', () => old.every((pid) => !isRunning(pid)), 35_000);
    const counted = async () => (await edge.traffic(0)).minutes.reduce((sum, { requests }) => sum + requests, 0);
    await until('all are counted', async () => (await counted()) === load.requests(), 5000);
    const all = [edge.process, ...workersOf(edge)];
    await edge.stop();
    await until('all are gone', () => !all.some(isRunning), 2000);
  });

  it('exit with a main process that is killed, so that the next one gets the port', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir, workers: 3 });
    const workers = workersOf(edge);
    process.kill(edge.process, 'SIGKILL');
    const next = await ensured({ dataDir, workers: 3 });
    expect(portOf(next)).toBe(portOf(edge));
    await until('the old ones are gone', () => !workers.some(isRunning), 2000);
  });
});
