import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import { EngineAwayError } from '../../src/drivers/runtime/errors.ts';
import type { NetworkInfo } from '../../src/drivers/runtime/docker/engine/types.ts';
import { killedAt } from '../../src/drivers/runtime/docker/killed-rig.ts';

const serving = `console.log('up'); require('node:http').createServer((_, response) => response.end(process.env.ANSWER)).listen(process.env.PORT);`;

describe.runIf(has('docker'))('a service killed during an operation', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const ours = async () => ({
    containers: (await rig.runtime.list()).length,
    networks: (await engine.get<NetworkInfo[]>('/networks')).filter(({ Labels }) => Labels?.['mooring.instance'])
      .length,
  });
  const victim = (request: RegExp, when: 'before' | 'after') => {
    const { toEngine, wasKilled } = killedAt(engine.address, request, when);
    return { runtime: rig.with({ connect: toEngine, patienceMs: 0, report: () => {} }), wasKilled };
  };
  const moments = (requests: RegExp[]) =>
    requests.flatMap(
      (each) =>
        [
          ['before', each],
          ['after', each],
        ] as const,
    );

  it.each(moments([/POST .*networks.create/, /POST .*containers.create/, /POST .*\/start/]))(
    'has its start completed by its successor: %s %s',
    async (when, request) => {
      rig = dockerRig(engine);
      const spec = rig.release(serving, { env: { ANSWER: 'well' } });
      const { runtime, wasKilled } = victim(request, when);
      await expect(runtime.start(spec)).rejects.toThrow(EngineAwayError);
      expect(wasKilled()).toBe(true);
      const { host, port } = await rig.runtime.start(spec);
      expect(await until('it answers', async () => (await fetch(`http://${host}:${port}`)).text())).toBe('well');
      expect(await ours()).toEqual({ containers: 1, networks: 1 });
      expect((await rig.lines()).filter((line) => line === 'up')).toHaveLength(1);
      // A name conflict with a container that is still being created is retried and reported.
      rig.reports.length = 0;
    },
  );

  it.each(moments([/POST .*\/update/, /POST .*\/stop/, /DELETE .*containers/, /DELETE .*networks/]))(
    'has its removal completed by its successor: %s %s',
    async (when, request) => {
      rig = dockerRig(engine);
      await rig.runtime.start(rig.release(serving));
      const { runtime, wasKilled } = victim(request, when);
      await expect(runtime.remove('dep_1')).rejects.toThrow(EngineAwayError);
      expect(wasKilled()).toBe(true);
      await rig.runtime.remove('dep_1');
      expect(await ours()).toEqual({ containers: 0, networks: 0 });
    },
  );
});
