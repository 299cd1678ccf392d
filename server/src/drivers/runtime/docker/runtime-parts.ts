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
/** How long our files may be behind the engine; a container that is gone has nothing more to copy. */
const behindMs = { stopping: 2_000, removing: 5_000 };

type Named = Pick<Owner, 'deploymentId' | 'service' | 'replica'>;

/** What the Docker runtime is made of, and what its calls have in common. */
export class RuntimeParts {
  readonly places: RuntimePaths;
  readonly ports: PortAllocator;
  readonly engine: EngineClient;
  readonly containers: OwnContainers;
  readonly volumes: StackVolumes;
  readonly names: ServiceNames;
  readonly recorders: LogRecorders;
  readonly report: WriterLog;
  /** Goes on when the engine went away in the middle. */
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

  /** The engine gives a name only once: two services of one instance cannot make the same container twice. */
  nameOf(owner: Named): string {
    return `mooring-${this.keyOf(owner).replace('/', '.')}`;
  }

  folderOf(owner: Owner): string {
    return this.places.instance(this.keyOf(owner));
  }

  view(container: OwnContainer): Instance {
    return containerView(container, containerNotices(this.folderOf(container.owner), container));
  }

  /** One call at a time for a deployment, or for a service of it. Never one inside another. */
  alone<T>({ deploymentId, service }: { deploymentId: string; service?: string }, task: () => Promise<T>): Promise<T> {
    mkdirSync(this.places.locks, { recursive: true, mode: 0o700 });
    const lock = this.places.lock(service === undefined ? deploymentId : this.keyOf({ deploymentId, service }));
    return withLock(lock, lockWithinMs, () => this.steadily(task));
  }

  async stop(container: OwnContainer, graceMs: number): Promise<void> {
    await this.containers.stop(container, graceMs);
    await this.recorders.catchUp(container, behindMs.stopping);
  }

  /** A full disk keeps nobody from stopping. */
  markStopped({ owner, info }: OwnContainer): void {
    try {
      markStopped(this.folderOf(owner), info.Id);
    } catch (error) {
      this.report(`that ${owner.deploymentId}/${owner.service} was stopped is not written down`, error);
    }
  }

  /** It was asked to stop: the engine ends it when its grace is over, also when the process that asked is gone by then. */
  isStopping({ info, owner }: OwnContainer): boolean {
    if (wasStopped(this.folderOf(owner), info.Id)) return true;
    return info.HostConfig.RestartPolicy.Name !== wantedRestart(info).Name;
  }

  /** With what it has said. */
  async forget(container: OwnContainer): Promise<void> {
    if (isUp(container)) await this.containers.stop(container, graceOf(container));
    await this.containers.remove(container);
    await this.recorders.forget(container);
  }

  /** Networks that nobody is on any more. */
  async sweep(): Promise<void> {
    await this.#networks.sweep(await this.containers.list());
  }

  async #end(container: OwnContainer): Promise<void> {
    if (isUp(container)) await this.containers.stop(container, graceOf(container));
    if (!(await this.recorders.catchUp(container, behindMs.removing)))
      this.report('the last output of an app is lost', new Error(container.info.Name));
    await this.containers.remove(container);
    // The next container's output goes into the same files.
    await this.recorders.forget(container);
  }
}

/** As its file says, within bounds, or as is usual. */
export const graceOf = ({ info: { Config } }: OwnContainer, otherwise: number = usualGraceMs): number =>
  Config.StopTimeout === undefined ? otherwise : Math.min(Config.StopTimeout * 1000, longestGraceMs);

const warnOfProcess: WriterLog = (what, error) => process.emitWarning(`${what}: ${String(error)}`);
