import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { addUsage } from '../add-usage.ts';
import { isReplica, combineReplicas } from '../replicas.ts';
import { checkVariables } from '../check-variables.ts';
import { readLogs } from '../records/log-reader.ts';
import type {
  ImageRelease,
  Instance,
  Listening,
  LogLine,
  ReleaseSpec,
  RunOnce,
  ServiceNetwork,
  ServiceRuntime,
  SubnetConflict,
  Usage,
} from '../runtime.ts';
import type { ContainerData } from '../container-data.ts';
import { containerSockets } from './container-sockets.ts';
import { containersWatcher } from './containers-watcher.ts';
import { containerData } from './data/container-data.ts';
import type { DockerRuntime, DockerRuntimeOptions } from './options.ts';
import { EngineAwayError } from '../errors.ts';
import { EngineWatch } from './engine/event-watch.ts';
import { publishedAt } from './instance-view.ts';
import { isUp, type OwnContainer } from './own-containers.ts';
import { makeRelease, startRelease } from './release/start.ts';
import { runOnce } from './release/run-once.ts';
import { graceOf, RuntimeParts } from './runtime-parts.ts';
import { forEachContainer } from './each-container.ts';
import { foldersOf, mainService, makeInstanceFolder } from './service/files.ts';
import { unmarkStopped } from './stopped-mark.ts';
import { portTakenError } from './release/taken-port.ts';
import { UsageMeter } from './usage.ts';
import { writtenFiles } from './written-files.ts';

/** How far our log files may lag behind the engine. */
const readingMs = 1_000;

type LogOptions = { tail?: number; since?: number; service?: string };

/** Runs apps and the services of stacks as containers. See README.md beside this file. */
export function createDockerRuntime(options: DockerRuntimeOptions): DockerRuntime {
  return new ContainerRuntime(options);
}

class ContainerRuntime implements DockerRuntime {
  readonly kind = 'docker';
  readonly #instanceId: string;
  readonly #parts: RuntimeParts;
  readonly #meter: UsageMeter;
  readonly #watch: EngineWatch;
  readonly data: ContainerData;
  readonly #prepare: (spec: ImageRelease) => Promise<ImageRelease>;

  readonly #readProc: DockerRuntimeOptions['readProc'];
  readonly #renew: NonNullable<DockerRuntimeOptions['renew']>;

  constructor(options: DockerRuntimeOptions) {
    this.#instanceId = options.instanceId;
    this.#prepare = options.prepare ?? (async (spec) => spec);
    this.#readProc = options.readProc;
    this.#renew = options.renew ?? (async () => {});
    this.#parts = new RuntimeParts(options);
    const { engine, containers, recorders, report } = this.#parts;
    this.#meter = new UsageMeter(engine);
    this.data = containerData(this.#parts, options.instanceId, (id, service) => this.#find(id, service));
    const watcher = containersWatcher({ ...options, containers, recorders, report });
    this.#watch = new EngineWatch(engine, options.instanceId, watcher);
  }

  watch(): void {
    this.#watch.begin();
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.recorders.close(), this.#watch.close()]);
    this.#parts.engine.close();
  }

  async start(spec: ReleaseSpec): Promise<Instance> {
    return this.#placed(spec, async (placed, place) =>
      this.#begun(await startRelease(this.#parts.start, placed, place)),
    );
  }

  async make(spec: ImageRelease): Promise<Instance> {
    return this.#placed(spec, async (placed, place) =>
      this.#parts.view(await makeRelease(this.#parts.start, placed, place)),
    );
  }

  subnetConflicts(stack: string, networks: readonly ServiceNetwork[]): Promise<SubnetConflict[]> {
    return this.#parts.steadily(() => this.#parts.start.networks.conflicts(stack, networks, this.#readProc));
  }

  /** Serializes the calls for one release. */
  async #placed<T>(
    spec: ReleaseSpec,
    task: (spec: ImageRelease, place: { key: string; name: string }) => Promise<T>,
  ): Promise<T> {
    const { owner } = spec;
    if (spec.kind !== 'image') throw new Error(`${owner.deploymentId} is a folder; containers run from images`);
    if (owner.instanceId !== this.#instanceId)
      throw new Error(`${owner.deploymentId} belongs to another instance of Mooring`);
    checkVariables(spec.env);
    this.watch();
    const { deploymentId, service } = owner;
    return this.#parts.alone({ deploymentId, service }, async () => {
      makeInstanceFolder(this.#parts.folderOf(owner), spec.service.isApp ? undefined : owner.service, owner.replica);
      return task(await this.#prepare(spec), { key: this.#parts.keyOf(owner), name: this.#parts.nameOf(owner) });
    });
  }

  runOnce: RunOnce = async (spec, options) => {
    checkVariables(spec.env);
    mkdirSync(this.#parts.places.locks, { recursive: true, mode: 0o700 });
    return runOnce(this.#parts.start, await this.#prepare(spec), this.#parts.nameOf(spec.owner), options);
  };

  async find(deploymentId: string, service = mainService, replica?: number): Promise<Instance | undefined> {
    const first = await this.#parts.steadily(() => this.#find(deploymentId, service, replica));
    if (replica !== undefined || foldersOf(this.#parts.places, deploymentId, service).length < 2)
      return first && this.#parts.view(first);
    const all = await this.#parts.steadily(() => this.#parts.containers.list({ deployment: deploymentId, service }));
    return combineReplicas(all.map((each) => this.#parts.view(each)));
  }

  async list(kind?: ReleaseSpec['kind']): Promise<Instance[]> {
    if (kind === 'folder') return [];
    return (await this.#parts.steadily(() => this.#parts.containers.list())).map((each) => this.#parts.view(each));
  }

  async restart(deploymentId: string, service?: string): Promise<Instance> {
    const views = await forEachContainer(this.#parts, deploymentId, service, (each) => this.#restarted(each));
    const view = views.find(({ owner }) => owner.service === mainService) ?? views[0];
    if (!view) throw new Error(`there is no container of ${deploymentId}`);
    return view;
  }

  async ensureRunning(deploymentId: string, service: string): Promise<Instance | undefined> {
    const views = await forEachContainer(this.#parts, deploymentId, service, async (each) =>
      isUp(each) && !this.#parts.isStopping(each) ? this.#parts.view(each) : this.#restarted(each),
    );
    return views[0];
  }

  async #restarted(container: OwnContainer): Promise<Instance> {
    await this.#renew({ imageId: container.info.Image, owner: container.owner }, pathsOf(container));
    const restarted = this.#parts.containers.restart(container, graceOf(container)).catch((error: unknown) => {
      throw portTakenError(error, publishedAt(container.info).port);
    });
    return this.#begun(await restarted);
  }

  async stop(deploymentId: string, graceMs: number, service?: string, replica?: number): Promise<void> {
    await forEachContainer(this.#parts, deploymentId, service, (each) => this.#stopped(each, graceMs), replica);
  }

  async stopIf(
    deploymentId: string,
    service: string,
    graceMs: number,
    isUnneeded: () => Promise<boolean>,
  ): Promise<void> {
    await forEachContainer(this.#parts, deploymentId, service, async (each) => {
      if (await isUnneeded()) await this.#stopped(each, graceMs);
    });
  }

  async #stopped(container: OwnContainer, graceMs: number): Promise<void> {
    if (!isUp(container)) return;
    this.#parts.markStopped(container);
    await this.#parts.stop(container, graceOf(container, graceMs));
  }

  async pause(deploymentId: string, service?: string): Promise<void> {
    await forEachContainer(this.#parts, deploymentId, service, (each) => this.#parts.containers.pause(each));
  }

  async resume(deploymentId: string, service?: string): Promise<void> {
    await forEachContainer(this.#parts, deploymentId, service, (each) => this.#parts.containers.resume(each));
  }

  async remove(deploymentId: string, service?: string, replica?: number): Promise<void> {
    const { places, ports } = this.#parts;
    await forEachContainer(this.#parts, deploymentId, service, (each) => this.#parts.forget(each), replica);
    await this.#parts.alone({ deploymentId }, async () => {
      const own = foldersOf(places, deploymentId, service).filter((each) => isReplica(each, replica));
      for (const { folder } of own) await rm(folder, removal);
      if (service === undefined) await rm(places.deployment(deploymentId), removal);
      await ports.release(own.map(({ key }) => key));
      await this.#parts.sweep();
    });
  }

  async usage(deploymentId: string, service?: string, replica?: number): Promise<Usage | undefined> {
    return this.#parts.steadily(async () => {
      const known = await this.#parts.containers.list({ deployment: deploymentId, ...(service && { service }) });
      const running = known.filter(({ info, owner }) => info.State.Status === 'running' && isReplica(owner, replica));
      const usages = await Promise.all(running.map((each) => this.#meter.measure(each)));
      return usages.length ? usages.reduce(addUsage) : undefined;
    });
  }

  async logs(deploymentId: string, { service, ...query }: LogOptions): Promise<LogLine[]> {
    const { places, containers, recorders } = this.#parts;
    const narrow = { deployment: deploymentId, ...(service && { service }) };
    try {
      const isKnown = foldersOf(places, deploymentId, service).length > 0;
      const known = isKnown ? await containers.list(narrow) : [];
      await Promise.all(known.map((each) => recorders.catchUp(each, readingMs)));
    } catch (error) {
      // Our log files can be read without an engine.
      if (!(error instanceof EngineAwayError)) throw error;
    }
    return readLogs(foldersOf(places, deploymentId, service), query);
  }

  async listening(deploymentId: string, service = mainService): Promise<Listening | undefined> {
    const container = await this.#parts.steadily(() => this.#find(deploymentId, service));
    // Only for diagnosis: a failure to read /proc must not fail anything else.
    return container && this.#readProc && containerSockets(container, this.#readProc).catch(() => undefined);
  }

  promote(deploymentId: string, service: string): Promise<void> {
    return this.#parts.alone({ deploymentId, service }, async () => {
      const container = await this.#find(deploymentId, service);
      if (!container) throw new Error(`there is no container of ${deploymentId}/${service}`);
      await this.#parts.names.give(container);
    });
  }

  async signal(deploymentId: string, service: string, signal: 'SIGHUP'): Promise<void> {
    const container = await this.#parts.steadily(() => this.#find(deploymentId, service));
    if (container?.info.State.Status === 'running') await this.#parts.containers.signal(container, signal);
  }

  volumes: ServiceRuntime['volumes'] = (of) =>
    this.#parts.steadily(() =>
      this.#parts.volumes.list('stack' in of ? { stack: of.stack } : { project: of.projectId }),
    );

  removeVolumes: ServiceRuntime['removeVolumes'] = ({ projectId }) =>
    this.#parts.steadily(() => this.#parts.volumes.remove(projectId));

  /** Removes stopped containers that use the volume; they are recreated on the next start. */
  removeVolume: ServiceRuntime['removeVolume'] = (id) =>
    this.#parts.steadily(async () => {
      const holders = (await this.#parts.containers.list()).filter(({ info }) =>
        info.Mounts?.some(({ Name }) => Name === id),
      );
      if (holders.some(isUp)) return false;
      for (const holder of holders) await this.#parts.start.end(holder);
      return this.#parts.volumes.removeOne(id);
    });

  volumeSizes: ServiceRuntime['volumeSizes'] = () => this.#parts.volumes.sizes();

  writtenFiles: ServiceRuntime['writtenFiles'] = async (deployment, service) => {
    const { engine, containers } = this.#parts;
    const all = await containers.list({ deployment, service });
    return (await Promise.all(all.map(({ info }) => writtenFiles(engine, info)))).flat();
  };

  readVolume: ServiceRuntime['readVolume'] = (id, path) => this.#parts.volumes.read(id, path);

  makeVolume: ServiceRuntime['makeVolume'] = (owner, stack, name, content) =>
    this.#parts.volumes.make(owner, stack, name, content);

  #find(deploymentId: string, service: string, replica = 1): Promise<OwnContainer | undefined> {
    const whose = { deploymentId, service, replica };
    return this.#parts.containers.findOf(whose, this.#parts.nameOf(whose));
  }

  #begun(container: OwnContainer): Instance {
    unmarkStopped(this.#parts.folderOf(container.owner));
    this.#parts.recorders.record(container);
    return this.#parts.view(container);
  }
}

/** Other nodes of a Swarm may still write output there. */
const removal = { recursive: true, force: true, maxRetries: 5 };

/** Host paths of the container's mounts. */
const pathsOf = ({ info: { Mounts } }: OwnContainer): string[] => (Mounts ?? []).flatMap(({ Source }) => Source || []);
