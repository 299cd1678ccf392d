import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { newFolder } from './children.ts';
import type { Docker } from './docker.ts';
import { makeImage, node as nodeImage } from './docker-images.ts';
import { startSwarm, type Swarm } from './swarm.ts';
import { until } from './until.ts';
import type { RuntimeRig } from '../../src/drivers/runtime/contract.ts';
import { type ImageChanges, nodeRelease } from '../../src/drivers/runtime/docker/docker-rig.ts';
import { engineAt } from '../../src/drivers/runtime/docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../../src/drivers/runtime/docker/engine/errors.ts';
import type { DockerRuntime } from '../../src/drivers/runtime/docker/options.ts';
import type { ImageRelease, Instance } from '../../src/drivers/runtime/runtime.ts';
import { openPortThrough } from '../../src/drivers/runtime/swarm/open-port.ts';
import { createSwarmRuntime, type SwarmRuntimeOptions } from '../../src/drivers/runtime/swarm/swarm-runtime.ts';

/** A Swarm with a Node image on each node, and a container on the first that joins the networks of services. */
export interface RuntimeSwarm extends Swarm {
  imageId: string;
  nodeIds: string[];
  door: string;
}

export async function startRuntimeSwarm(count: number): Promise<RuntimeSwarm> {
  const swarm = await startSwarm(count);
  try {
    const [first, ...others] = swarm.nodes as [Docker, ...Docker[]];
    const imageId = await makeImage(first.client, nodeImage);
    for (const { client } of others) {
      const body = await first.client.open({ method: 'GET', path: `/images/${imageId}/get` });
      await text(await client.open({ method: 'POST', path: '/images/load', body }));
    }
    const nodeIds = await Promise.all(swarm.nodes.map(nodeIdOf));
    const body = {
      Image: nodeImage.name,
      Cmd: ['node', '-e', 'setInterval(() => {}, 1000)'],
      HostConfig: { Init: true },
    };
    const { Id } = await first.client.json<{ Id: string }>({ method: 'POST', path: '/containers/create', body });
    await first.client.json({ method: 'POST', path: `/containers/${Id}/start` });
    return { ...swarm, imageId, nodeIds, door: Id };
  } catch (error) {
    await swarm.close();
    throw error;
  }
}

async function nodeIdOf({ client }: Docker): Promise<string> {
  return (await client.json<{ Swarm: { NodeID: string } }>({ method: 'GET', path: '/info' })).Swarm.NodeID;
}

export interface SwarmRig extends RuntimeRig {
  runtime: DockerRuntime;
  again: () => DockerRuntime;
  reach: NonNullable<RuntimeRig['reach']>;
  /** Errors that did not fail a call; a test that provokes one must empty this. */
  reports: string[];
  release: (program: string, changes?: ImageChanges) => ImageRelease;
}

export function swarmRig(swarm: RuntimeSwarm, more: Partial<SwarmRuntimeOptions> = {}): SwarmRig {
  const [first, ...others] = swarm.nodes as [Docker, ...Docker[]];
  const reports: string[] = [];
  const doors = new Map<string, Server>();
  const joined = new Set<string>();
  const options: SwarmRuntimeOptions = {
    connect: engineAt(first.address),
    folder: newFolder('swarm'),
    instanceId: 'ins_ours',
    portRange: { from: 1, to: 1 },
    report: (what, error) => reports.push(`${what}: ${String(error)}`),
    otherNodes: async () => others.map(({ address }, i) => ({ id: swarm.nodeIds[i + 1]!, connect: engineAt(address) })),
    // Every node has the image, as if it had come from a registry.
    distribute: async () => ({ reference: swarm.imageId, auth: undefined }),
    async onNetworks(ids) {
      for (const id of ids) {
        await join(first, id, swarm.door);
        joined.add(id);
      }
    },
    ...more,
  };
  const made: DockerRuntime[] = [];
  const make = (changes: Partial<SwarmRuntimeOptions> = {}) => {
    const runtime = createSwarmRuntime({ ...options, ...changes });
    made.push(runtime);
    return runtime;
  };
  return {
    runtime: make(),
    reports,
    again: () => make(),
    stranger: () => make({ instanceId: 'ins_stranger', folder: newFolder('swarm') }),
    release: (program, changes) => nodeRelease(swarm.imageId, program, changes),
    async reach(instance) {
      const key = `${instance.host}:${instance.port}`;
      const door = doors.get(key) ?? (await openDoor(swarm, instance));
      doors.set(key, door);
      return { host: '127.0.0.1', port: (door.address() as AddressInfo).port };
    },
    async close() {
      for (const door of doors.values()) door.close();
      await Promise.all(made.map((each) => each.close()));
      await removeServices(swarm, [...joined]);
      if (reports.length) throw new Error(`reported, and no test has asked for it: ${reports.join('; ')}`);
    },
  };
}

async function join({ client }: Docker, network: string, Container: string): Promise<void> {
  try {
    await client.json({ method: 'POST', path: `/networks/${network}/connect`, body: { Container } });
  } catch (error) {
    if (!(error instanceof EngineError) || !/already (exists|attached)/.test(error.message)) throw error;
  }
}

/** A port of this machine that leads to an instance. */
async function openDoor({ nodes, door }: RuntimeSwarm, at: Instance): Promise<Server> {
  const server = createServer((near) => {
    const way = { engine: nodes[0]!.client, container: door, node: 'node' };
    openPortThrough(way, at, AbortSignal.timeout(20_000)).then(
      (far) => pipeline(near, far, near, () => {}),
      () => near.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The Swarm is ours alone: removes everything but images and the door. */
async function removeServices({ nodes, door }: RuntimeSwarm, networks: string[]): Promise<void> {
  const [{ client }] = nodes as [Docker];
  const services = await client.json<{ ID: string }[]>({ method: 'GET', path: '/services' });
  for (const { ID } of services) await client.json({ method: 'DELETE', path: `/services/${ID}` });
  const secrets = await client.json<{ ID: string }[]>({ method: 'GET', path: '/secrets' });
  for (const { ID } of secrets) await client.json({ method: 'DELETE', path: `/secrets/${ID}` });
  for (const { client: node } of nodes)
    await until('its containers are gone', async () => {
      const query = { all: true };
      const left = await node.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query });
      return left.every(({ Id }) => Id === door);
    });
  for (const id of networks) {
    const body = { Container: door, Force: true };
    await undefinedIfGone(client.json({ method: 'POST', path: `/networks/${id}/disconnect`, body }));
    await undefinedIfGone(client.json({ method: 'DELETE', path: `/networks/${id}` }));
  }
}
