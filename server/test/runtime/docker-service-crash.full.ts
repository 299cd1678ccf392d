import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import { killedAt } from '../../src/drivers/runtime/docker/killed-rig.ts';
import { namedContainerName, nameSlots } from '../../src/drivers/runtime/docker/service/names.ts';
import { answeringProgram, callingProgram, testServiceRelease } from '../../src/drivers/runtime/docker/service/rig.ts';
import { EngineAwayError } from '../../src/drivers/runtime/errors.ts';
import type { ServiceMount } from '../../src/drivers/runtime/runtime.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

const data: ServiceMount = {
  type: 'volume',
  target: '/data',
  isReadOnly: false,
  subpath: null,
  isCopied: true,
  volume: { name: 'data', externalName: null, driver: null, driverOptions: {}, labels: {} },
};

describe.runIf(has('docker'))('services of a stack, with the service killed during an operation', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());

  const victim = (request: RegExp, when: 'before' | 'after') => {
    const { toEngine, wasKilled } = killedAt(engine.address, request, when);
    return { runtime: rig.with({ connect: toEngine, patienceMs: 0, report: () => {} }), wasKilled };
  };
  const moments = (requests: RegExp[]) =>
    requests.flatMap((each) => (['before', 'after'] as const).map((when) => [when, each] as const));
  const start = (
    service: string,
    program: string,
    deploymentId = 'dep_1',
    isNamedAtOnce = deploymentId === 'dep_1',
  ) => {
    const options = { isNamedAtOnce, mounts: service === 'api' ? [data] : [] };
    return testServiceRelease(rig, service, program, { listensOn: 3000, deploymentId, options });
  };
  const reached = (who: string) =>
    until(`${who} is reached by name`, async () => {
      const last = (await rig.runtime.logs('dep_1', { service: 'web', tail: 1 }))[0]?.line ?? '{}';
      return Object.keys(JSON.parse(last) as object).join() === who;
    });
  const fronts = async () => {
    const names = (await engine.get<{ Names: string[] }[]>('/containers/json?all=true')).map(({ Names }) => Names[0]);
    return nameSlots.filter((side) =>
      names.includes(`/${namedContainerName('ins_ours', 'prj_1/production', 'api', side)}`),
    ).length;
  };
  const networks = async () =>
    (await engine.get<{ Name: string }[]>('/networks')).filter(({ Name }) => Name.startsWith('mooring')).length;

  const steps = [/networks.create/, /volumes.create/, /containers.create/, /\/connect/, /\/rename/, /\/start/];
  it.each(moments(steps.map((each) => new RegExp(`POST .*${each.source}`))))(
    'have their start completed by its successor: %s %s',
    async (when, request) => {
      rig = dockerRig(engine);
      const spec = start('api', answeringProgram('api'));
      const { runtime, wasKilled } = victim(request, when);
      await expect(runtime.start(spec)).rejects.toThrow(EngineAwayError);
      expect(wasKilled()).toBe(true);
      const { host, port } = await rig.runtime.start(spec);
      expect(await until('it answers', async () => (await fetch(`http://${host}:${port}`)).text())).toBe('api');
      await rig.runtime.start(start('web', callingProgram('api')));
      await reached('api');
      expect([await fronts(), await networks(), (await rig.runtime.list()).length]).toEqual([1, 2, 2]);
      rig.reports.length = 0;
    },
  );

  it.each(moments([/POST .*rename\?name=mooring-[0-9a-f]{12}-api/, /POST .*rename\?name=mooring-dep/]))(
    'have their names switched by its successor: %s %s',
    async (when, request) => {
      rig = dockerRig(engine);
      await rig.runtime.start(start('api', answeringProgram('old')));
      await rig.runtime.start(start('web', callingProgram('api')));
      await rig.runtime.start(start('api', answeringProgram('new'), 'dep_2'));
      await reached('old');
      await until('the new one listens', async () => (await rig.runtime.logs('dep_2', {})).length > 0);
      const { runtime, wasKilled } = victim(request, when);
      // The last of its requests may complete before the kill.
      const end: unknown = await runtime.promote('dep_2', 'api').catch((error: unknown) => error);
      expect(end === undefined || end instanceof EngineAwayError).toBe(true);
      await until('it is killed', wasKilled);
      await rig.runtime.promote('dep_2', 'api');
      await reached('new');
      expect(await fronts()).toBe(1);
      await rig.runtime.remove('dep_1', 'api');
      await reached('new');
      const rows = (await rig.runtime.logs('dep_1', { service: 'web' })).map(({ line }) => line).join();
      expect(rows).not.toContain('failed');
    },
  );
});
