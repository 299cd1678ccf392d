import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../test/rig/parts.ts';
import { until } from '../../../../test/rig/until.ts';
import { runtimeContract } from '../contract.ts';
import { type DockerRig, dockerRig, type RuntimeEngine, startRuntimeEngine } from './docker-rig.ts';

const idle = 'setInterval(() => {}, 1000);';
const megabytes = (count: number) => count * 1024 * 1024;

/** Prints its privileges, then stays up. */
const tellingRights = `
  const { readFileSync, writeFileSync } = require('node:fs');
  const status = readFileSync('/proc/self/status', 'utf8');
  const line = (name) => new RegExp(name + ':\\\\t(\\\\w+)').exec(status)[1];
  const write = (path) => { try { writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
  console.log(JSON.stringify({ has: line('CapEff'), mayGet: line('CapBnd'), noNew: line('NoNewPrivs'),
    root: write('/file'), tmp: write('/tmp/file'), parent: process.ppid }));
  ${idle}`;

describe.runIf(has('docker'))('with an engine', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());

  runtimeContract('docker', () => dockerRig(engine));

  describe('docker runtime', () => {
    afterEach(() => rig.close());
    const begin = () => (rig = dockerRig(engine));
    const said = async (id?: string) => (await until('it says something', async () => (await rig.lines(id))[0]))!;

    it('confines an app tightly by default', async () => {
      const { runtime, release } = begin();
      const limits = { cpus: 0.5, memoryBytes: megabytes(256) };
      const imageId = await engine.derive('node-as-user', ['USER 1000:1000']);
      const { id } = await runtime.start(release(tellingRights, { imageId, ...limits }));
      const nothing = '0000000000000000';
      const tight = { has: nothing, mayGet: nothing, noNew: '1', root: 'EROFS', tmp: 'written', parent: 1 };
      expect(JSON.parse(await said())).toEqual(tight);
      expect((await engine.inspect(id)).HostConfig).toMatchObject({
        Memory: megabytes(256),
        MemorySwap: megabytes(256),
        NanoCpus: 5e8,
        PidsLimit: 2048,
        Privileged: false,
        RestartPolicy: { Name: 'always' },
        LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      });
    });

    it('grants an image that starts as root what it needs to drop privileges, or what it requests', async () => {
      const { runtime, release } = begin();
      const start = (deploymentId: string, confinement: object) =>
        runtime.start(release(tellingRights, { owner: { deploymentId }, confinement }));
      await Promise.all([start('dep_root', { writableRoot: true }), start('dep_asked', { capabilities: ['NET_RAW'] })]);
      // chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service
      expect(JSON.parse(await said('dep_root'))).toMatchObject({
        has: '00000000000004fb',
        noNew: '1',
        root: 'written',
      });
      expect(JSON.parse(await said('dep_asked'))).toMatchObject({ has: '0000000000002000', root: 'EROFS' });
    });

    it('adds a notice when an app tries to write to its read-only file system', async () => {
      const { runtime, release } = begin();
      const program = `try { require('node:fs').mkdirSync('/data') } catch (error) { console.error(error.message) } ${idle}`;
      expect((await runtime.start(release(program))).notices).toEqual([]);
      expect(await said()).toContain('EROFS');
      const sentence = expect.stringContaining('tried to write') as string;
      await until(
        'there is a notice',
        async () => expect((await runtime.find('dep_1'))!.notices).toEqual([sentence]) ?? true,
      );
      await runtime.stop('dep_1', 500);
      const writable = await runtime.start(release(program, { confinement: { writableRoot: true } }));
      expect(writable.notices).toEqual([]);
    });

    it('mounts tmpfs where an app keeps caches', async () => {
      const { runtime, release } = begin();
      const imageId = await engine.derive('node-with-home', ['USER 1000:1000']);
      const write = `for (const path of ['/home/node/x', '/var/cache/app/x', '/x'])
        try { require('node:fs').writeFileSync(path, 'x'); console.log(path) } catch (error) { console.log(error.code) }`;
      const confinement = { memory: ['/home/node', '/var/cache/app'] };
      await runtime.start(release(`${write} ${idle}`, { imageId, confinement }));
      await until('it has tried', async () => (await rig.lines()).length === 3);
      expect(await rig.lines()).toEqual(['/home/node/x', '/var/cache/app/x', 'EROFS']);
    });

    it('reports the health check', async () => {
      const { runtime, release } = begin();
      const times = { intervalMs: 200, timeoutMs: 5000, retries: 1, startPeriodMs: 0 };
      const start = (deploymentId: string, command: string[]) =>
        runtime.start(release(idle, { owner: { deploymentId }, healthcheck: { command, ...times } }));
      expect((await start('dep_good', ['true'])).health).toBe('starting');
      await start('dep_bad', ['false']);
      const health = async (id: string) => (await runtime.find(id))!.health;
      await until('one is healthy', async () => (await health('dep_good')) === 'healthy');
      await until('the other is not', async () => (await health('dep_bad')) === 'unhealthy');
      await until('it is told', () =>
        rig.events.some((each) => each.what === 'unhealthy' && each.owner.deploymentId === 'dep_bad'),
      );
    });

    it('keeps the volumes of an image across containers, deployments and the removal of the last one', async () => {
      const { runtime, release } = begin();
      const imageId = await engine.derive('node-with-volume', ['VOLUME /data']);
      const program = `require('node:fs').appendFileSync('/data/file', 'x'); console.log(require('node:fs').readFileSync('/data/file', 'utf8')); ${idle}`;
      await runtime.start(release(program, { imageId }));
      expect(await said()).toBe('x');
      await runtime.start(release(program, { imageId, owner: { fence: 2 } }));
      await until('the next one finds it', async () => (await rig.lines()).at(-1) === 'xx');
      await runtime.remove('dep_1');
      await runtime.start(release(program, { imageId, owner: { deploymentId: 'dep_2' } }));
      await until('another one finds it', async () => (await rig.lines('dep_2')).at(-1) === 'xxx');
      await runtime.remove('dep_2');
      const { Volumes } = await engine.get<{ Volumes: { Labels: object }[] }>('/volumes');
      const owner = { 'mooring.instance': 'ins_ours', 'mooring.project': 'prj_1', 'mooring.stack': 'prj_1/production' };
      expect(Volumes).toMatchObject([{ Labels: { ...owner, 'mooring.service': 'app', 'mooring.volume': '/data' } }]);
    });

    it('treats unusual names as plain data and writes secrets to no file', async () => {
      const {
        runtime,
        release,
        options: { folder },
      } = begin();
      const strange = '-rf ../../$(touch pwned)\n`id`/.."\'é💥';
      const owner = { deploymentId: strange, service: strange, projectId: strange, organizationId: strange };
      const secret = `secret-${Math.random()}`;
      const spec = release(idle, { owner, env: { KEY: secret } });
      const { id } = await runtime.start(spec);
      expect(await runtime.find(strange, strange)).toMatchObject({ id, owner: spec.owner, state: 'running' });
      expect(await runtime.list()).toHaveLength(1);
      await runtime.stop(strange, 500);
      for (const file of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()))
        expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(secret);
      expect(JSON.stringify((await engine.inspect(id)).Config.Labels)).not.toContain(secret);
      await runtime.remove(strange);
      expect(readdirSync(join(folder, 'instances'))).toEqual([]);
      expect(await runtime.list()).toEqual([]);
    });
  });
});
