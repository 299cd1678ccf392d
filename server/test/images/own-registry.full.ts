import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { edgeContainerName } from '../../src/drivers/edge/on-server/container-body.ts';
import type { ImageRegistry } from '../../src/drivers/images/registry/image-registry.ts';
import { pushToRegistry } from '../../src/drivers/images/registry/push.ts';
import { PushedImages } from '../../src/drivers/images/registry/pushed-images.ts';
import { removeRegistry } from '../../src/drivers/images/registry/remove-registry.ts';
import { registryServiceName } from '../../src/drivers/images/registry/registry-spec.ts';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine/client.ts';
import { undefinedIfGone } from '../../src/drivers/runtime/docker/engine/errors.ts';
import type { ServiceInfo, TaskInfo } from '../../src/drivers/runtime/swarm/types.ts';
import { swarmRegistry } from '../../src/swarm-registry.ts';
import type { Docker } from '../rig/docker.ts';
import { busybox, makeImage, node as nodeImage } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { bundlePrograms } from '../rig/server-edge.ts';
import { startSwarm, type Swarm } from '../rig/swarm.ts';
import { ownRegistrySettings, registryImage, startNodeEdges } from '../rig/swarm-registry.ts';
import { until } from '../rig/until.ts';

const instanceId = 'ins_registry';
const name = registryServiceName(instanceId);

describe.runIf(has('docker') && has('registry'))('the registry that Mooring runs in a Swarm', () => {
  let swarm: Swarm;
  let first: Docker;
  let edges: Awaited<ReturnType<typeof startNodeEdges>>;
  let registry: ImageRegistry;
  let imageId: string;
  const password = async () => 'a long password that nobody guesses';

  beforeAll(async () => {
    swarm = await startSwarm(3);
    first = swarm.nodes[0]!;
    await makeImage(first.client, registryImage);
    imageId = await makeImage(first.client, nodeImage);
    edges = await startNodeEdges(first, swarm.nodes, instanceId, bundlePrograms());
    const ensureEdge = () => edges.edges[0]!.ensure();
    registry = swarmRegistry(ownRegistrySettings, first.client, instanceId, { password, ensureEdge });
  }, 240_000);
  afterAll(async () => {
    edges?.close();
    await swarm?.close();
  });

  const tasks = () =>
    first.client.json<TaskInfo[]>({ method: 'GET', path: '/tasks', query: { filters: { service: [name] } } });
  const running = async () =>
    (await tasks()).filter((each) => each.Status.State === 'running' && each.DesiredState === 'running');
  const bytes = () => sizeOf(first.client, name);

  it('gives an image to every node at one address', async () => {
    const lines: string[] = [];
    const { reference, auth } = await pushToRegistry(first.client, imageId, registry, (line) => lines.push(line));
    expect(lines).toEqual(['Sending the image to the registry', expect.stringMatching(/^Sent \d+ MB in \d+\.\d s$/)]);
    expect(reference).toMatch(/^127\.0\.0\.1:19505\/mooring@sha256:/);
    for (const { client } of swarm.nodes.slice(1)) expect(await pull(client, reference, auth)).not.toContain('"error"');
    await pushToRegistry(first.client, imageId, registry, (line) => lines.push(line));
    expect(lines, 'it is not sent again').toHaveLength(2);
  }, 120_000);

  it('is reachable neither from outside nor for apps', async () => {
    const { Spec } = await first.client.json<ServiceInfo>({ method: 'GET', path: `/services/${name}` });
    expect(Spec['EndpointSpec']).toEqual({ Mode: 'dnsrr' });
    expect(JSON.stringify(Spec)).not.toContain(await password());
    await expect(fetch(`http://${first.namespace.address}:19505/v2/`)).rejects.toThrow('fetch failed');
    type Joined = { NetworkSettings: { Networks: Record<string, { IPAddress: string }> } };
    const path = `/containers/${edgeContainerName(instanceId)}/json`;
    const { NetworkSettings } = await first.client.json<Joined>({ method: 'GET', path });
    const { IPAddress } = NetworkSettings.Networks['bridge']!;
    const program = `fetch('http://${IPAddress}:19505/v2/').then(({status}) => console.log(status), (e) => console.log(e.cause.code ?? e.cause.message))`;
    expect(await output(first.client, nodeImage.name, ['node', '-e', program])).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)/);
  }, 60_000);

  it('comes back when its task is killed, and after a restart of its node', async () => {
    const [task] = await running();
    const container = task!.Status.ContainerStatus!.ContainerID!;
    await first.client.json({ method: 'POST', path: `/containers/${container}/kill` });
    const other = await variant(first.client, 'after-kill');
    const { reference, auth } = await pushToRegistry(first.client, other, registry);
    expect(await pull(swarm.nodes[1]!.client, reference, auth)).not.toContain('"error"');
    await first.stop();
    await first.start();
    await until('the edge is back', () => edges.edges[0]!.ensure().then(() => true), 60_000);
    const third = await variant(first.client, 'after-restart');
    const pushed = await pushToRegistry(first.client, third, registry);
    // The nodes need some seconds to find each other again.
    const isPulled = async () =>
      !(await pull(swarm.nodes[2]!.client, pushed.reference, pushed.auth)).includes('"error"');
    await until('another node gets it', () => isPulled().catch(() => false), 90_000);
  }, 240_000);

  it('frees the space of images that nothing needs', async () => {
    const reports: unknown[] = [];
    const otherEngines = async () => swarm.nodes.slice(1).map(({ client }) => client);
    const report = (...args: unknown[]) => reports.push(args);
    const pushed = new PushedImages({ engine: first.client, instanceId, registry, otherEngines, report });
    await registry.ready();
    const [old] = await running();
    const isNew = (task: TaskInfo) => task.ID !== old!.ID;
    const before = await bytes();
    const big = await variant(first.client, 'unused', 30_000_000);
    const { reference, auth } = await pushToRegistry(first.client, big, registry);
    await pull(swarm.nodes[1]!.client, reference, auth);
    const full = await bytes();
    expect(full - before).toBeGreaterThan(20_000_000);
    // Its own name is removed, as `images.remove` does.
    await first.client.json({ method: 'DELETE', path: '/images/mooring/prj_1:unused', query: { noprune: true } });
    await pushed.sweep(big);
    expect(await find(first.client, big)).toBeUndefined();
    expect(await find(swarm.nodes[1]!.client, big)).toBeUndefined();
    const late = await variant(first.client, 'late');
    const lines: string[] = [];
    const collecting = registry.collectGarbage();
    await until('the registry only serves', async () => {
      const up = await running();
      return (await registry.isReadOnly()) && up.length === 1 && isNew(up[0]!);
    });
    await pushToRegistry(first.client, late, registry, (line) => lines.push(line));
    await collecting;
    expect(lines).toContain('The registry is freeing space; waiting');
    expect(await bytes()).toBeLessThan(before + 10_000_000);
    expect(await registry.isReadOnly()).toBe(false);
    expect(
      await undefinedIfGone(first.client.json({ method: 'GET', path: `/services/${name}-collect` })),
    ).toBeUndefined();
    expect(reports).toEqual([]);
  }, 180_000);

  it('is removed with everything that belongs to it', async () => {
    for (const edge of edges.edges) await edge.dismantle();
    await removeRegistry(first.client, instanceId);
    const query = { filters: { label: [`mooring.instance=${instanceId}`] } };
    for (const kind of ['services', 'networks', 'configs', 'secrets'])
      expect(await first.client.json({ method: 'GET', path: `/${kind}`, query }), kind).toEqual([]);
    const { Volumes } = await first.client.json<{ Volumes: object[] | null }>({
      method: 'GET',
      path: '/volumes',
      query,
    });
    expect(Volumes ?? []).toEqual([]);
  }, 120_000);
});

const find = (engine: EngineClient, id: string) =>
  undefinedIfGone(engine.json({ method: 'GET', path: `/images/${id}/json` }));

async function pull(engine: EngineClient, fromImage: string, auth: string | undefined): Promise<string> {
  const headers = { 'x-registry-auth': auth ?? '' };
  return text(await engine.open({ method: 'POST', path: '/images/create', query: { fromImage }, headers }));
}

/** Makes an image of our own with a layer of random bytes. */
async function variant(engine: EngineClient, tag: string, bytes = 1000): Promise<string> {
  const labels = ['organization=org_1', 'project=prj_1', `deployment=${tag}`, 'service=app'];
  const all = [`instance=${instanceId}`, ...labels].map((each) => `LABEL mooring.${each}`);
  const random = Buffer.from(Array.from({ length: bytes }, () => Math.floor(Math.random() * 256)));
  const files = { '/random': random.toString('latin1') };
  return makeImage(engine, { ...busybox, name: `mooring/prj_1:${tag}`, files, changes: all });
}

/** Runs a container to its end. */
async function output(engine: EngineClient, Image: string, Cmd: string[], Binds: string[] = []): Promise<string> {
  const body = { Image, Cmd, Tty: true, HostConfig: { Binds } };
  const { Id } = await engine.json<{ Id: string }>({ method: 'POST', path: '/containers/create', body });
  await engine.json({ method: 'POST', path: `/containers/${Id}/start` });
  await engine.json({ method: 'POST', path: `/containers/${Id}/wait` });
  const said = await text(
    await engine.open({ method: 'GET', path: `/containers/${Id}/logs`, query: { stdout: true } }),
  );
  await engine.json({ method: 'DELETE', path: `/containers/${Id}` });
  return said;
}

async function sizeOf(engine: EngineClient, volume: string): Promise<number> {
  const said = await output(engine, nodeImage.name, ['du', '-sk', '/v'], [`${volume}:/v:ro`]);
  return Number.parseInt(said, 10) * 1024;
}
