import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../test/rig/parts.ts';
import { until } from '../../../../test/rig/until.ts';
import type { ServiceMount } from '../runtime.ts';
import { type DockerRig, dockerRig, type RuntimeEngine, startRuntimeEngine } from './docker-rig.ts';
import { idleProgram, testServiceRelease } from './service/rig.ts';

const volume = (name: string | null, target: string): ServiceMount => ({
  type: 'volume',
  target,
  isReadOnly: false,
  subpath: null,
  isCopied: true,
  volume: {
    name,
    externalName: null,
    driver: null,
    driverOptions: {},
    labels: { 'mooring.project': 'no', kept: 'yes' },
  },
});

/** Appends one character to each file, and prints their lengths. */
const adding = (...files: string[]) => `
  const { appendFileSync, readFileSync } = require('node:fs');
  for (const file of ${JSON.stringify(files)}) appendFileSync(file, 'x');
  console.log(${JSON.stringify(files)}.map((file) => readFileSync(file, 'utf8').length).join(' '));
  ${idleProgram}`;

describe.runIf(has('docker'))('volumes of a stack', () => {
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

  it('are reused by the next deployment, and only removed on request', async () => {
    const { runtime } = begin();
    const imageId = await engine.derive('service-with-volume', ['VOLUME /image']);
    const options = { mounts: [volume('data', '/data'), volume(null, '/nameless')] };
    const program = adding('/data/file', '/nameless/file', '/image/file');
    const make = (deploymentId: string) =>
      runtime.start(testServiceRelease(rig, 'db', program, { imageId, deploymentId, options }));
    await make('dep_1');
    expect(await said('db')).toBe('1 1 1');
    await runtime.remove('dep_1');
    await make('dep_2');
    expect(await said('db', 'dep_2')).toBe('2 2 2');
    const elsewhere = testServiceRelease(rig, 'db', adding('/data/file'), {
      deploymentId: 'dep_3',
      options: { ...options, stack: 'prj_1/staging' },
    });
    await runtime.start(elsewhere);
    expect(await said('db', 'dep_3')).toBe('1');
    const production = await runtime.volumes({ stack: 'prj_1/production' });
    expect(production.map(({ name, service }) => `${name} ${service}`).toSorted()).toEqual([
      'data null',
      'null db',
      'null db',
    ]);
    expect(await runtime.volumes({ projectId: 'prj_1' })).toHaveLength(5);
    expect(await runtime.volumes({ projectId: 'prj_2' })).toEqual([]);
    const [data] = production.filter(({ name }) => name === 'data');
    expect(await engine.get(`/volumes/${data!.id}`)).toMatchObject({
      Labels: {
        'mooring.project': 'prj_1',
        'mooring.stack': 'prj_1/production',
        'mooring.volume': 'data',
        kept: 'yes',
      },
    });
    for (const id of ['dep_2', 'dep_3']) await runtime.remove(id);
    expect(await runtime.removeVolumes({ projectId: 'prj_1' })).toHaveLength(5);
    expect(await runtime.volumes({ projectId: 'prj_1' })).toEqual([]);
  });

  it('mount a subfolder if the engine supports it, and fail with a message otherwise', async () => {
    const { runtime } = begin();
    const inside = { ...volume('data', '/inside'), subpath: 'folder' };
    const make = (service: string, program: string, mounts: ServiceMount[]) =>
      runtime.start(testServiceRelease(rig, service, program, { options: { mounts } }));
    const writing = `require('node:fs').mkdirSync('/data/folder'); require('node:fs').writeFileSync('/data/folder/file', 'x');`;
    await make('maker', `${writing} console.log('done'); ${idleProgram}`, [volume('data', '/data')]);
    await said('maker');
    const reading = make('reader', adding('/inside/file'), [inside]);
    if (Number((await engine.client.version()).slice('v1.'.length)) < 45)
      await expect(reading).rejects.toThrow('Docker 26');
    else expect(await reading.then(() => said('reader'))).toBe('2');
  });

  it('are refused if they belong to another project or do not exist', async () => {
    const { runtime } = begin();
    await engine.post('/volumes/create', {
      Name: 'theirs',
      Labels: { 'mooring.instance': 'ins_ours', 'mooring.project': 'prj_2' },
    });
    const outside = (externalName: string): ServiceMount => {
      const mount = volume(null, '/data') as ServiceMount & { type: 'volume' };
      return { ...mount, volume: { ...mount.volume, externalName } };
    };
    const make = (name: string) =>
      runtime.start(testServiceRelease(rig, 'db', idleProgram, { options: { mounts: [outside(name)] } }));
    await expect(make('theirs')).rejects.toThrow('the volume theirs belongs to another project');
    await expect(make('nowhere')).rejects.toThrow('there is no volume nowhere');
    await engine.post('/volumes/create', { Name: 'shared' });
    await make('shared');
    const own = testServiceRelease(rig, 'store', idleProgram, { options: { mounts: [volume('data', '/data')] } });
    await runtime.start(own);
    await runtime.remove('dep_1');
    // The id of a deleted project may be reused by another organization.
    const claimed = { ...own, owner: { ...own.owner, organizationId: 'org_2', deploymentId: 'dep_2' } };
    await expect(runtime.start(claimed)).rejects.toThrow('was not created for this project');
  });
});
