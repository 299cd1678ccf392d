import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import { namedContainerName } from '../../src/drivers/runtime/docker/service/names.ts';
import {
  answeringProgram,
  callingProgram,
  idleProgram,
  testNetwork,
  testServiceRelease,
} from '../../src/drivers/runtime/docker/service/rig.ts';

/** Keeps one connection as long as possible; logs new connections and the last responder. */
const loyal = (name: string) => `
  const { get, Agent } = require('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () => get({ host: '${name}', port: 3000, agent }, (answer) => {
    answer.on('data', (data) => console.log(String(data))).on('end', () => setTimeout(ask, 100));
  }).on('socket', (socket) => socket.connecting && socket.once('connect', () => console.log('connected')))
    .on('error', (error) => { console.log(error.code); setTimeout(ask, 100); });
  ask();`;

describe.runIf(has('docker'))('names of services', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine));
  const start = (service: string, program: string, deploymentId = 'dep_1', isNamedAtOnce = deploymentId === 'dep_1') =>
    rig.runtime.start(testServiceRelease(rig, service, program, { deploymentId, options: { isNamedAtOnce } }));

  type Seen = Record<string, number>;
  const counts = async (service = 'web') =>
    (await rig.runtime.logs('dep_1', { service })).map(({ line }) => JSON.parse(line) as Seen);
  /** Returns the responders of the next few calls. */
  async function reached(service = 'web'): Promise<Seen> {
    const before = (await counts(service)).length + 1;
    const rows = await until('it has called', async () => {
      const after = (await counts(service)).slice(before);
      return after.length >= 3 ? after : undefined;
    });
    return total(rows!);
  }
  const total = (rows: Seen[]) => {
    const sum: Seen = {};
    for (const [who, times] of rows.flatMap((row) => Object.entries(row))) sum[who] = (sum[who] ?? 0) + times;
    return sum;
  };
  const listens = (service: string, deploymentId: string) =>
    until('it listens', async () => (await rig.runtime.logs(deploymentId, { service })).length > 0);

  it('switch back and forth without a failed call; services without the name get no calls', async () => {
    const { runtime } = begin();
    await start('api', answeringProgram('old'));
    await start('web', callingProgram('api'));
    await until('the old one answers', async () => (await counts()).some((row) => row['old']));
    await start('db', loyal('api'));
    await start('api', answeringProgram('new'), 'dep_2');
    await listens('api', 'dep_2');
    expect(Object.keys(await reached())).toEqual(['old']);
    const from = (await counts()).length;
    for (const [deploymentId, who] of [
      ['dep_2', 'new'],
      ['dep_1', 'old'],
      ['dep_2', 'new'],
      ['dep_2', 'new'],
    ] as const) {
      await runtime.promote(deploymentId, 'api');
      expect(Object.keys(await reached())).toEqual([who]);
    }
    const kept = (await runtime.logs('dep_1', { service: 'db' })).map(({ line }) => line);
    expect([...new Set(kept)], 'a connection that is open stays').toEqual(['connected', 'old']);
    expect(kept.filter((line) => line === 'connected')).toHaveLength(1);
    await runtime.remove('dep_1', 'api');
    expect(Object.keys(await reached())).toEqual(['new']);
    const all = total((await counts()).slice(from));
    expect(Object.keys(all).toSorted()).toEqual(['new', 'old']);
    expect(all['new']! + all['old']!).toBeGreaterThan(200);
  });

  it('stay with the old one while the new one keeps crashing', async () => {
    begin();
    await start('api', answeringProgram('old'));
    await start('web', callingProgram('api'));
    await until('the old one answers', async () => (await counts()).some((row) => row['old']));
    await start('api', 'process.exit(1)', 'dep_2');
    await until('it was restarted', async () => (await rig.runtime.find('dep_2', 'api'))!.restarts > 1);
    expect(Object.keys(await reached())).toEqual(['old']);
  });

  it('complete an interrupted switch', async () => {
    const { runtime } = begin();
    await start('api', answeringProgram('old'));
    const { id } = await start('api', answeringProgram('new'), 'dep_2');
    await start('web', callingProgram('api'));
    const front = namedContainerName('ins_ours', 'prj_1/production', 'api', 'b');
    await engine.post(`/containers/${id}/rename?name=${front}`);
    expect(Object.keys(await reached()).filter((who) => who.startsWith('failed'))).toEqual([]);
    await runtime.promote('dep_2', 'api');
    expect(Object.keys(await reached())).toEqual(['new']);
    expect(await runtime.find('dep_1', 'api')).toMatchObject({ state: 'running' });
    await runtime.promote('dep_1', 'api');
    expect(Object.keys(await reached())).toEqual(['old']);
  });

  it('are kept by a recreated container, and by one that was only partially created', async () => {
    const { runtime } = begin();
    await start('api', answeringProgram('first'));
    await start('web', callingProgram('api'));
    const again = (fence: number, what: string) =>
      runtime.start(
        testServiceRelease(rig, 'api', answeringProgram(what), { fence, options: { isNamedAtOnce: false } }),
      );
    await again(2, 'second');
    await until('the next one has them', async () => (await counts()).at(-1)?.['second']);
    const { id } = (await runtime.find('dep_1', 'api'))!;
    const { Config, Name, Image } = await engine.inspect(id);
    await engine.client.json({ method: 'DELETE', path: `/containers/${id}`, query: { force: true } });
    // The state after a kill between creating it and connecting its networks.
    const half = { Image, Labels: Config.Labels, HostConfig: { NetworkMode: 'none' } };
    await engine.post(`/containers/create?name=${Name.slice(1)}`, half);
    await again(2, 'second');
    await until('it is whole', async () => (await counts()).at(-1)?.['second']);
  });

  it('resolve to the service itself, by all its aliases, and from earlier containers', async () => {
    const { runtime } = begin();
    const names = [
      { name: 'api', service: 'api' },
      { name: 'backend.internal', service: 'api' },
      { name: 'web', service: 'web' },
    ];
    const ask = (name: string) =>
      `const ask = () => fetch('http://${name}:3000').then((a) => a.text()).then(console.log, () => setTimeout(ask, 50)); ask();`;
    const onNetwork = { networks: [testNetwork([], { names })] };
    const make = (service: string, program: string, options: object) =>
      runtime.start(testServiceRelease(rig, service, program, { options }));
    // This one knows only itself.
    await make('web', ask('api') + idleProgram, { networks: [testNetwork(['web'])] });
    await make('api', answeringProgram('api') + ask('api'), onNetwork);
    await make('other', ask('backend.internal') + idleProgram, onNetwork);
    for (const service of ['web', 'api', 'other'])
      await until(`${service} has reached it`, async () =>
        (await runtime.logs('dep_1', { service })).some(({ line }) => line === 'api'),
      );
  });
});
