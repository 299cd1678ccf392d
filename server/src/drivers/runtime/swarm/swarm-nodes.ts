import type { Readable } from 'node:stream';
import { NodeCaller } from '../../node-caller.ts';
import { addUsage } from '../add-usage.ts';
import type { ContainerData, ContainerRef } from '../container-data.ts';
import { createDockerRuntime } from '../docker/docker-runtime.ts';
import { EngineClient, type EngineConnect } from '../docker/engine/client.ts';
import type { DockerRuntime, DockerRuntimeOptions } from '../docker/options.ts';
import { StackVolumes } from '../docker/volumes.ts';
import type { StackVolumeInfo, Usage, WrittenFile } from '../runtime.ts';
import { EngineAwayError, NodeAwayError } from '../errors.ts';
import type { Placement } from './placement.ts';
import type { NodeInfo } from './types.ts';

/** A node whose engine we reach. */
export interface ReachedNode {
  id: string;
  connect: EngineConnect;
}

interface Node extends ReachedNode {
  runtime: DockerRuntime;
  engine: EngineClient;
  volumes: StackVolumes;
}

/** What the engines of the reached nodes tell about our containers: their output, their usage, their data. Containers
 * of a Swarm carry our labels, so the Docker runtime of each node finds them. */
export class SwarmNodes {
  readonly #options: Omit<DockerRuntimeOptions, 'connect'>;
  readonly #reached: () => Promise<readonly ReachedNode[]>;
  readonly #known = new Map<string, Node>();
  readonly #each: NodeCaller;

  constructor(
    options: Omit<DockerRuntimeOptions, 'connect'>,
    reached: () => Promise<readonly ReachedNode[]>,
    swarm: Pick<Placement, 'isDown' | 'nameOf'>,
  ) {
    [this.#options, this.#reached] = [options, reached];
    this.#each = new NodeCaller({ isDown: (id) => swarm.isDown(id), nameOf: (id) => swarm.nameOf(id) });
  }

  /** Follows the events of each node and records the output of its containers. */
  async all(): Promise<Node[]> {
    const reached = await this.#reached();
    for (const node of this.#known.values())
      if (!reached.some(({ id, connect }) => id === node.id && connect === node.connect)) this.#leave(node);
    for (const { id, connect } of reached)
      if (!this.#known.has(id)) {
        const runtime = createDockerRuntime({ ...this.#options, connect });
        const engine = new EngineClient(connect);
        const volumes = new StackVolumes(engine, this.#options.instanceId);
        this.#known.set(id, { id, connect, runtime, engine, volumes });
        runtime.watch();
      }
    return reached.map(({ id }) => this.#known.get(id)!);
  }

  /** Of a node that has left, or is reached in another way. */
  #leave({ id, runtime, engine }: Node): void {
    this.#known.delete(id);
    engine.close();
    runtime
      .close()
      .catch((error: unknown) => this.#options.report?.('a node of the Swarm was not disconnected', error));
  }

  async ids(): Promise<string[]> {
    return (await this.#reached()).map(({ id }) => id);
  }

  /** The node of the manager that we speak to. */
  async own(): Promise<Node> {
    await this.all();
    return this.#known.get((await this.ids())[0]!)!;
  }

  /** Runs the task on the node that has the volumes. */
  async on<T>({ ID, Description: { Hostname } }: NodeInfo, task: (node: Node) => Promise<T>): Promise<T> {
    await this.all();
    const known = this.#known.get(ID);
    if (!known) throw new Error(`the node ${Hostname} has the volumes, and Mooring does not reach it`);
    try {
      return await task(known);
    } catch (error) {
      throw error instanceof EngineAwayError ? new NodeAwayError(Hostname, error) : error;
    }
  }

  /** Runs the task on all reached nodes that the Swarm has not given up. */
  async each<T>(task: (node: DockerRuntime) => Promise<T>): Promise<T[]> {
    const results = await this.#each.all(await this.all(), ({ runtime }) => task(runtime));
    return results.map(({ value }) => value);
  }

  /** Like `each`, but fails if a node is away. */
  async every<T>(task: (node: DockerRuntime) => Promise<T>): Promise<T[]> {
    return Promise.all((await this.all()).map(({ runtime }) => task(runtime)));
  }

  /** Returns the first result of a node that has one. */
  async #first<T>(task: (node: DockerRuntime) => Promise<T | undefined>): Promise<T | undefined> {
    return (await this.each(task)).find((found) => found !== undefined);
  }

  async usage(deploymentId: string, service?: string, replica?: number): Promise<Usage | undefined> {
    const usages = await this.each((node) => node.usage(deploymentId, service, replica));
    const known = usages.filter((usage) => usage !== undefined);
    return known.length ? known.reduce(addUsage) : undefined;
  }

  async writtenFiles(deploymentId: string, service: string): Promise<WrittenFile[]> {
    return (await this.each((node) => node.writtenFiles(deploymentId, service))).flat();
  }

  async volumes(of: { stack: string } | { projectId: string }): Promise<StackVolumeInfo[]> {
    return (await this.each((node) => node.volumes(of))).flat();
  }

  async volumeSizes(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.each((node) => node.volumeSizes())).flatMap((sizes) => [...sizes]));
  }

  readVolume(id: string, path: string): Promise<Readable | undefined> {
    return this.#withVolume(id, (node) => node.readVolume(id, path));
  }

  async removeVolume(id: string): Promise<boolean> {
    return (await this.#withVolume(id, (node) => node.removeVolume(id))) ?? true;
  }

  async #withVolume<T>(id: string, task: (node: DockerRuntime) => Promise<T>): Promise<T | undefined> {
    const node = await this.#first(async (each) => ((await each.data.volumeDefinition(id)) ? each : undefined));
    return node && task(node);
  }

  /** Data of containers and volumes, wherever they are. */
  readonly data: ContainerData = {
    inspect: (ref) => this.#first((node) => node.data.inspect(ref)),
    exec: async (ref, command) => (await this.#holder(ref)).exec(ref, command),
    output: async (ref, tail) => (await this.#holder(ref)).output(ref, tail),
    readFiles: async (ref, path) => (await this.#holder(ref)).readFiles(ref, path),
    writeFiles: async (ref, path, entries) => (await this.#holder(ref)).writeFiles(ref, path, entries),
    volumeDefinition: (id) => this.#first((node) => node.data.volumeDefinition(id)),
    refillVolume: async (volume, entries) => {
      const isThere = await this.#withVolume(volume.id, async (node) => {
        await node.data.refillVolume(volume, entries);
        return true;
      });
      if (!isThere) throw new Error(`no node of the Swarm that Mooring reaches has the volume ${volume.id}`);
    },
    startScratch: async (of, scratch, files) => (await this.#holder(of)).startScratch(of, scratch, files),
    removeScratch: async (jobId) => void (await this.each((node) => node.data.removeScratch(jobId))),
  };

  async #holder(ref: ContainerRef): Promise<ContainerData> {
    const found = await this.#first(async ({ data }) => ((await data.inspect(ref)) ? data : undefined));
    if (!found) throw new Error(`no node of the Swarm that Mooring reaches has a container of ${JSON.stringify(ref)}`);
    return found;
  }

  async close(): Promise<void> {
    for (const { runtime, engine } of this.#known.values()) {
      await runtime.close();
      engine.close();
    }
  }
}
