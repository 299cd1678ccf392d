import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import { answeringProgram, callingProgram, testServiceRelease } from '../../src/drivers/runtime/docker/service/rig.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

type Seen = Record<string, number>;

describe.runIf(has('docker'))('names of services, long runs', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine, { patienceMs: 30_000 }));
  const start = (service: string, program: string, deploymentId: string, isNamedAtOnce = deploymentId === 'dep_1') =>
    rig.runtime.start(testServiceRelease(rig, service, program, { deploymentId, options: { isNamedAtOnce } }));
  const seen = async (service: string) =>
    (await rig.runtime.logs('dep_1', { service })).map(({ line }) => JSON.parse(line) as Seen);
  const last = (service: string, who: string) =>
    until(`${who} is reached`, async () => Object.keys((await seen(service)).at(-1) ?? {}).join() === who, 30_000);

  it('survive thirty deployments of a service, each removed after the next, without a failed call', async () => {
    const { runtime } = begin();
    await start('api', answeringProgram('of dep_1'), 'dep_1');
    for (const caller of ['web', 'db']) await start(caller, callingProgram('api'), 'dep_1');
    await last('web', 'of dep_1');
    const from = (await seen('web')).length;
    for (let i = 2; i <= 31; i++) {
      await start('api', answeringProgram(`of dep_${i}`), `dep_${i}`);
      await until('it listens', async () => (await runtime.logs(`dep_${i}`, {})).length > 0);
      await runtime.promote(`dep_${i}`, 'api');
      await last('web', `of dep_${i}`);
      await last('db', `of dep_${i}`);
      await runtime.remove(`dep_${i - 1}`, 'api');
    }
    const all = [...(await seen('web')).slice(from), ...(await seen('db'))];
    const who = new Set(all.flatMap((row) => Object.keys(row)));
    expect([...who].filter((each) => !each.startsWith('of dep_'))).toEqual([]);
    expect(who.size).toBe(31);
    const calls = all.flatMap((row) => Object.values(row)).reduce((sum, count) => sum + count, 0);
    expect(calls).toBeGreaterThan(5_000);
    expect((await runtime.list()).map(({ owner }) => owner.service).toSorted()).toEqual(['api', 'db', 'web']);
  }, 240_000);

  it.each(['SIGTERM', 'SIGKILL'] as const)('are the same after an engine restart (%s)', async (signal) => {
    const { runtime } = begin();
    await start('api', answeringProgram('old'), 'dep_1');
    await start('web', callingProgram('api'), 'dep_1');
    await start('api', answeringProgram('new'), 'dep_2');
    await runtime.promote('dep_2', 'api');
    await last('web', 'new');
    await engine.stop(signal);
    await engine.start();
    await until(
      'all are back',
      async () => {
        const states = (await runtime.list()).map(({ state }) => state);
        return states.length === 3 && states.every((state) => state === 'running');
      },
      30_000,
    );
    await last('web', 'new');
    await runtime.promote('dep_1', 'api');
    await last('web', 'old');
    rig.reports.length = 0;
  });
});
