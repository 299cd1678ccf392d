import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { entering } from '../rig/docker-namespace.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';
import type { Instance } from '../../src/drivers/runtime/runtime.ts';
import {
  type DockerRig,
  dockerRig,
  type RuntimeEngine,
  startRuntimeEngine,
} from '../../src/drivers/runtime/docker/docker-rig.ts';
import type { NetworkInfo } from '../../src/drivers/runtime/docker/engine/types.ts';

const idle = 'setInterval(() => {}, 1000);';
const serving = `require('node:http').createServer((_, response) => response.end(process.env.ANSWER)).listen(process.env.PORT);`;
const answer = ({ host, port }: Instance) =>
  until('it answers', async () => (await fetch(`http://${host}:${port}/`)).text());

describe.runIf(has('docker'))('docker runtime beside foreign objects', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = () => (rig = dockerRig(engine));
  const networksOfProjects = async () =>
    (await engine.get<NetworkInfo[]>('/networks'))
      .flatMap(({ Labels }) => Labels?.['mooring.project'] ?? [])
      .toSorted();

  it('labels its objects, and leaves others alone', async () => {
    const { runtime, release } = begin();
    const ours = await runtime.start(release(idle));
    const { Name, Config } = await engine.inspect(ours.id);
    const { 'mooring.instance': instance, ...rest } = Config.Labels!;
    expect({ instance, ...rest }).toMatchObject({
      instance: 'ins_ours',
      'mooring.organization': 'org_1',
      'mooring.project': 'prj_1',
      'mooring.deployment': 'dep_1',
      'mooring.service': 'app',
      'mooring.fence': '1',
    });
    const theirs = [
      await engine.foreign('plain', {}),
      await engine.foreign('no-instance', rest),
      await engine.foreign('other-instance', { ...rest, 'mooring.instance': 'ins_ours2' }),
      await engine.foreign('half', { 'mooring.instance': 'ins_ours', 'mooring.deployment': 'dep_1' }),
    ];
    await engine.post('/volumes/create', { Name: 'theirs' });
    await engine.post('/networks/create', { Name: 'theirs' });
    expect((await runtime.list()).map(({ id }) => id)).toEqual([ours.id]);
    await runtime.stop('dep_1', 1000);
    await runtime.remove('dep_1');
    for (const id of theirs) expect((await engine.inspect(id)).State.Status).toBe('running');
    expect((await engine.get<{ Volumes: object[] }>('/volumes')).Volumes).toMatchObject([{ Name: 'theirs' }]);
    expect((await engine.get<NetworkInfo[]>('/networks')).map((each) => each.Name)).toContain('theirs');
    expect(await engine.get(`/images/${engine.imageId}/json`)).toMatchObject({ Id: engine.imageId });
    // A foreign container with our name.
    const taker = await engine.foreign(Name.slice(1), {});
    await expect(runtime.start(release(idle))).rejects.toThrow(/already in use/);
    expect(await runtime.find('dep_1')).toBeUndefined();
    await runtime.remove('dep_1');
    expect((await engine.inspect(taker)).State.Status).toBe('running');
    rig.reports.length = 0;
  });

  it('isolates two instances of Mooring with the same ids', async () => {
    const { runtime, release, stranger } = begin();
    const other = stranger();
    const ours = await runtime.start(release(serving, { env: { ANSWER: 'ours' } }));
    const theirs = await other.start(
      release(serving, { env: { ANSWER: 'theirs' }, owner: { instanceId: 'ins_stranger' } }),
    );
    expect([await answer(ours), await answer(theirs)]).toEqual(['ours', 'theirs']);
    expect(await networksOfProjects()).toEqual(['prj_1', 'prj_1']);
    await runtime.stop('dep_1', 500);
    expect(await other.find('dep_1')).toMatchObject({ id: theirs.id, state: 'running' });
    await runtime.remove('dep_1');
    expect(await answer(theirs)).toBe('theirs');
    expect(await networksOfProjects()).toEqual(['prj_1']);
    expect(rig.events.every((each) => each.what === 'engine-there' || each.owner.instanceId === 'ins_ours')).toBe(true);
  });

  it('gives projects their own networks, which are removed with the last container', async () => {
    const { runtime, release } = begin();
    const start = (deploymentId: string, projectId: string, program = serving) =>
      runtime.start(release(program, { owner: { deploymentId, projectId }, env: { ANSWER: deploymentId } }));
    const asked = async (deploymentId: string, projectId: string, { id }: Instance) => {
      type Addresses = { NetworkSettings: { Networks: Record<string, { IPAddress: string }> } };
      const { NetworkSettings } = await engine.get<Addresses>(`/containers/${id}/json`);
      const url = `http://${Object.values(NetworkSettings.Networks)[0]!.IPAddress}:3000/`;
      const ask = `fetch('${url}', { signal: AbortSignal.timeout(1500) }).then((answer) => answer.text(), () => 'out of reach').then(console.log);`;
      await start(deploymentId, projectId, ask + idle);
      return until('it tells', async () => (await rig.lines(deploymentId))[0]);
    };
    const [one, two] = [await start('dep_1', 'prj_1'), await start('dep_2', 'prj_2')];
    await Promise.all([answer(one), answer(two)]);
    expect(await asked('dep_3', 'prj_1', one)).toBe('dep_1');
    expect(await asked('dep_4', 'prj_1', two)).toBe('out of reach');
    for (const id of ['dep_1', 'dep_2', 'dep_3']) await runtime.remove(id);
    expect(await networksOfProjects()).toEqual(['prj_1']);
    await runtime.remove('dep_4');
    expect(await networksOfProjects()).toEqual([]);
  });

  it("finds addresses for more networks than the engine's pool has", async () => {
    const { runtime, release } = begin();
    const fill = async (i: number) =>
      engine.post('/networks/create', { Name: `filler-${i}` }).then(
        () => true,
        () => false,
      );
    for (let i = 0; await fill(i); i++) expect(i).toBeLessThan(100);
    for (const projectId of ['prj_1', 'prj_2'])
      await runtime.start(release(idle, { owner: { projectId, deploymentId: `dep_of_${projectId}` } }));
    const ours = (await engine.get<NetworkInfo[]>('/networks')).filter(({ Labels }) => Labels?.['mooring.project']);
    const subnets = ours.flatMap(({ IPAM }) => IPAM.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
    expect(subnets.toSorted()).toEqual([
      expect.stringMatching(/^10\.12\d\..*\/26$/),
      expect.stringMatching(/^10\.12\d\./),
    ]);
    expect(new Set(subnets).size).toBe(2);
  });

  it('publishes on loopback by default', async () => {
    const { runtime, release } = (rig = dockerRig(engine, { hostAddress: '127.0.0.1' }));
    const { host, port } = await runtime.start(release(serving, { env: { ANSWER: 'from loopback' } }));
    expect(host).toBe('127.0.0.1');
    const ask = `fetch('http://127.0.0.1:${port}').then((answer) => answer.text()).then(console.log)`;
    const [enter, ...args] = [...entering(engine.namespace), process.execPath, '-e', ask];
    const asked = () => execFileSync(enter!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(await until('it answers there', asked)).toBe('from loopback\n');
    await expect(fetch(`http://${engine.namespace.address}:${port}`)).rejects.toThrow();
  });

  it('keeps ports, and chooses another one if a port is taken', async () => {
    const { runtime, release } = begin();
    const before = await runtime.start(release(serving, { env: { ANSWER: 'x' } }));
    await answer(before);
    await runtime.stop('dep_1', 500);
    expect((await runtime.start(release(serving, { env: { ANSWER: 'x' } }))).port).toBe(before.port);
    await runtime.stop('dep_1', 500);
    await engine.foreign('taker', {}, before.port);
    const moved = await runtime.start(release(serving, { env: { ANSWER: 'moved' } }));
    expect(moved.port).not.toBe(before.port);
    expect(await answer(moved)).toBe('moved');
    const asked = release(serving, { owner: { deploymentId: 'dep_2' }, port: before.port });
    await expect(runtime.start(asked)).rejects.toThrow(`port ${before.port} is in use`);
    expect(await runtime.find('dep_2')).toBeUndefined();
    rig.reports.length = 0;
  });
});
