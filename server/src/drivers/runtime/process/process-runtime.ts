import { staleFence } from '../../stale-fence.ts';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../lib/remove-tree.ts';
import { addUsage } from '../add-usage.ts';
import { isReplica, combineReplicas } from '../replicas.ts';
import { checkVariables } from '../check-variables.ts';
import type { Instance, Listening, LogLine, ReleaseSpec, Runtime, Usage } from '../runtime.ts';
import { NoPortLeftError } from '../errors.ts';
import { socketsOf } from './app-sockets.ts';
import { usageOf } from './app-usage.ts';
import { processView } from './instance-view.ts';
import { withLock } from '../records/locks.ts';
import { readLogs } from '../records/log-reader.ts';
import type { WriterLog } from '../records/log-writer.ts';
import { newTask } from './new-task.ts';
import { instancesOf, type KnownInstance, ownInstances } from './own-instances.ts';
import { type RuntimePaths, runtimePaths } from '../records/paths.ts';
import { type PortAllocator, recordedPorts } from '../records/ports.ts';
import type { ProcessIsolation } from '../../host/isolation.ts';
import { membersOf } from '../../host/process-tree.ts';
import { signalProcess } from '../../host/processes.ts';
import { type InstanceRecord, readRecord, processTreeOf, writeFollowedPort } from './state-file.ts';
import { appAlive, endInstance, findRunning, launch, untilStarted, supervisorAlive } from './supervisor-process.ts';
import { type SupervisorLimits, usualGraceMs } from './supervisor-spec.ts';

export interface ProcessRuntimeOptions {
  /** Everything is written below it. */
  folder: string;
  instanceId: string;
  /** The supervisor: `supervisor.ts` or its bundle. */
  program: string;
  portRange: { from: number; to: number };
  hostAddress?: string;
  isolation: Promise<ProcessIsolation>;
  limits?: Partial<SupervisorLimits>;
  /** Receives errors that did not fail a call. */
  report?: WriterLog;
}

const lockWithinMs = 90_000;
const mainService = 'app';

type LogOptions = { tail?: number; since?: number; service?: string };

/** Runs apps as plain processes of this machine. See README.md beside this file for its guarantees. */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  return new ProcessRuntime(options);
}

class ProcessRuntime implements Runtime {
  readonly kind = 'process';
  readonly #options: ProcessRuntimeOptions;
  readonly #places: RuntimePaths;
  readonly #ports: PortAllocator;
  readonly #host: string;
  readonly #report: WriterLog;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.#host = options.hostAddress ?? '127.0.0.1';
    this.#places = runtimePaths(options.folder, options.instanceId);
    this.#ports = recordedPorts(this.#places, options.portRange, this.#host);
    this.#report = options.report ?? warnOfProcess;
  }

  async start(spec: ReleaseSpec): Promise<Instance> {
    const { owner } = spec;
    if (spec.kind !== 'folder') throw new Error(`${owner.deploymentId} is an image; processes run from folders`);
    if (owner.instanceId !== this.#options.instanceId)
      throw new Error(`${owner.deploymentId} belongs to another instance of Mooring`);
    if (!statSync(spec.folder, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`the release folder ${spec.folder} does not exist`);
    checkVariables(spec.env);
    return this.#alone(owner.deploymentId, async () => {
      const key = this.#places.key(owner.deploymentId, owner.service, owner.replica);
      const folder = this.#places.instance(key);
      const known = readRecord(folder);
      if (known && known.owner.fence > owner.fence) throw staleFence(owner, known.owner.fence);
      const found = known?.owner.fence === owner.fence ? await findRunning(folder, known, this.#report) : undefined;
      if (found) return this.#view(key, found);
      const orphan = known?.owner.fence === owner.fence && this.#view(key, known).isOrphan ? known : undefined;
      if (known && !orphan) await endInstance(folder, known, usualGraceMs, this.#report);
      mkdirSync(join(folder, 'tmp'), { recursive: true, mode: 0o700 });
      const place = {
        folder,
        host: this.#host,
        port: orphan?.port ?? (await this.#takePort(key, spec.port)),
        isolation: await this.#options.isolation,
        limits: this.#options.limits,
      };
      return this.#view(key, await launch(this.#options.program, newTask(spec, place, orphan)));
    });
  }

  async find(deploymentId: string, service = mainService, replica?: number): Promise<Instance | undefined> {
    return combineReplicas(
      this.#known(deploymentId, service, replica).map(({ key, record }) => this.#view(key, record)),
    );
  }

  async list(kind?: ReleaseSpec['kind']): Promise<Instance[]> {
    if (kind === 'image') return [];
    return ownInstances(this.#places, this.#options.instanceId, this.#report).map(({ key, record }) =>
      this.#view(key, record),
    );
  }

  restart(deploymentId: string, service?: string): Promise<Instance> {
    return this.#alone(deploymentId, async () => {
      const known = this.#known(deploymentId, service);
      if (!known.some(({ record }) => supervisorAlive(record)))
        throw new Error(`${deploymentId} does not run; it has to be started again`);
      const views = await Promise.all(
        known.map(async ({ key, folder, record }) => {
          if (!signalProcess(record.supervisor, 'SIGUSR2')) return this.#view(key, record);
          return this.#view(key, await untilStarted(folder, record.supervisor, record.starts + 1));
        }),
      );
      return combineReplicas(views)!;
    });
  }

  stop(deploymentId: string, graceMs: number, service?: string, replica?: number): Promise<void> {
    return this.#alone(deploymentId, () => this.#end(this.#known(deploymentId, service, replica), graceMs));
  }

  pause(deploymentId: string, service?: string): Promise<void> {
    return this.#alone(deploymentId, async () => {
      for (const { record } of this.#known(deploymentId, service)) if (appAlive(record)) signalTree(record, 'SIGSTOP');
    });
  }

  resume(deploymentId: string, service?: string): Promise<void> {
    return this.#alone(deploymentId, async () => {
      for (const { record } of this.#known(deploymentId, service)) if (appAlive(record)) signalTree(record, 'SIGCONT');
    });
  }

  remove(deploymentId: string, service?: string, replica?: number): Promise<void> {
    return this.#alone(deploymentId, async () => {
      const known = this.#known(deploymentId, service, replica);
      const keys = service === undefined ? this.#places.keys(deploymentId) : known.map(({ key }) => key);
      await this.#end(known, usualGraceMs);
      // The app's user owns its files in /tmp.
      for (const { folder } of known) await removeTree(folder);
      if (service === undefined) await removeTree(this.#places.deployment(deploymentId));
      await this.#ports.release(keys);
    });
  }

  async usage(deploymentId: string, service?: string, replica?: number): Promise<Usage | undefined> {
    const running = this.#known(deploymentId, service, replica).filter(({ record }) => appAlive(record));
    const usages = await Promise.all(
      running.map(({ record }) => usageOf(processTreeOf(record), record.memoryLimitBytes)),
    );
    return usages.length ? usages.reduce(addUsage) : undefined;
  }

  async listening(deploymentId: string, service = mainService): Promise<Listening | undefined> {
    const [known] = this.#known(deploymentId, service).filter(({ record }) => appAlive(record));
    const sockets = known && socketsOf(processTreeOf(known.record));
    if (!sockets) return undefined;
    const { port } = known.record;
    return { sockets, port, isReached: (socket) => socket.port === port && socket.address !== '::1' };
  }

  async follow(deploymentId: string, port: number): Promise<Instance | undefined> {
    const listening = await this.listening(deploymentId);
    // Only if one of its own processes listens there: the port may be another app's.
    if (!listening?.sockets.some((socket) => socket.port === port && socket.address !== '::1')) return undefined;
    const key = this.#places.key(deploymentId, mainService);
    writeFollowedPort(this.#places.instance(key), port);
    return this.find(deploymentId);
  }

  async logs(deploymentId: string, options: LogOptions): Promise<LogLine[]> {
    const folders = this.#known(deploymentId, options.service).map(({ folder, record: { owner } }) => ({
      folder,
      ...(owner.replica && { replica: owner.replica }),
    }));
    return readLogs(folders, options);
  }

  /** Reports apps that occupy further ports when none is left. */
  async #takePort(key: string, asked: number | undefined): Promise<number> {
    try {
      return await this.#ports.take(key, asked);
    } catch (error) {
      if (error instanceof NoPortLeftError) this.#reportHoarders(error);
      throw error;
    }
  }

  #reportHoarders(error: NoPortLeftError): void {
    const { instanceId, portRange } = this.#options;
    for (const { record } of ownInstances(this.#places, instanceId, this.#report)) {
      const sockets = appAlive(record) ? (socketsOf(processTreeOf(record)) ?? []) : [];
      const isOther = (port: number) => port >= portRange.from && port <= portRange.to && port !== record.port;
      const others = new Set(sockets.map(({ port }) => port).filter(isOther)).size;
      if (others) this.#report(`${record.owner.deploymentId} listens on ${others} ports of other apps`, error);
    }
  }

  #view = (key: string, record: InstanceRecord): Instance => processView(key, record, this.#places.instance(key));

  /** The only service is `app`, unless named otherwise. */
  #known(deploymentId: string, service?: string, replica?: number): KnownInstance[] {
    const isWanted = ({ record: { owner } }: KnownInstance) =>
      (service === undefined || owner.service === service) && isReplica(owner, replica);
    return instancesOf(this.#places, deploymentId).filter(isWanted);
  }

  async #end(known: readonly KnownInstance[], graceMs: number): Promise<void> {
    await Promise.all(known.map(({ folder, record }) => endInstance(folder, record, graceMs, this.#report)));
  }

  /** Serializes calls for a deployment. */
  #alone<T>(deploymentId: string, task: () => Promise<T>): Promise<T> {
    mkdirSync(this.#places.locks, { recursive: true, mode: 0o700 });
    return withLock(this.#places.lock(deploymentId), lockWithinMs, task);
  }
}

/** Repeated, because a process may fork during the scan. */
function signalTree(record: InstanceRecord, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const signaled = new Set<number>();
  for (let fresh = membersOf(processTreeOf(record)); fresh.length;) {
    for (const each of fresh) signalProcess(each, signal);
    for (const { pid } of fresh) signaled.add(pid);
    fresh = membersOf(processTreeOf(record)).filter(({ pid }) => !signaled.has(pid));
  }
}

const warnOfProcess: WriterLog = (what, error) => process.emitWarning(`${what}: ${String(error)}`);
