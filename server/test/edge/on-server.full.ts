import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineClient, engineAt } from '../../src/drivers/runtime/docker/engine/client.ts';
import { EngineAwayError } from '../../src/drivers/runtime/errors.ts';
import { exited, newFolder, spawnRecorded } from '../rig/children.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { entering } from '../rig/docker-namespace.ts';
import { ask, project } from '../rig/edge.ts';
import { engineDoor } from '../rig/engine-over-ssh.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { bundlePrograms, serverEdges, wayTo } from '../rig/server-edge.ts';
import { until } from '../rig/until.ts';

const bundle = bundlePrograms();
const root = join(import.meta.dirname, '../../..');

describe.runIf(has('docker') && has('sshd'))('an edge on a server', () => {
  let docker: Docker;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    docker = await startDocker();
    closing.push(() => docker.close());
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it('meets the edge contract over SSH', { timeout: 900_000 }, async () => {
    const config = join(import.meta.dirname, 'inside/vitest.config.ts');
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, '--root', root];
    const [enter, ...args] = [...entering(docker.namespace), process.execPath, ...vitest];
    const env = { ...process.env, MOORING_TEST_ENGINE: docker.address };
    const inside = spawnRecorded(enter!, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    expect(await exited(inside)).toBe(0);
  });

  describe('with its own engine', () => {
    let edges: ReturnType<typeof serverEdges>;
    let port: number;
    beforeAll(async () => {
      // The default ports, which may need privileges.
      edges = serverEdges(engineAt(docker.address), bundle);
      port = await freePort();
      const way = await wayTo(docker.namespace.address, 80, port);
      closing.push(
        () => edges.close(),
        () => way.close(),
      );
    });

    it('is installed in the end despite connection losses', { timeout: 180_000 }, async () => {
      const door = await engineDoor(docker.address);
      const overSsh = serverEdges(door.connect, bundle);
      closing.push(
        () => overSsh.close(),
        () => door.close(),
      );
      const edge = overSsh.driver({ port: 80 });
      const over = new AbortController();
      const lost = expect(edge.ensure().finally(() => over.abort())).rejects.toThrow(EngineAwayError);
      // Some of the work is local, which no cut disturbs.
      while (!over.signal.aborted) {
        await sleep(500);
        door.cut();
      }
      await lost;
      expect(overSsh.reports).toEqual([]);
      await until('the way is there again', () => edge.ensure().then(() => true), 45_000);
      expect(overSsh.reports.join()).toContain('sent Node');
      expect(await edge.list()).toEqual([]);
      edge.close();
    });

    it(
      'gets a site of five thousand files, and restores it after an engine restart',
      { timeout: 180_000 },
      async () => {
        const edge = edges.driver({ port: 80 });
        await edge.ensure();
        const folder = newFolder('large');
        for (let i = 0; i < 5000; i++) {
          if (i % 100 === 0) mkdirSync(join(folder, `part-${i / 100}`));
          writeFileSync(join(folder, `part-${Math.floor(i / 100)}`, `${i}.txt`), `file ${i} ${'x'.repeat(i)}`);
        }
        const pointed = project('large.localhost', 'dep_1', { type: 'static', folder, fallback: null });
        await edge.point(pointed);
        const again = Date.now();
        await edge.point({ ...pointed, fence: 2 });
        expect(Date.now() - again).toBeLessThan(5000);
        const answer = async (i: number) =>
          (await ask(port, 'large.localhost', `/part-${Math.floor(i / 100)}/${i}.txt`)).text;
        for (const i of [0, 2500, 4999]) expect(await answer(i)).toBe(`file ${i} ${'x'.repeat(i)}`);
        const gone = edge.gone();
        await docker.stop();
        await expect(edge.list()).rejects.toThrow(EngineAwayError);
        await docker.start();
        await gone;
        expect(await edge.list()).toEqual([{ ...pointed, fence: 2 }]);
        await until('it serves', async () => (await answer(4999)).startsWith('file 4999'));
        await edge.dismantle();
      },
    );

    it("runs a program for the engine's CPU architecture", { timeout: 180_000 }, async () => {
      // A proxy to the real engine that reports another architecture.
      const foreign = new EngineClient(engineAt(docker.address));
      const json = foreign.json.bind(foreign);
      foreign.json = async <T>(call: Parameters<typeof json>[0]) => {
        const answer = await json<T>(call);
        return call.path === '/version' ? { ...answer, Arch: 's390x' } : answer;
      };
      const folder = newFolder('site');
      writeFileSync(join(folder, 'index.html'), 'home');
      const [ours, edge] = [edges.driver({ port: 80 }), edges.driver({ port: 80, engine: foreign })];
      await ours.point(project('a.localhost', 'dep_1', { type: 'static', folder, fallback: null }));
      await expect(edge.ensure()).rejects.toThrow(
        /another processor architecture \(s390x\).*node:24-slim.*cannot be pulled/,
      );
      expect((await ask(port, 'a.localhost')).text).toBe('home');
      await makeImage(docker.client, node);
      for (const each of [edge, ours]) {
        edges.reports.splice(0);
        await each.ensure();
        expect((await ask(port, 'a.localhost')).text).toBe('home');
        expect(edges.reports.join()).toMatch(/got a new container; it was down for/);
      }
      foreign.close();
    });
  });
});
