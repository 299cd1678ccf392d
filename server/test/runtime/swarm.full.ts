import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { appOptions } from '../../src/drivers/runtime/app-options.ts';
import { runtimeContract } from '../../src/drivers/runtime/contract.ts';
import type { Instance, ServiceOptions } from '../../src/drivers/runtime/runtime.ts';
import type { TaskInfo } from '../../src/drivers/runtime/swarm/types.ts';
import { has } from '../rig/parts.ts';
import { type RuntimeSwarm, startRuntimeSwarm, type SwarmRig, swarmRig } from '../rig/swarm-runtime.ts';
import { until } from '../rig/until.ts';

const idle = 'setInterval(() => {}, 1000);';
const server = `require('node:http').createServer((_, response) => response.end(String(process.env.ANSWER ?? 'hello')))
  .listen(3000);`;
/** Answers with what its file contains, after appending to it. */
const keeping = `const { appendFileSync, readFileSync } = require('node:fs');
  appendFileSync('/kept/file', 'x');
  require('node:http').createServer((_, response) => response.end(readFileSync('/kept/file'))).listen(3000);`;

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
