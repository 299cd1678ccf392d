import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject, events, json, nodeApp } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { replicasContract } from '../rig/replicas.ts';
import { startSwarmService, type SwarmService } from '../rig/swarm-service.ts';

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
  // The service reaches only the engine of the manager.
  replicasContract('swarm', () => ({ service: rig.service, address: rig.edgeAddress, hasUsage: false }));
});
