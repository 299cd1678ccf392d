import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceInfo, TaskInfo } from '../../src/drivers/runtime/swarm/types.ts';
import { ask, begin, ended, ensureProject, events, json, nodeApp } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { startSwarmService, type SwarmService } from '../rig/swarm-service.ts';
import { until } from '../rig/until.ts';

describe.runIf(has('docker') && has('registry'))('a Swarm without a configured registry', () => {
  let rig: SwarmService;
  beforeAll(async () => {
    rig = await startSwarmService(3, {}, false);
  }, 300_000);
  afterAll(() => rig?.close());

  it('runs an app on all nodes, and removes its image with the project', async () => {
    const { service, swarm } = rig;
    const { client } = swarm.nodes[0]!;
    const project = await ensureProject(service, 'web', { replicas: 3 });
    const id = await begin(service, project, nodeApp('v1'));
    const deployed = await ended(service, id, 240_000);
    const lines = (await events(service, id)).map(({ data }) => data['line']);
    expect(deployed.error, JSON.stringify(lines)).toBeNull();
    expect(lines).toContain('Sending the image to the registry');
    expect(lines).toContainEqual(expect.stringMatching(/^Sent \d+ MB in \d+\.\d s$/));
    expect((await ask(deployed.urls[0]!, '/', 'GET', rig.edgeAddress)).body).toBe('v1');
    const query = { filters: { 'desired-state': ['running'], label: [`mooring.deployment=${id}`] } };
    const tasks = await client.json<TaskInfo[]>({ method: 'GET', path: '/tasks', query });
    expect(new Set(tasks.map(({ NodeID }) => NodeID)).size).toBe(3);
    const names = async () =>
      (await client.json<{ RepoTags: string[] | null }[]>({ method: 'GET', path: '/images/json' })).flatMap(
        ({ RepoTags }) => (RepoTags ?? []).filter((name) => name.includes('mooring') && !name.includes('edge')),
      );
    expect(await names()).toEqual(expect.arrayContaining([expect.stringMatching(/^127\.0\.0\.1:19505\/mooring:/)]));
    const headers = { authorization: `Bearer mrg_pat_${'o'.repeat(43)}` };
    await json(fetch(`${service.url}/api/projects/${project}`, { method: 'DELETE', headers }));
    await until('its images are gone', async () => !(await names()).length, 90_000);
    const registries = { filters: { label: ['mooring.role=registry'] } };
    const [registry] = await client.json<ServiceInfo[]>({ method: 'GET', path: '/services', query: registries });
    expect(registry!.Spec.Labels, 'the registry deleted it').toHaveProperty(['mooring.garbage']);
  }, 400_000);
});
