import { mkdirSync } from 'node:fs';
import { withLock } from '../records/locks.ts';
import type { WriterLog } from '../records/log-writer.ts';
import { type RuntimePaths, runtimePaths } from '../records/paths.ts';
import { type PortAllocator, recordedPorts } from '../records/ports.ts';
import type { Instance, Owner } from '../runtime.ts';
import type { DockerRuntimeOptions } from './options.ts';
import { EngineClient } from './engine/client.ts';
import { retryWhileEngineAway } from './engine/retry.ts';
import { containerView } from './instance-view.ts';
import { LogRecorders } from './logs/recorders.ts';
import { containerNotices } from './notes.ts';
import { isUp, type OwnContainer, OwnContainers } from './own-containers.ts';
import type { StartParts } from './release/create.ts';
import { wantedRestart } from './release/restart-policy.ts';
import { ServiceNames } from './service/names.ts';
import { StackNetworks } from './networks/networks.ts';
import { StackVolumes } from './volumes.ts';
import { markStopped, wasStopped } from './stopped-mark.ts';

const lockWithinMs = 90_000;
const longestGraceMs = 300_000;
const usualGraceMs = 10_000;
/** How far our log files may lag behind the engine; a removed container has nothing left to copy. */
const behindMs = { stopping: 2_000, removing: 5_000 };

type Named = Pick<Owner, 'deploymentId' | 'service' | 'replica'>;

/** Components of the Docker runtime, and helpers of its calls. */
export class RuntimeParts {
  readonly places: RuntimePaths;
  readonly ports: PortAllocator;
  readonly engine: EngineClient;
  readonly containers: OwnContainers;
  readonly volumes: StackVolumes;
  readonly names: ServiceNames;
  readonly recorders: LogRecorders;
  readonly report: WriterLog;
  /** Retries when the engine becomes unreachable. */
  readonly steadily: <T>(task: () => Promise<T>) => Promise<T>;
  readonly start: StartParts;
  readonly #networks: StackNetworks;

  constructor(options: DockerRuntimeOptions) {
    const { folder, instanceId, connect, portRange } = options;
    const host = options.hostAddress ?? '127.0.0.1';
    this.report = options.report ?? warnOfProcess;
    this.places = runtimePaths(folder, instanceId);
    this.ports = recordedPorts(this.places, portRange, host, options.isElsewhere);
    this.engine = new EngineClient(connect);
    this.containers = new OwnContainers(this.engine, instanceId);
    this.#networks = new StackNetworks(this.engine, this.containers, instanceId, this.places);
    this.volumes = new StackVolumes(this.engine, instanceId);
    this.names = new ServiceNames(this.containers, this.places.locks, (owner) => this.nameOf(owner));
    this.steadily = retryWhileEngineAway(this.engine, options.patienceMs ?? 20_000);
    this.recorders = new LogRecorders({
      engine: this.engine,
      containers: this.containers,
      folderOf: ({ owner }) => this.folderOf(owner),
      limits: options.limits ?? { logFileBytes: 5_000_000, logFiles: 3 },
      report: this.report,
    });
    this.start = {
      engine: this.engine,
      containers: this.containers,
      volumes: this.volumes,
      names: this.names,
      ports: this.ports,
      report: this.report,
      networks: this.#networks,
      host,
      engineLogs: options.engineLogs ?? { maxSize: '10m', maxFiles: 3 },
      init: { isMissing: false },
      end: (container) => this.#end(container),
      nameOf: (deploymentId, service) => this.nameOf({ deploymentId, service }),
      made: new Set(),
      wasStopped: (container) => wasStopped(this.folderOf(container.owner), container.info.Id),
    };
  }

  keyOf({ deploymentId, service, replica }: Named): string {
    return this.places.key(deploymentId, service, replica);
  }

  /** The engine enforces unique names, so two services of one instance cannot create the same container twice. */
  nameOf(owner: Named): string {
    return `mooring-${this.keyOf(owner).replace('/', '.')}`;
  }

  folderOf(owner: Owner): string {
    return this.places.instance(this.keyOf(owner));
  }

  view(container: OwnContainer): Instance {
    return containerView(container, containerNotices(this.folderOf(container.owner), container));
  }

  /** Serializes calls for a deployment, or for one of its services. Not reentrant. */
  alone<T>({ deploymentId, service }: { deploymentId: string; service?: string }, task: () => Promise<T>): Promise<T> {
    mkdirSync(this.places.locks, { recursive: true, mode: 0o700 });
    const lock = this.places.lock(service === undefined ? deploymentId : this.keyOf({ deploymentId, service }));
    return withLock(lock, lockWithinMs, () => this.steadily(task));
  }

  async stop(container: OwnContainer, graceMs: number): Promise<void> {
    await this.containers.stop(container, graceMs);
    await this.recorders.catchUp(container, behindMs.stopping);
  }

  /** A full disk must not prevent a stop. */
  markStopped({ owner, info }: OwnContainer): void {
    try {
      markStopped(this.folderOf(owner), info.Id);
    } catch (error) {
      this.report(`that ${owner.deploymentId}/${owner.service} was stopped could not be recorded`, error);
    }
  }

  /** Whether a stop is in progress: the engine completes it even if the process that requested it is gone. */
  isStopping({ info, owner }: OwnContainer): boolean {
    if (wasStopped(this.folderOf(owner), info.Id)) return true;
    return info.HostConfig.RestartPolicy.Name !== wantedRestart(info).Name;
  }

  /** Removes the container and its output. */
  async forget(container: OwnContainer): Promise<void> {
    if (isUp(container)) await this.containers.stop(container, graceOf(container));
    await this.containers.remove(container);
    await this.recorders.forget(container);
  }

  /** Removes unused networks. */
  async sweep(): Promise<void> {
    await this.#networks.sweep(await this.containers.list());
  }

  async #end(container: OwnContainer): Promise<void> {
    if (isUp(container)) await this.containers.stop(container, graceOf(container));
    if (!(await this.recorders.catchUp(container, behindMs.removing)))
      this.report('the last output of an app is lost', new Error(container.info.Name));
    await this.containers.remove(container);
    // The next container writes to the same files.
    await this.recorders.forget(container);
  }
}

/** Returns the container's own grace period, within bounds, or the default. */
export const graceOf = ({ info: { Config } }: OwnContainer, otherwise: number = usualGraceMs): number =>
  Config.StopTimeout === undefined ? otherwise : Math.min(Config.StopTimeout * 1000, longestGraceMs);

const warnOfProcess: WriterLog = (what, error) => process.emitWarning(`${what}: ${String(error)}`);
