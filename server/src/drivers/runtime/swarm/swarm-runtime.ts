import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { staleFence } from '../../stale-fence.ts';
import { checkVariables } from '../check-variables.ts';
import { EngineClient } from '../docker/engine/client.ts';
import { EngineError } from '../docker/engine/errors.ts';
import { retryWhileEngineAway } from '../docker/engine/retry.ts';
import { onceLabel, specLabel } from '../docker/labels.ts';
import type { DockerRuntime, DockerRuntimeOptions } from '../docker/options.ts';
import { specDigest } from '../docker/release/spec-digest.ts';
import { mainService, makeInstanceFolder } from '../docker/service/files.ts';
import { withLock } from '../records/locks.ts';
import { type RuntimePaths, runtimePaths } from '../records/paths.ts';
import { isReplica, combineReplicas } from '../replicas.ts';
import type { ImageRelease, Instance, LogLine, Owner, ReleaseSpec, RunOnce, ServiceRuntime } from '../runtime.ts';
import { type NetworkUsers, OverlayNetworks } from './overlay-networks.ts';
import { OwnSecrets } from './own-secrets.ts';
import { type OwnService, OwnServices } from './own-services.ts';
import type { RegistryAuth } from './update-service.ts';
import { isUsable, Placement } from './placement.ts';
import { runTask } from './run-task.ts';
import { serviceName } from './service-name.ts';
import { networkIdsOf, specReplicas, secretUsesOf, serviceView } from './service-view.ts';
import { type ReachedNode, SwarmNodes } from './swarm-nodes.ts';
import { placeRelease, provideReleaseImage } from './place-release.ts';
import { unreachedLogs } from './task-logs.ts';
import { untilTaskRuns, untilTasksEnd } from './task-waits.ts';
import type { ServiceSpec } from './types.ts';

export interface SwarmRuntimeOptions extends Omit<DockerRuntimeOptions, 'hostAddress' | 'isElsewhere'>, NetworkUsers {
  /** Creates a client of any manager; by default of that of `connect`. */
  managerClient?: () => EngineClient;
  /** Returns the node of the engine of `connect`; by default that engine is asked. */
  ownNodeId?: () => Promise<string>;
  /** Contains the files of sources that releases mount, in a folder for each project. Without it, such a release runs
   * only on the node of `connect`. */
  sourceFiles?: string;
  /** Engines of further nodes, besides that of `connect`. */
  otherNodes?: () => Promise<readonly ReachedNode[]>;
  /** Brings an image that only other nodes have to the engine of `connect`. */
  fetchImage?: (imageId: string) => Promise<void>;
  /** Makes an image available to all nodes. Undefined if only the engine of `connect` has it. */
  distribute?: (
    imageId: string,
    tell?: (line: string) => void,
  ) => Promise<{ reference: string; auth: RegistryAuth } | undefined>;
}

type Tell = (line: string) => void;

const lockWithinMs = 20 * 60_000;
const usualGraceMs = 10_000;
const lookAgainMs = 3_000;
/** A network or a secret was removed since we looked. */
const isLost = /^network (\w+) not found|\bsecrets? not found/;

/** Runs every replica as a Swarm service with one task, so that Swarm starts it elsewhere when its node dies, while
 * our engine checks, switches and drains each replica by itself. See README.md beside this file. */
export function createSwarmRuntime(options: SwarmRuntimeOptions): DockerRuntime {
  return new SwarmRuntime(options);
}

class SwarmRuntime implements DockerRuntime {
  readonly kind = 'swarm';
  readonly #options: SwarmRuntimeOptions;
  readonly #engine: EngineClient;
  /** The engine of the node that has images and files. */
  readonly #own: EngineClient;
  #ownId: string | undefined;
  readonly #services: OwnServices;
  readonly #networks: OverlayNetworks;
  readonly #secrets: OwnSecrets;
  readonly #placement: Placement;
  readonly #nodes: SwarmNodes;
  readonly #places: RuntimePaths;
  readonly #closing = new AbortController();
  #watching: Promise<void> | undefined;
  readonly #steadily: <T>(task: () => Promise<T>) => Promise<T>;

  constructor(options: SwarmRuntimeOptions) {
    const { connect, managerClient, instanceId, folder, otherNodes } = options;
    const { ownNodeId = () => new Placement(this.#own, instanceId).ownNodeId() } = options;
    this.#options = options;
    this.#engine = managerClient?.() ?? new EngineClient(connect);
    this.#own = new EngineClient(connect);
    this.#services = new OwnServices(this.#engine, instanceId);
    this.#networks = new OverlayNetworks(this.#engine, instanceId);
    this.#secrets = new OwnSecrets(this.#engine, instanceId, options.sourceFiles);
    this.#placement = new Placement(this.#engine, instanceId);
    this.#places = runtimePaths(folder, instanceId);
    this.#steadily = retryWhileEngineAway(this.#engine, options.patienceMs ?? 20_000);
    const reached = async () => [
      { id: (this.#ownId ??= await ownNodeId()), connect },
      ...((await otherNodes?.()) ?? []),
    ];
    this.#nodes = new SwarmNodes(options, reached, this.#placement);
  }

  watch(): void {
    this.#watching ??= this.#reachNodes();
  }

  /** Retries for as long as the manager is away. */
  async #reachNodes(): Promise<void> {
    const { signal } = this.#closing;
    for (let isReported = false; !signal.aborted; isReported = true)
      try {
        await this.#nodes.all();
        return;
      } catch (error) {
        if (!isReported) this.#options.report?.('the Swarm is away', error);
        // Rejects only on close.
        await sleep(lookAgainMs, undefined, { signal }).catch(() => {});
      }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    await this.#nodes.close();
    this.#engine.close();
    this.#own.close();
  }

  async start(spec: ReleaseSpec, tell?: Tell): Promise<Instance> {
    const release = this.#checked(spec);
    return this.#alone(release.owner, async () => {
      const service = await this.#put(release, 1, tell);
      const begun = await untilTaskRuns(this.#services, service);
      return serviceView(await this.#settled(begun));
    });
  }

  async make(spec: ImageRelease): Promise<Instance> {
    const release = this.#checked(spec);
    return this.#alone(release.owner, async () => serviceView(await this.#put(release, 0)));
  }

  /** Creates or changes the service of a release. */
  async #put(spec: ImageRelease, replicas: 0 | 1, tell?: Tell): Promise<OwnService> {
    const { owner } = spec;
    const name = this.#nameOf(owner);
    const known = await this.#services.find(name);
    if (known && known.owner.fence > owner.fence) throw staleFence(owner, known.owner.fence);
    const isSame = known?.owner.fence === owner.fence && known.info.Spec.Labels[specLabel] === specDigest(spec);
    if (isSame) return replicas > specReplicas(known.info.Spec) ? this.#again(known) : known;
    const siblings = await this.#services.list({ deployment: owner.deploymentId, service: owner.service });
    const send = async (placed: ServiceSpec, auth: RegistryAuth): Promise<OwnService> => {
      const wanted = { ...placed, Mode: mode(replicas) };
      if (known) return this.#services.update(known, (current) => counted(wanted, current), auth);
      try {
        return await this.#services.create(wanted, auth);
      } catch (error) {
        // Another process created it first.
        if (!(error instanceof EngineError) || error.status !== 409) throw error;
        return this.#put(spec, replicas, tell);
      }
    };
    return this.#placed(spec, siblings, send, tell);
  }

  /** Prepares the service of a release and sends it to the Swarm. */
  async #placed<T>(
    spec: ImageRelease,
    siblings: readonly OwnService[],
    send: (service: ServiceSpec, auth: RegistryAuth) => Promise<T>,
    tell?: Tell,
  ): Promise<T> {
    const { prepare = async (each: ImageRelease) => each } = this.#options;
    await this.#options.fetchImage?.(spec.imageId);
    const { secrets, mounts } = await this.#secrets.ensure(spec);
    const prepared = await prepare({ ...spec, service: { ...spec.service, mounts } });
    const { service, auth } = await placeRelease(spec, {
      engine: this.#own,
      networks: this.#networks,
      placement: this.#placement,
      nodes: this.#nodes,
      name: this.#nameOf(spec.owner),
      secrets,
      mounts: prepared.service.mounts,
      siblings,
      distribute: (imageId) => this.#options.distribute?.(imageId, tell),
      engineLogs: this.#options.engineLogs ?? { maxSize: '10m', maxFiles: 3 },
    });
    try {
      return await send(service, auth);
    } catch (error) {
      const [found, network] = (error instanceof EngineError && isLost.exec(error.message)) || [];
      if (!found) throw error;
      if (network) this.#networks.forget(network);
      return this.#placed(spec, siblings, send, tell);
    }
  }

  /** Starts a task anew; earlier ones do not count any more. */
  #again(service: OwnService): Promise<OwnService> {
    return this.#services.update(service, (spec) => counted({ ...spec, Mode: mode(1) }, spec));
  }

  /** Lifts the constraints of its start, and lets the edges join its networks. */
  async #settled(service: OwnService): Promise<OwnService> {
    const { TaskTemplate: task } = service.info.Spec;
    const isLasting = (constraint: string) => !constraint.startsWith('node.id!=');
    const constraints = task.Placement?.Constraints ?? [];
    await this.#nodes.all();
    if (serviceView(service).port > 0) await this.#options.onNetworks?.(networkIdsOf(service.info.Spec));
    if (constraints.every(isLasting)) return service;
    const Placement = { ...task.Placement, Constraints: constraints.filter(isLasting) };
    const { info } = await this.#services.update(service, (spec) => ({
      ...spec,
      TaskTemplate: { ...spec.TaskTemplate, Placement },
    }));
    return { ...service, info };
  }

  async find(deploymentId: string, service = mainService, replica?: number): Promise<Instance | undefined> {
    const all = await this.#list(deploymentId, service, replica);
    return combineReplicas(all.map(serviceView));
  }

  async list(kind?: ReleaseSpec['kind']): Promise<Instance[]> {
    if (kind === 'folder') return [];
    return (await this.#steadily(() => this.#services.list())).map(serviceView);
  }

  async restart(deploymentId: string, service?: string): Promise<Instance> {
    const views = await this.#forEach(deploymentId, service, undefined, (each) => this.#restarted(each));
    const view = combineReplicas(views.filter(({ owner }) => owner.service === (service ?? mainService))) ?? views[0];
    if (!view) throw new Error(`there is no service of ${deploymentId}`);
    return view;
  }

  async #restarted(service: OwnService): Promise<Instance> {
    return serviceView(await untilTaskRuns(this.#services, await this.#again(service)));
  }

  async ensureRunning(deploymentId: string, service: string): Promise<Instance | undefined> {
    const views = await this.#forEach(deploymentId, service, undefined, async (each) =>
      specReplicas(each.info.Spec) ? serviceView(each) : this.#restarted(each),
    );
    return combineReplicas(views);
  }

  async stop(deploymentId: string, graceMs: number, service?: string, replica?: number): Promise<void> {
    await this.#forEach(deploymentId, service, replica, (each) => this.#stopped(each, graceMs));
  }

  async stopIf(deploymentId: string, service: string, graceMs: number, isUnneeded: () => Promise<boolean>) {
    await this.#forEach(deploymentId, service, undefined, async (each) => {
      if (await isUnneeded()) await this.#stopped(each, graceMs);
    });
  }

  /** Stops the container on its node first: Swarm removes it with its output as soon as the service wants none. */
  async #stopped(service: OwnService, graceMs: number): Promise<void> {
    if (!specReplicas(service.info.Spec)) return;
    const { deploymentId, service: name, replica = 1 } = service.owner;
    await this.#nodes.each((node) => node.stop(deploymentId, graceMs, name, replica));
    const stopped = await this.#services.update(service, (spec) => ({ ...spec, Mode: mode(0) }));
    await untilTasksEnd(this.#services, stopped, graceMs);
  }

  async pause(deploymentId: string, service?: string): Promise<void> {
    await this.#nodes.each((node) => node.pause(deploymentId, service));
  }

  async resume(deploymentId: string, service?: string): Promise<void> {
    await this.#nodes.each((node) => node.resume(deploymentId, service));
  }

  async signal(deploymentId: string, service: string, signal: 'SIGHUP'): Promise<void> {
    await this.#nodes.each((node) => node.signal(deploymentId, service, signal));
  }

  async remove(deploymentId: string, service?: string, replica?: number): Promise<void> {
    await this.#forEach(deploymentId, service, replica, async (each) => {
      await this.#stopped(each, usualGraceMs);
      await this.#services.remove(each);
    });
    // Their output, which all nodes write to the same folder.
    await this.#nodes.each((node) => node.remove(deploymentId, service, replica));
    const left = await this.#steadily(() => this.#services.list());
    const used = new Set(left.flatMap(({ info }) => networkIdsOf(info.Spec)));
    await this.#networks.sweep(used, this.#options);
    await this.#secrets.sweep(
      new Set(left.flatMap(({ info }) => secretUsesOf(info.Spec).map(({ SecretID }) => SecretID))),
    );
  }

  runOnce: RunOnce = async (spec, options) => {
    const release = this.#checked(spec);
    return this.#alone(release.owner, async () => {
      const name = this.#nameOf(release.owner);
      const left = await this.#services.find(name);
      if (left && left.owner.fence > spec.owner.fence) throw staleFence(spec.owner, left.owner.fence);
      if (left) await this.#services.remove(left);
      const restart = { policy: 'no', maxAttempts: null } as const;
      const once = { ...release, healthcheck: null, service: { ...release.service, restart, ports: [] } };
      const create = (service: ServiceSpec, auth: RegistryAuth) => this.#services.create(asJob(service), auth);
      const created = await this.#placed(once, [], create);
      try {
        return await runTask(this.#engine, this.#services, created, options);
      } finally {
        await this.#services.remove(created);
      }
    });
  };

  usage: SwarmNodes['usage'] = (...args) => this.#nodes.usage(...args);

  async logs(deploymentId: string, options: { tail?: number; since?: number; service?: string }): Promise<LogLine[]> {
    // All write to the same files.
    await this.#nodes.each((node) => node.logs(deploymentId, { ...options, tail: 0 }));
    const recorded = await (await this.#nodes.own()).runtime.logs(deploymentId, options);
    const services = await this.#list(deploymentId, options.service);
    const more = await unreachedLogs(this.#engine, services, await this.#nodes.ids(), options);
    if (!more.length) return recorded;
    const all = [...recorded, ...more].toSorted((a, b) => a.at - b.at);
    return options.tail === undefined ? all : all.slice(Math.max(0, all.length - options.tail));
  }

  subnetConflicts: ServiceRuntime['subnetConflicts'] = async () => [];

  /** A service has its names from its start: Swarm cannot move them without replacing the container. */
  async promote(deploymentId: string, service: string): Promise<void> {
    if (!(await this.find(deploymentId, service))) throw new Error(`there is no service of ${deploymentId}/${service}`);
  }

  /** Without the places of secrets, which the engines report, too. */
  writtenFiles: ServiceRuntime['writtenFiles'] = async (deploymentId, service) => {
    const secrets = (await this.#list(deploymentId, service)).flatMap(({ info }) => secretUsesOf(info.Spec));
    const given = new Set(secrets.map(({ File }) => File.Name));
    return (await this.#nodes.writtenFiles(deploymentId, service)).filter(({ path }) => !given.has(path));
  };

  volumes: ServiceRuntime['volumes'] = (of) => this.#nodes.volumes(of);
  volumeSizes: ServiceRuntime['volumeSizes'] = () => this.#nodes.volumeSizes();
  readVolume: ServiceRuntime['readVolume'] = (id, path) => this.#nodes.readVolume(id, path);
  removeVolume: ServiceRuntime['removeVolume'] = (id) => this.#nodes.removeVolume(id);

  removeVolumes: ServiceRuntime['removeVolumes'] = async (of) => {
    const stacks = (await this.#nodes.volumes(of)).flatMap(({ stack }) => stack ?? []);
    const removed = await this.#nodes.every((node) => node.removeVolumes(of));
    await this.#placement.forgetVolumes(stacks);
    return removed.flat();
  };

  makeVolume: ServiceRuntime['makeVolume'] = async (owner, stack, name, content) => {
    const node = await this.#placement.nodeOfVolumes(stack, await this.#nodes.ids());
    await this.#nodes.on(node, ({ runtime }) => runtime.makeVolume(owner, stack, name, content));
  };

  /** A node that cannot pull it now does so when it gets the service. */
  async spreadImage(imageId: string): Promise<void> {
    const report = (error: unknown) => this.#options.report?.('an image was not brought to a node', error);
    try {
      const spread = await this.#options.distribute?.(imageId);
      const usable = new Set((await this.#placement.nodes()).filter(isUsable).map(({ ID }) => ID));
      const nodes = (await this.#nodes.all()).filter(({ id }) => usable.has(id));
      if (spread)
        await Promise.all(nodes.map(({ engine }) => provideReleaseImage(engine, imageId, spread).catch(report)));
    } catch (error) {
      report(error);
    }
  }

  get data(): SwarmNodes['data'] {
    return this.#nodes.data;
  }

  #checked(spec: ReleaseSpec): ImageRelease {
    const { owner } = spec;
    if (spec.kind !== 'image') throw new Error(`${owner.deploymentId} is a folder; a Swarm runs images`);
    if (owner.instanceId !== this.#options.instanceId)
      throw new Error(`${owner.deploymentId} belongs to another instance of Mooring`);
    checkVariables(spec.env);
    const { service, isApp } = { service: owner.service, isApp: spec.service.isApp };
    makeInstanceFolder(this.#folderOf(owner), isApp ? undefined : service, owner.replica);
    return spec;
  }

  #folderOf({ deploymentId, service, replica }: Owner): string {
    return this.#places.instance(this.#places.key(deploymentId, service, replica));
  }

  #nameOf(owner: Owner): string {
    return serviceName(this.#options.instanceId, owner);
  }

  async #list(deploymentId: string, service?: string, replica?: number): Promise<OwnService[]> {
    const narrow = { deployment: deploymentId, ...(service && { service }) };
    const all = await this.#steadily(() => this.#services.list(narrow));
    return all.filter(({ owner }) => isReplica(owner, replica));
  }

  async #forEach<T>(
    deploymentId: string,
    service: string | undefined,
    replica: number | undefined,
    task: (service: OwnService) => Promise<T>,
  ): Promise<T[]> {
    const all = await this.#list(deploymentId, service, replica);
    const done = all.map(({ owner, info }) =>
      this.#alone(owner, async () => {
        const fresh = await this.#services.find(info.ID);
        return fresh ? [await task(fresh)] : [];
      }),
    );
    return (await Promise.all(done)).flat();
  }

  /** Serializes calls for a replica. Not reentrant. */
  #alone<T>({ deploymentId, service, replica }: Owner, task: () => Promise<T>): Promise<T> {
    mkdirSync(this.#places.locks, { recursive: true, mode: 0o700 });
    const lock = this.#places.lock(`swarm ${this.#places.key(deploymentId, service, replica)}`);
    return withLock(lock, lockWithinMs, () => this.#steadily(task));
  }
}

const mode = (Replicas: number) => ({ Replicated: { Replicas } });

/** Makes new tasks of a spec distinguishable from those before. */
const counted = (wanted: ServiceSpec, { TaskTemplate }: ServiceSpec): ServiceSpec => ({
  ...wanted,
  TaskTemplate: { ...wanted.TaskTemplate, ForceUpdate: (TaskTemplate.ForceUpdate ?? 0) + 1 },
});

const asJob = (spec: ServiceSpec): ServiceSpec => ({
  ...spec,
  Labels: { ...spec.Labels, [onceLabel]: 'true' },
  // Others do not reach it by the names of the service.
  TaskTemplate: { ...spec.TaskTemplate, Networks: networkIdsOf(spec).map((Target) => ({ Target })) },
});
