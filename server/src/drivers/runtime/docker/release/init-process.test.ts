import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../../test/rig/parts.ts';
import { until } from '../../../../../test/rig/until.ts';
import { type DockerRig, dockerRig, type RuntimeEngine, startRuntimeEngine } from '../docker-rig.ts';
import { idleProgram, testServiceRelease } from '../service/rig.ts';

const telling = `console.log(process.pid === 1 ? 'first' : 'below an init'); ${idleProgram}`;

describe.runIf(has('docker')).each([
  ['with an init process', [], 'below an init', []],
  ['without one', ['--init-path=/nowhere/docker-init'], 'first', [expect.stringContaining('no init process')]],
] as const)('engine %s', (_, settings, byDefault, notices) => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine([...settings]);
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const said = (deploymentId: string) =>
    until('it says something', async () => (await rig.runtime.logs(deploymentId, {}))[0]?.line);

  it('runs apps, services and commands', async () => {
    rig = dockerRig(engine);
    const { runtime, reports } = rig;
    const services = { hasNone: false, whatIsUsual: null, hasOne: true };
    for (const [id, hasInit] of Object.entries(services)) {
      const found = await runtime.start(
        testServiceRelease(rig, 'api', telling, { deploymentId: id, options: { hasInit } }),
      );
      expect(found.notices, id).toEqual(hasInit === false ? [] : notices);
      expect(await said(id), id).toBe(hasInit === false ? 'first' : byDefault);
    }
    const app = await runtime.start(rig.release(telling, { owner: { deploymentId: 'app' } }));
    expect(app.notices).toEqual(notices);
    expect(await said('app')).toBe(byDefault);
    // Detected once.
    expect(reports.splice(0).length).toBe(settings.length);
    const lines: string[] = [];
    const release = rig.release(telling.replace(idleProgram, ''), { owner: { deploymentId: 'once' } });
    const options = {
      signal: AbortSignal.timeout(20_000),
      deadlineMs: 20_000,
      onLine: (line: string) => lines.push(line),
    };
    // A fresh driver that has not detected it yet.
    expect(await rig.again().runOnce(release, options)).toEqual({ exitCode: 0 });
    expect(lines).toEqual([byDefault]);
  }, 60_000);

  it.runIf(settings.length === 0)(
    'forwards SIGTERM, and leaves images with their own init process alone',
    async () => {
      rig = dockerRig(engine);
      const { runtime } = rig;
      await runtime.start(testServiceRelease(rig, 'api', telling, { options: { hasInit: null } }));
      await said('dep_1');
      const begun = Date.now();
      await runtime.stop('dep_1', 10_000, 'api');
      expect(Date.now() - begun).toBeLessThan(5000);
      const imageId = await engine.derive('image-with-init', ['ENTRYPOINT ["/usr/bin/env", "node", "-e"]']);
      const own = await engine.derive('image-of-init', ['ENTRYPOINT ["/init"]']);
      const options = { hasInit: null };
      const isGiven = async (image: string) => {
        const spec = testServiceRelease(rig, 'api', idleProgram, { deploymentId: 'dep_2', imageId: image, options });
        const { id } = await runtime.make({ ...spec, command: [idleProgram] });
        const { HostConfig } = await engine.inspect(id);
        await runtime.remove('dep_2');
        return (HostConfig as { Init?: boolean }).Init;
      };
      expect([await isGiven(imageId), await isGiven(own)]).toEqual([true, false]);
    },
    60_000,
  );
});
