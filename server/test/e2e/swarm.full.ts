import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskInfo } from '../../src/drivers/runtime/swarm/types.ts';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject, events, json, nodeApp } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { replicaApp, replicasContract } from '../rig/replicas.ts';
import { changes, type StackShown } from '../rig/stack-stage.ts';
import { shop } from '../rig/stack.ts';
import { startSwarmService, type SwarmService } from '../rig/swarm-service.ts';
import { until } from '../rig/until.ts';

describe.runIf(has('docker'))('deployments on a Swarm', () => {
  let rig: SwarmService;
  beforeAll(async () => {
    rig = await startSwarmService(3);
    // The first deployment waits for the edge, and sends the base image to the registry.
    const project = await ensureProject(rig.service, 'first');
    const id = await begin(rig.service, project, nodeApp('first'));
    expect((await ended(rig.service, id, 240_000)).error).toBeNull();
  }, 300_000);
  afterAll(() => rig?.close());

  const get = async (url: string) => (await ask(url, '/', 'GET', rig.edgeAddress)).body;

  it('builds, replaces and rolls back without a failed request', async () => {
    const { service, edgeAddress } = rig;
    const project = await ensureProject(service, 'web', { releaseCommand: 'echo "moved as $(id -u)"' });
    const first = await deploy(service, project, nodeApp('v1'));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    expect(await get(url)).toBe('v1');
    const lines = (await events(service, first.id)).map(({ data }) => data['line']);
    expect(lines).toContainEqual('moved as 10001');
    const asking = askAllTheTime(url, 2, edgeAddress);
    const second = await deploy(service, project, nodeApp('v2'));
    expect(second.error).toBeNull();
    expect(await get(url)).toBe('v2');
    const { deployment_id } = await json<{ deployment_id: string }>(
      service.post(`/api/deployments/${first.id}/rollback`, {}),
    );
    expect(await ended(service, deployment_id)).toMatchObject({ status: 'ready', active: true });
    expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
  });
  it('runs a stack whose services find each other, and keeps its data', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'shop');
    const deployed = async (folder: string) =>
      (await ended(service, await begin(service, project, folder), 120_000)) as unknown as StackShown;
    const first = await deployed(shop());
    expect(first.error, JSON.stringify(first.services)).toBeNull();
    const [url = ''] = first.urls;
    expect(await get(url)).toBe('web v1 / 200 api v1 / 200 db v1 1');
    const second = await deployed(shop({ api: 'v2' }));
    expect(changes(second)).toEqual({ web: 'unchanged', api: 'replace', worker: 'unchanged', db: 'unchanged' });
    await until('the old one is gone', async () => (await get(url)) === 'web v1 / 200 api v2 / 200 db v1 1');
    const broken = await begin(service, project, shop({ api: 'v3', apiProgram: 'process.exit(3);' }));
    const status = async () =>
      (await json<{ data: { status: string } }>(service.get(`/api/deployments/${broken}`))).data.status;
    await until('it fails', async () => (await status()) === 'partial_failure', 120_000);
    expect(await get(url)).toBe('web v1 / 200 api v2 / 200 db v1 1');
    await json(service.post(`/api/deployments/${broken}/reject`, {}));
    await until('it is undone', async () => (await status()) === 'rejected', 60_000);
    const fourth = await deployed(shop({ api: 'v2', db: 'v2' }));
    expect(changes(fourth)).toMatchObject({ db: 'replace' });
    expect(await get(url)).toBe('web v1 / 200 api v2 / 200 db v2 2');
  }, 300_000);

  it('answers every request while a node dies', async () => {
    const { service, swarm, edgeAddress } = rig;
    const project = await ensureProject(service, 'steady', { replicas: 3 });
    const { error, urls, id } = await deploy(service, project, replicaApp('steady'));
    expect(error).toBeNull();
    const asking = askAllTheTime(urls[0]!, 3, edgeAddress);
    const dying = swarm.nodes[2]!;
    type Node = { Swarm: { NodeID: string } };
    const { NodeID } = (await dying.client.json<Node>({ method: 'GET', path: '/info' })).Swarm;
    const query = { filters: { node: [NodeID], 'desired-state': ['running'] } };
    const tasks = await swarm.nodes[0]!.client.json<TaskInfo[]>({ method: 'GET', path: '/tasks', query });
    const isOfIt = ({ Spec }: TaskInfo) => Spec.ContainerSpec.Labels?.['mooring.deployment'] === id;
    expect(tasks.filter(isOfIt), 'the node runs a replica').toHaveLength(1);
    swarm.setConnected(dying, false);
    type Info = { data: { containers: { state: string }[] } };
    const states = async () =>
      (await json<Info>(service.get(`/api/deployments/${id}/info`))).data.containers.map(({ state }) => state);
    try {
      await sleep(40_000);
      await until('three run again', async () => (await states()).filter((each) => each === 'running').length === 3);
    } finally {
      swarm.setConnected(dying, true);
    }
    expect([...(await asking.stop()).keys()]).toEqual(['200 steady']);
  }, 240_000);

  // The service reaches only the engine of the manager.
  replicasContract('swarm', () => ({ service: rig.service, address: rig.edgeAddress, hasUsage: false }));
});
