import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';
import type { Instance, ServiceOptions } from '../../src/drivers/runtime/runtime.ts';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import {
  answeringProgram,
  idleProgram,
  testNetwork,
  testServiceRelease,
} from '../../src/drivers/runtime/docker/service/rig.ts';

const answer = ({ host, port }: Pick<Instance, 'host' | 'port'>) =>
  until('it answers', async () => (await fetch(`http://${host}:${port}/`)).text());

/** Prints the response from there, or that there is none. */
const asking = (url: string) =>
  `fetch('${url}', { signal: AbortSignal.timeout(1500) }).then((answer) => answer.text(), () => 'out of reach').then(console.log); ${idleProgram}`;

describe.runIf(has('docker'))('networks of a stack', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine));
  const start = (service: string, program: string, options: Partial<ServiceOptions>, listensOn: number | null = null) =>
    rig.runtime.start(testServiceRelease(rig, service, program, { listensOn, options }));
  const said = (service: string) =>
    until('it says something', async () => (await rig.runtime.logs('dep_1', { service }))[0]?.line);

  it('isolate services on different ones, whatever the order of their names', async () => {
    begin();
    const closed = testNetwork(['db', 'api'], { name: 'aaa', isInternal: true });
    const open = testNetwork(['api', 'web'], { name: 'bbb' });
    await start('db', answeringProgram('db'), { networks: [closed] });
    const api = await start('api', answeringProgram('api'), { networks: [closed, open] }, 3000);
    expect(await answer(api)).toBe('api');
    const [asks, other] = [asking('http://db:3000'), asking('http://api:3000')];
    await start('web', asks, { networks: [open] });
    expect(await said('web')).toBe('out of reach');
    await start('worker', asks, { networks: [closed] });
    expect(await said('worker')).toBe('db');
    await start('caller', other, { networks: [open] });
    expect(await said('caller')).toBe('api');
  });

  it('stay closed if internal, even for published services', async () => {
    begin();
    const outside = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\noutside'));
    await new Promise<void>((resolve) => outside.listen(0, engine.namespace.gateway, resolve));
    const url = `http://${engine.namespace.gateway}:${(outside.address() as AddressInfo).port}`;
    const closed = testNetwork(['db', 'api', 'other'], { name: 'closed', isInternal: true });
    const reached = await start('api', answeringProgram('api') + asking(url), { networks: [closed] }, 3000);
    expect(await answer(reached)).toBe('api');
    const lines = () => rig.runtime.logs('dep_1', { service: 'api' });
    await until('it has tried', async () => (await lines()).some(({ line }) => line === 'out of reach'));
    await start('free', asking(url), { networks: [testNetwork([], { name: 'open' })] });
    expect(await said('free')).toBe('outside');
    outside.close();
  });

  it('of others are joined by name, unless they belong to another project', async () => {
    const { runtime } = begin();
    await engine.post('/networks/create', { Name: 'shared' });
    const shared = testNetwork(['api'], { name: 'shared', externalName: 'shared' });
    await start('api', answeringProgram('api'), { networks: [shared] });
    await start('other', asking('http://api:3000'), { networks: [shared], stack: 'prj_1/staging' });
    expect(await said('other')).toBe('api');
    await runtime.start(rig.release(idleProgram, { owner: { projectId: 'prj_2', deploymentId: 'dep_2' } }));
    const networks = await engine.get<{ Name: string; Labels: Record<string, string> }[]>('/networks');
    const theirs = networks.find(({ Labels }) => Labels?.['mooring.project'] === 'prj_2')!.Name;
    const on = (externalName: string) => start('web', idleProgram, { networks: [testNetwork([], { externalName })] });
    await expect(on(theirs)).rejects.toThrow('belongs to another project');
    await expect(on('nowhere')).rejects.toThrow('there is no network nowhere');
    await runtime.remove('dep_1');
    expect((await engine.get<{ Name: string }[]>('/networks')).map(({ Name }) => Name)).toContain('shared');
  });

  it("are the host's, none or another service's if configured", async () => {
    const { runtime } = begin();
    const api = await start('api', answeringProgram('api'), {}, 3000);
    await answer(api);
    const share = { kind: 'service', deploymentId: 'dep_1', service: 'api' } as const;
    await start('side', asking('http://127.0.0.1:3000'), { networks: [], networkMode: share, hostname: 'ignored' });
    expect(await said('side')).toBe('api');
    await start('alone', asking('http://127.0.0.1:3000'), { networks: [], networkMode: { kind: 'none' } });
    expect(await said('alone')).toBe('out of reach');
    const host = { networks: [], networkMode: { kind: 'host' } } as const;
    const port = rig.options.portRange.from + 60;
    const listening = answeringProgram('host').replace('3000', String(port));
    const machine = await runtime.start(
      testServiceRelease(rig, 'machine', listening, { listensOn: port, options: { ...host, networks: [] } }),
    );
    expect(machine.port).toBe(port);
    expect(await answer(machine)).toBe('host');
    const nobody = { ...share, service: 'nobody' };
    await expect(start('lost', idleProgram, { networks: [], networkMode: nobody })).rejects.toThrow(
      'no container of dep_1/nobody',
    );
  });
});
