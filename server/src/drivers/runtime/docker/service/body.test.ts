import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../../test/rig/parts.ts';
import { until } from '../../../../../test/rig/until.ts';
import { type DockerRig, dockerRig, type RuntimeEngine, startRuntimeEngine } from '../docker-rig.ts';
import { idleProgram, testServiceRelease } from './rig.ts';

describe.runIf(has('docker'))('container of a service', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine));
  const said = (service: string, deploymentId = 'dep_1') =>
    until('it says something', async () => (await rig.runtime.logs(deploymentId, { service }))[0]?.line);

  it('has the settings of its file, and none of our variables', async () => {
    const { runtime } = begin();
    const status = `const line = (name) => new RegExp(name + ':\\\\t(\\\\w+)').exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1];`;
    const telling = `${status} require('node:fs').writeFileSync('/written', ''); console.log(JSON.stringify({ env: process.env, caps: line('CapEff'), noNew: line('NoNewPrivs'), cwd: process.cwd(),
      host: require('node:os').hostname(), tty: process.stdout.isTTY === true, parent: process.ppid })); ${idleProgram}`;
    const options = {
      workingDirectory: '/tmp',
      hostname: 'box',
      hasTty: true,
      hasInit: false,
      labels: { mine: '1', 'mooring.project': 'prj_2', 'com.docker.compose.project': 'x' },
      extraHosts: [{ host: 'there', address: '10.0.0.1' }],
      ulimits: { nofile: { soft: 1000, hard: 2000 } },
      sysctls: { 'net.core.somaxconn': '512' },
      stopGraceMs: 1_500,
      restart: { policy: 'on-failure', maxAttempts: 3 } as const,
    };
    const { id, port } = await runtime.start(testServiceRelease(rig, 'api', telling, { env: { KEY: 'v' }, options }));
    const { env, ...rest } = JSON.parse((await said('api'))!) as { env: Record<string, string> };
    expect(rest).toEqual({ caps: '00000000a80425fb', noNew: '1', cwd: '/tmp', host: 'box', tty: true, parent: 0 });
    expect(env).toMatchObject({ KEY: 'v' });
    expect(env).not.toHaveProperty('PORT');
    expect(env).not.toHaveProperty('HOST');
    expect(port).toBe(0);
    const { Config, HostConfig } = await engine.inspect(id);
    expect(Config.Labels).toMatchObject({ mine: '1', 'mooring.project': 'prj_1' });
    expect(Config.Labels).not.toHaveProperty('com.docker.compose.project');
    expect(HostConfig).toMatchObject({
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
      ExtraHosts: ['there:10.0.0.1'],
    });
    expect(Config.StopTimeout).toBe(2);
  });

  it('does not crash the engine when a health check has timings only', async () => {
    const { runtime } = begin();
    const times = { intervalMs: 100, timeoutMs: 100, retries: 1, startPeriodMs: 0 };
    const release = testServiceRelease(rig, 'api', idleProgram, { healthcheck: { command: [], ...times } });
    const { id } = await runtime.start(release);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await engine.inspect(id)).State.Status).toBe('running');
  });

  it('gets the privileges of a trusted project, and the default confinement otherwise', async () => {
    const { runtime } = begin();
    const telling = `const status = require('node:fs').readFileSync('/proc/self/status', 'utf8');
      const line = (name) => new RegExp(name + ':\\\\t(\\\\w+)').exec(status)[1];
      console.log(JSON.stringify({ caps: line('CapBnd'), noNew: line('NoNewPrivs'), device: require('node:fs').existsSync('/dev/mine'), pid: process.pid > 50 })); ${idleProgram}`;
    const beyond = {
      isPrivileged: false,
      capAdd: ['NET_ADMIN'],
      securityOptions: ['no-new-privileges:false'],
      devices: ['/dev/null:/dev/mine:r'],
      deviceCgroupRules: [],
      gpus: [],
      pid: 'host',
      ipc: null,
      userns: null,
      uts: null,
      cgroup: null,
      cgroupParent: null,
      runtime: null,
    };
    const capDrop = ['NET_RAW', 'MKNOD'];
    await runtime.start(testServiceRelease(rig, 'trusted', telling, { options: { beyond, capDrop } }));
    expect(JSON.parse((await said('trusted'))!)).toEqual({
      caps: '00000000a00415fb',
      noNew: '0',
      device: true,
      pid: true,
    });
    const confinement = { writableRoot: false, memory: ['/cache'], capabilities: ['CHOWN'] };
    const reading = telling.replace('console', `require('node:fs').writeFileSync('/cache/x', ''); console`);
    const { id } = await runtime.start(testServiceRelease(rig, 'tight', reading, { confinement }));
    expect(JSON.parse((await said('tight'))!)).toEqual({
      caps: '0000000000000001',
      noNew: '1',
      device: false,
      pid: false,
    });
    expect((await engine.inspect(id)).HostConfig.ReadonlyRootfs).toBe(true);
  });

  it('ignores labels of an image that look like ours', async () => {
    const { runtime } = begin();
    const said = {
      stack: 'prj_2/production',
      reached: '10.1.2.3:80',
      restart: '{"Name":"no"}',
      named: '',
      service: 'db',
    };
    const words = Object.entries(said).map(([name, value]) => `LABEL mooring.${name}=${JSON.stringify(value)}`);
    const imageId = await engine.derive('image-with-labels', words);
    const app = await runtime.start(rig.release(idleProgram, { imageId, owner: { deploymentId: 'dep_app' } }));
    expect(app.host).toBe(engine.namespace.address);
    await runtime.restart('dep_app');
    expect((await engine.inspect(app.id)).HostConfig.RestartPolicy.Name).toBe('always');
    const service = await runtime.start(testServiceRelease(rig, 'api', idleProgram, { imageId, listensOn: 3000 }));
    expect(service).toMatchObject({ host: engine.namespace.address, owner: { service: 'api' } });
    expect((await engine.inspect(service.id)).Config.Labels!['mooring.stack']).toBe('prj_1/production');
  });
});
