import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { addUsage } from '../add-usage.ts';
import { checkVariables } from '../check-variables.ts';
import { withLock } from '../records/locks.ts';
import { readLogs } from '../records/log-reader.ts';
import type { Report } from '../records/log-writer.ts';
import { type Places, placesIn } from '../records/places.ts';
import { type Ports, recordedPorts } from '../records/ports.ts';
import type { Instance, LogLine, Owner, ReleaseSpec, RunOnce, Usage } from '../runtime.ts';
import { containersWatcher } from './containers-watcher.ts';
import type { DockerRuntime, DockerRuntimeOptions } from './docker-options.ts';
import { EngineClient } from './engine-client.ts';
import { EngineAwayError } from '../errors.ts';
import { enginePatience } from './engine-patience.ts';
import { EngineWatch } from './engine-watch.ts';
import { viewOf } from './instance-view.ts';
import { LogRecorders } from './log-recorders.ts';
import { ProjectNetworks } from './networks.ts';
import { noticesOf } from './notes.ts';
import { isUp, type OwnContainer, OwnContainers } from './own-containers.ts';
import { startRelease } from './release-start.ts';
import { runOnce } from './run-once.ts';
import { UsageMeter } from './usage.ts';

const lockWithinMs = 90_000;
const mainService = 'app';
const usualGraceMs = 10_000;
/** How long our files may be behind the engine; a container that is gone has nothing more to copy. */
const behindMs = { reading: 1_000, stopping: 2_000, removing: 5_000 };

/** Runs apps as containers. See README.md beside this file. */
export function createDockerRuntime(options: DockerRuntimeOptions): DockerRuntime {
  return new ContainerRuntime(options);
}

class ContainerRuntime implements DockerRuntime {
  readonly kind = 'docker';
  readonly #options: DockerRuntimeOptions;
  readonly #host: string;
  readonly #report: Report;
  readonly #places: Places;
  readonly #ports: Ports;
  readonly #engine: EngineClient;
  readonly #containers: OwnContainers;
  readonly #networks: ProjectNetworks;
  readonly #recorders: LogRecorders;
  readonly #meter: UsageMeter;
  readonly #watch: EngineWatch;
  /** Goes on when the engine went away in the middle. */
  readonly #steadily: <T>(task: () => Promise<T>) => Promise<T>;

  constructor(options: DockerRuntimeOptions) {
    const { folder, instanceId, connect, portRange } = options;
    this.#options = options;
    this.#host = options.hostAddress ?? '127.0.0.1';
    this.#report = options.report ?? warnOfProcess;
    this.#places = placesIn(folder, instanceId);
    this.#ports = recordedPorts(this.#places, portRange, this.#host);
    this.#engine = new EngineClient(connect);
    this.#containers = new OwnContainers(this.#engine, instanceId);
    this.#networks = new ProjectNetworks(this.#engine, this.#containers, instanceId, this.#places);
    this.#meter = new UsageMeter(this.#engine);
    this.#steadily = enginePatience(this.#engine, options.patienceMs ?? 20_000);
    this.#recorders = new LogRecorders({
      engine: this.#engine,
      containers: this.#containers,
      folderOf: ({ owner }) => this.#folderOf(owner),
      limits: options.limits ?? { logFileBytes: 5_000_000, logFiles: 3 },
      report: this.#report,
    });
    this.#watch = new EngineWatch(
      this.#engine,
      instanceId,
      containersWatcher({ ...options, containers: this.#containers, recorders: this.#recorders, report: this.#report }),
    );
  }

  watch(): void {
    this.#watch.begin();
  }

  async close(): Promise<void> {
    await Promise.all([this.#recorders.close(), this.#watch.close()]);
    this.#engine.close();
  }

  async start(spec: ReleaseSpec): Promise<Instance> {
    const { owner } = spec;
    if (spec.kind !== 'image') throw new Error(`${owner.deploymentId} is a folder; containers run from images`);
    if (owner.instanceId !== this.#options.instanceId)
      throw new Error(`${owner.deploymentId} belongs to another instance of Mooring`);
    checkVariables(spec.env);
    this.watch();
    return this.#alone(owner.deploymentId, async () => {
      const key = this.#keyOf(owner);
      mkdirSync(this.#places.instance(key), { recursive: true, mode: 0o700 });
      const container = await startRelease(this.#startParts(), spec, { key, name: nameOf(key) });
      this.#recorders.record(container);
      return this.#view(container);
    });
  }

  runOnce: RunOnce = (spec, options) => {
    checkVariables(spec.env);
    mkdirSync(this.#places.locks, { recursive: true, mode: 0o700 });
    return runOnce(this.#startParts(), spec, nameOf(this.#keyOf(spec.owner)), options);
  };

  async find(deploymentId: string, service = mainService): Promise<Instance | undefined> {
    const name = nameOf(this.#places.key(deploymentId, service));
    const container = await this.#steadily(() => this.#containers.find(name));
    return container && this.#view(container);
  }

  async list(kind?: ReleaseSpec['kind']): Promise<Instance[]> {
    if (kind === 'folder') return [];
    return (await this.#steadily(() => this.#containers.list())).map((each) => this.#view(each));
  }

  restart(deploymentId: string): Promise<Instance> {
    return this.#alone(deploymentId, async () => {
      const known = await this.#containers.list({ deployment: deploymentId });
      if (!known.length) throw new Error(`there is no container of ${deploymentId}`);
      const restarted = await Promise.all(known.map((each) => this.#containers.restart(each, usualGraceMs)));
      for (const each of restarted) this.#recorders.record(each);
      const views = restarted.map((each) => this.#view(each));
      return views.find(({ owner }) => owner.service === mainService) ?? views[0]!;
    });
  }

  stop(deploymentId: string, graceMs: number): Promise<void> {
    return this.#alone(deploymentId, async () => {
      const known = await this.#containers.list({ deployment: deploymentId });
      await Promise.all(
        known.filter(isUp).map(async (each) => {
          await this.#containers.stop(each, graceMs);
          await this.#recorders.catchUp(each, behindMs.stopping);
        }),
      );
    });
  }

  remove(deploymentId: string): Promise<void> {
    return this.#alone(deploymentId, async () => {
      const keys = this.#places.keys(deploymentId);
      for (const container of await this.#containers.list({ deployment: deploymentId })) {
        if (isUp(container)) await this.#containers.stop(container, usualGraceMs);
        await this.#containers.remove(container);
        await this.#recorders.forget(container);
      }
      await rm(this.#places.deployment(deploymentId), { recursive: true, force: true });
      await this.#ports.release(keys);
      await this.#networks.sweep();
    });
  }

  async usage(deploymentId: string): Promise<Usage | undefined> {
    return this.#steadily(async () => {
      const known = await this.#containers.list({ deployment: deploymentId });
      const running = known.filter(({ info }) => info.State.Status === 'running');
      const usages = await Promise.all(running.map((each) => this.#meter.measure(each)));
      return usages.length ? usages.reduce(addUsage) : undefined;
    });
  }

  async logs(deploymentId: string, options: { tail?: number; since?: number }): Promise<LogLine[]> {
    const folders = this.#places.keys(deploymentId).map((key) => this.#places.instance(key));
    try {
      const known = folders.length ? await this.#containers.list({ deployment: deploymentId }) : [];
      await Promise.all(known.map((each) => this.#recorders.catchUp(each, behindMs.reading)));
    } catch (error) {
      // What is in our files can be read without an engine.
      if (!(error instanceof EngineAwayError)) throw error;
    }
    return readLogs(folders.filter(existsSync), options);
  }

  #startParts(): Parameters<typeof startRelease>[0] {
    return {
      engine: this.#engine,
      containers: this.#containers,
      networks: this.#networks,
      ports: this.#ports,
      host: this.#host,
      engineLogs: this.#options.engineLogs ?? { maxSize: '10m', maxFiles: 3 },
      end: (container) => this.#end(container),
      report: this.#report,
    };
  }

  async #end(container: OwnContainer): Promise<void> {
    if (isUp(container)) await this.#containers.stop(container, usualGraceMs);
    if (!(await this.#recorders.catchUp(container, behindMs.removing)))
      this.#report('the last output of an app is lost', new Error(container.info.Name));
    await this.#containers.remove(container);
    // The next container's output goes into the same files.
    await this.#recorders.forget(container);
  }

  #view(container: OwnContainer): Instance {
    return viewOf(container, noticesOf(this.#folderOf(container.owner), container));
  }

  #keyOf({ deploymentId, service }: Owner): string {
    return this.#places.key(deploymentId, service);
  }

  #folderOf(owner: Owner): string {
    return this.#places.instance(this.#keyOf(owner));
  }

  /** One call at a time for a deployment. */
  #alone<T>(deploymentId: string, task: () => Promise<T>): Promise<T> {
    mkdirSync(this.#places.locks, { recursive: true, mode: 0o700 });
    return withLock(this.#places.lock(deploymentId), lockWithinMs, () => this.#steadily(task));
  }
}

/** The engine gives a name only once: two services of one instance cannot make the same container twice. */
const nameOf = (key: string): string => `mooring-${key.replace('/', '.')}`;

const warnOfProcess: Report = (what, error) => process.emitWarning(`${what}: ${String(error)}`);
