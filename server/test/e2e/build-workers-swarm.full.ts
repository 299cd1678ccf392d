import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import type { TaskInfo } from '../../src/drivers/runtime/swarm/types.ts';
import { bareApp, otherPlatform, ownPlatform, startWorker } from '../rig/build-workers.ts';
import { ask, begin, ended, ensureProject, events } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';
import { registryUser, startRegistry } from '../rig/registry.ts';
import { startService } from '../rig/service.ts';
import { startSwarm } from '../rig/swarm.ts';

describe.runIf(has('docker') && has('postgres'))('a build worker of a Swarm', () => {
  it('builds for two platforms, and the nodes run the image of both', async () => {
    await using open = new AsyncDisposableStack();
    const swarm = await startSwarm(2);
    open.defer(() => swarm.close());
    const [first, second] = swarm.nodes as [(typeof swarm.nodes)[0], (typeof swarm.nodes)[0]];
    // For the edge.
    await makeImage(first.client, node);
    const registry = await startRegistry(first.namespace, 'token', true);
    open.defer(() => registry.stop());
    const databaseUrl = await newDatabase(inject('postgresUrl'));
    const shared = { DATABASE_URL: databaseUrl, MOORING_SECRET_KEY: randomBytes(32).toString('base64') };
    const edgeAddress = first.namespace.address;
    const service = await startService({
      env: {
        ...shared,
        MOORING_RUNTIME: 'swarm',
        DOCKER_HOST: first.address,
        MOORING_REGISTRY: registry.address,
        MOORING_REGISTRY_USER: registryUser.username,
        MOORING_REGISTRY_PASSWORD: registryUser.password,
        MOORING_EDGE_HOST: edgeAddress,
        MOORING_EDGE_PORT: '8080',
        MOORING_EDGE_TLS_PORT: '8443',
        MOORING_START_TIMEOUT: '30',
      },
    });
    open.defer(async () => void (await service.stop()));
    const flags = [ownPlatform, otherPlatform].map((each) => `--platform=${each}`);
    const worker = await startWorker('one', second, shared, flags);
    open.defer(() => worker.stop());
    const project = await ensureProject(service, 'both', { buildPlatforms: [otherPlatform], replicas: 2 });
    const id = await begin(service, project, bareApp('both'));
    const done = await ended(service, id, 240_000);
    const lines = (await events(service, id)).flatMap(({ data: { line } }) => (typeof line === 'string' ? [line] : []));
    expect(done.error, lines.join('\n')).toBeNull();
    expect((await ask(done.urls[0]!, '/', 'GET', edgeAddress)).body).toBe('both');
    for (const platform of [ownPlatform, otherPlatform])
      expect(lines).toContainEqual(`[${platform}] Building ${platform} on the worker one`);
    const tasks = await first.client.json<(TaskInfo & { NodeID: string })[]>({ method: 'GET', path: '/tasks' });
    const own = tasks.filter(({ Spec }) => Spec.ContainerSpec.Labels?.['mooring.deployment'] === id);
    expect(new Set(own.map(({ NodeID }) => NodeID)).size).toBe(2);
    type Spec = { ContainerSpec: { Image: string } };
    const [image = ''] = new Set(own.map(({ Spec }) => (Spec as unknown as Spec).ContainerSpec.Image));
    expect(image).toMatch(/\/mooring@sha256:/);
    const headers = {
      'x-registry-auth': Buffer.from(JSON.stringify({ ...registryUser, serveraddress: registry.address })).toString(
        'base64',
      ),
    };
    type Found = { Platforms: { architecture: string }[] };
    const { Platforms } = await first.client.json<Found>({
      method: 'GET',
      path: `/distribution/${image}/json`,
      headers,
    });
    expect(Platforms.map(({ architecture }) => architecture).toSorted()).toEqual(['amd64', 'arm64']);
  }, 400_000);
});
