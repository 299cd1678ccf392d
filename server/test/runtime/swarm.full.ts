import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pushToRegistry } from '../../src/drivers/images/registry/push.ts';
import { configuredRegistry } from '../../src/drivers/images/registry/registries.ts';
import { appOptions } from '../../src/drivers/runtime/app-options.ts';
import { runtimeContract } from '../../src/drivers/runtime/contract.ts';
import { undefinedIfGone } from '../../src/drivers/runtime/docker/engine/errors.ts';
import { shortHash } from '../../src/drivers/runtime/docker/readable-names.ts';
import type { Instance, ServiceMount, ServiceOptions } from '../../src/drivers/runtime/runtime.ts';
import { changeNode } from '../../src/drivers/runtime/swarm/membership.ts';
import type { TaskInfo } from '../../src/drivers/runtime/swarm/types.ts';
import { newFolder } from '../rig/children.ts';
import type { Docker } from '../rig/docker.ts';
import { has } from '../rig/parts.ts';
import { registryUser, startRegistry } from '../rig/registry.ts';
import { type RuntimeSwarm, startRuntimeSwarm, type SwarmRig, swarmRig } from '../rig/swarm-runtime.ts';
import { until } from '../rig/until.ts';

const idle = 'setInterval(() => {}, 1000);';
const server = `require('node:http').createServer((_, response) => response.end(String(process.env.ANSWER ?? 'hello')))
  .listen(3000);`;
/** Answers with what its file contains, after appending to it. */
const keeping = `const { appendFileSync, readFileSync } = require('node:fs');
  appendFileSync('/kept/file', 'x');
  require('node:http').createServer((_, response) => response.end(readFileSync('/kept/file'))).listen(3000);`;
/** Answers with owner, mode and content of its files. */
const showing = `const { readFileSync, statSync } = require('node:fs');
  const show = (path) => { const { uid, gid, mode } = statSync(path);
    return [uid, gid, (mode & 0o777).toString(8), readFileSync(path, 'utf8')].join(' '); };
  const all = ['/run/secrets/key', '/etc/app.conf'].map(show).join(', ');
  require('node:http').createServer((_, response) => response.end(all)).listen(3000);`;

describe.runIf(has('docker'))('with a Swarm', () => {
  let swarm: RuntimeSwarm;
  let rig: SwarmRig;
  beforeAll(async () => {
    swarm = await startRuntimeSwarm(3);
  });
  afterAll(() => swarm?.close());

  runtimeContract('swarm', () => swarmRig(swarm));

  describe('swarm runtime', () => {
    afterEach(() => rig.close());
    const begin = () => (rig = swarmRig(swarm));
    const get = <T>(path: string, query = {}) => swarm.nodes[0]!.client.json<T>({ method: 'GET', path, query });
    const nodeOf = async ({ id }: Instance) => {
      const tasks = await get<TaskInfo[]>('/tasks', { filters: { service: [id], 'desired-state': ['running'] } });
      return tasks.find(({ Status }) => Status.State === 'running')?.NodeID;
    };
    const answer = async (instance: Instance) => {
      const { host, port } = await rig.reach(instance);
      return (await fetch(`http://${host}:${port}/`)).text();
    };
    const answers = (instance: Instance, wanted: string) =>
      until(`it answers ${wanted}`, async () => (await answer(instance)) === wanted);
    const stack = (changes: Partial<ServiceOptions> = {}) => ({ ...appOptions('prj_1/production'), ...changes });
    const keep = {
      type: 'volume',
      target: '/kept',
      isReadOnly: false,
      volume: { name: 'kept', externalName: null, driver: null, driverOptions: {}, labels: {} },
      subpath: null,
      isCopied: true,
    } as const;

    it('spreads replicas over the nodes', async () => {
      const { runtime, release } = begin();
      const started = [];
      for (const replica of [1, 2, 3])
        started.push(await runtime.start(release(server, { owner: { ...(replica > 1 && { replica }) } })));
      for (const instance of started) await answers(instance, 'hello');
      expect(new Set(await Promise.all(started.map(nodeOf))).size).toBe(3);
    });

    it('runs a service elsewhere when its node dies, at the same address', async () => {
      const { runtime, release } = begin();
      await runtime.start(release(server));
      const second = await runtime.start(release(server, { owner: { replica: 2 }, env: { ANSWER: 'second' } }));
      await answers(second, 'second');
      const first = swarm.nodeIds.indexOf((await nodeOf(second))!);
      // The door is on the first node, which must live on.
      const dying = first === 0 ? await nodeOf((await runtime.find('dep_1', 'app', 1))!) : swarm.nodeIds[first];
      const node = swarm.nodes[swarm.nodeIds.indexOf(dying!)]!;
      await node.stop('SIGKILL');
      try {
        const all = [(await runtime.find('dep_1', 'app', 1))!, (await runtime.find('dep_1', 'app', 2))!];
        await until(
          'both run on other nodes',
          async () => (await Promise.all(all.map(nodeOf))).every((each) => each && each !== dying),
          90_000,
        );
        await answers(all[0]!, 'hello');
        await answers(all[1]!, 'second');
      } finally {
        await node.start();
        rig.reports.length = 0;
      }
    });

    it('keeps a volume and what uses it on one node', async () => {
      const { runtime, release } = begin();
      const service = stack({ mounts: [keep] });
      const one = await runtime.start(release(keeping, { service }));
      await answers(one, 'x');
      const node = await nodeOf(one);
      await runtime.stop('dep_1', 1000);
      const two = await runtime.start(release(keeping, { service, owner: { deploymentId: 'dep_2' } }));
      await answers(two, 'xx');
      expect(await nodeOf(two)).toBe(node);
      const [volume] = await runtime.volumes({ stack: 'prj_1/production' });
      expect(volume).toMatchObject({ name: 'kept', stack: 'prj_1/production' });
      expect(await runtime.removeVolume(volume!.id)).toBe(false);
      await runtime.remove('dep_1');
      await runtime.remove('dep_2');
      expect(await runtime.removeVolumes({ projectId: 'prj_1' })).toEqual([volume!.id]);
      const nodes = await get<{ Spec: { Labels: object } }[]>('/nodes');
      expect(nodes.map(({ Spec }) => Spec.Labels)).toEqual([{}, {}, {}]);
    });

    describe('files of the source', () => {
      const sourceFiles = newFolder('contents');
      const withFiles = () => (rig = swarmRig(swarm, { sourceFiles }));
      /** A file as the store of contents has it. */
      const fileAt = (target: string, name: string, content: string, mode: number, uid = 0): ServiceMount => {
        const path = join(sourceFiles, 'prj_1', name, 'content');
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, content);
        chmodSync(path, mode);
        chownSync(path, uid, uid);
        return { type: 'bind', path, target, isReadOnly: true, propagation: null };
      };
      const key = (content: string) => fileAt('/run/secrets/key', content, content, 0o400);
      const conf = () => fileAt('/etc/app.conf', 'conf', 'a setting', 0o644, 1000);
      const secretNames = async () =>
        (await get<{ Spec: { Name: string } }[]>('/secrets')).map(({ Spec }) => Spec.Name).toSorted();
      const addSecret = (Name: string, Labels: object) =>
        swarm.nodes[0]!.client.json({ method: 'POST', path: '/secrets/create', body: { Name, Labels, Data: 'eA==' } });

      it('reach every node, and are removed when nothing uses them', async () => {
        const { runtime, release } = withFiles();
        await addSecret('theirs', {});
        await addSecret('others', { 'mooring.instance': 'ins_stranger', 'mooring.role': 'swarm' });
        const foreign = ['others', 'theirs'];
        const service = stack({ mounts: [key('secret'), conf()] });
        const started = [];
        for (const replica of [1, 2, 3])
          started.push(await runtime.start(release(showing, { service, owner: { ...(replica > 1 && { replica }) } })));
        for (const instance of started) await answers(instance, '0 0 400 secret, 1000 1000 644 a setting');
        expect(new Set(await Promise.all(started.map(nodeOf))).size).toBe(3);
        const written = (await runtime.writtenFiles('dep_1', 'app')).map(({ path }) => path);
        expect(written.filter((path) => !path.endsWith('/docker-init'))).toEqual([]);
        const before = await secretNames();
        expect(before).toHaveLength(4);
        const [same] = [started[0]!, await runtime.start(release(showing, { service }))];
        expect(await nodeOf(same)).toBe(await nodeOf(started[0]!));

        const changed = stack({ mounts: [key('changed'), conf()] });
        const owner = { deploymentId: 'dep_2' };
        const second = await runtime.start(release(showing, { service: changed, owner }));
        await answers(second, '0 0 400 changed, 1000 1000 644 a setting');
        expect(await secretNames()).toHaveLength(5);
        await runtime.remove('dep_1');
        const after = await secretNames();
        expect(after).toHaveLength(4);
        expect(after.filter((name) => before.includes(name))).toHaveLength(3);
        await runtime.remove('dep_2');
        expect(await secretNames()).toEqual(foreign);
      });

      it('go to the node of the volumes, unless they are too large', async () => {
        const { runtime, release } = withFiles();
        const { client } = swarm.nodes[0]!;
        const there = swarm.nodeIds[1]!;
        const label = `mooring.stack.${shortHash('ins_ours', 'prj_1/production')}`;
        await changeNode(client, there, () => ({ Labels: { [label]: 'volumes' } }));
        try {
          const service = stack({ mounts: [keep, key('secret'), conf()] });
          const one = await runtime.start(release(showing, { service }));
          await answers(one, '0 0 400 secret, 1000 1000 644 a setting');
          expect(await nodeOf(one)).toBe(there);
          const large = fileAt('/etc/large', 'large', 'x'.repeat(600_000), 0o644);
          const owner = { deploymentId: 'dep_2' };
          const start = runtime.start(
            release(showing, { service: stack({ mounts: [keep, key('secret'), large] }), owner }),
          );
          await expect(start).rejects.toThrow(
            /the volumes of this stack are on the node .* large files are only on this/,
          );
          await runtime.remove('dep_1');
          await runtime.removeVolumes({ projectId: 'prj_1' });
        } finally {
          await changeNode(client, there, () => ({ Labels: {} }));
        }
      });
    });

    it('lets services of a stack find each other by name', async () => {
      const { runtime, release } = begin();
      const networks = [{ ...appOptions('').networks[0]!, names: [{ name: 'api', service: 'backend' }] }];
      const service = { ...stack({ networks }), isApp: undefined } as unknown as ServiceOptions;
      await runtime.start(release(server, { service, owner: { service: 'backend' }, env: { ANSWER: 'from the api' } }));
      const asking = `require('node:http').createServer(async (_, response) =>
        response.end(await (await fetch('http://api:3000')).text())).listen(3000);`;
      const web = await runtime.start(release(asking, { service, owner: { service: 'web' } }));
      await answers(web, 'from the api');
    });

    it('runs a command to its end', async () => {
      const { runtime, release } = begin();
      const lines: string[] = [];
      const once = release('console.log("begun"); console.error("oh"); setTimeout(() => process.exit(7), 300)', {
        owner: { service: 'release' },
      });
      const onLine = (line: string, stream: string) => lines.push(`${stream} ${line}`);
      const signal = AbortSignal.timeout(60_000);
      expect(await runtime.runOnce(once, { signal, onLine, deadlineMs: 60_000 })).toEqual({ exitCode: 7 });
      expect(lines.toSorted()).toEqual(['stderr oh', 'stdout begun']);
      expect(await runtime.list()).toEqual([]);
    });

    it('says why no node runs it', async () => {
      const { runtime, release } = begin();
      const memoryReservationBytes = 2 ** 50;
      const start = runtime.start(release(idle, { service: stack({ memoryReservationBytes }) }));
      await expect(start).rejects.toThrow(/no node of the Swarm can run it: .*insufficient resources/);
    });

    it.runIf(has('registry'))('brings an image to the nodes that accept services', async () => {
      const [first, second, third] = swarm.nodes as [Docker, Docker, Docker];
      const registry = await startRegistry(first.namespace, 'basic');
      const address = registry.address.replace('127.0.0.1', swarm.addressOf(first));
      const distribute = (id: string) =>
        pushToRegistry(first.client, id, configuredRegistry(first.client, address, registryUser));
      const { runtime } = (rig = swarmRig(swarm, { distribute }));
      const query = { container: swarm.door, repo: 'moved' };
      const { Id } = await first.client.json<{ Id: string }>({ method: 'POST', path: '/commit', query });
      const hasImage = async ({ client }: Docker) =>
        (await undefinedIfGone(client.json({ method: 'GET', path: `/images/${Id}/json` }))) !== undefined;
      const setThird = (Availability: 'pause' | 'active') =>
        changeNode(first.client, swarm.nodeIds[2]!, () => ({ Availability }));
      await setThird('pause');
      try {
        await runtime.spreadImage!(Id);
        expect([await hasImage(second), await hasImage(third)]).toEqual([true, false]);
        expect(rig.reports).toEqual([]);
        await setThird('active');
        await registry.stop();
        await runtime.spreadImage!(Id);
        expect(rig.reports.splice(0)).toEqual([expect.stringContaining('an image was not brought to a node')]);
      } finally {
        await setThird('active');
        await registry.stop();
      }
    });

    it('leaves services of others alone', async () => {
      const { runtime } = begin();
      const body = {
        Name: 'theirs',
        TaskTemplate: { ContainerSpec: { Image: swarm.imageId, Command: ['node', '-e', idle] } },
        Mode: { Replicated: { Replicas: 0 } },
        Labels: { 'mooring.instance': 'ins_ours' },
      };
      await swarm.nodes[0]!.client.json({ method: 'POST', path: '/services/create', body });
      expect(await runtime.list()).toEqual([]);
      await runtime.remove('dep_1');
      expect(await get<object[]>('/services')).toHaveLength(1);
    });
  });
});
