import { staleFence } from '../stale-fence.ts';
import { isReplica, combineReplicas } from './replicas.ts';
import type {
  ImageRelease,
  Instance,
  LogLine,
  ReleaseSpec,
  Runtime,
  ServiceRuntime,
  StackVolumeInfo,
} from './runtime.ts';

export interface MemoryRuntimeOptions {
  /** Called at each start. Its result is merged into the instance (`health`, `state`, `exitCode`, ...); an error
   * fails the start. */
  onStart?: (spec: ReleaseSpec) => Partial<Instance> | undefined | Promise<Partial<Instance> | undefined>;
}

/** A runtime that runs nothing, with inspection for tests. */
export interface MemoryRuntime extends Runtime, ServiceRuntime {
  /** Deployment that holds a service's names, by `<stack> <service>`. */
  readonly named: ReadonlyMap<string, string>;
  /** Last started release, by `<deployment>/<service>`. */
  readonly releases: ReadonlyMap<string, ReleaseSpec>;
  /** Adds a log line of the service. */
  say(deploymentId: string, service: string, line: string): void;
}

const mainService = 'app';
const keyOf = (deploymentId: string, service: string, replica = 1) =>
  `${deploymentId}/${service}${replica > 1 ? `#${replica}` : ''}`;

/** Returns a runtime that runs nothing and records its state, for tests. */
export function createMemoryRuntime({ onStart }: MemoryRuntimeOptions = {}): MemoryRuntime {
  const instances = new Map<string, Instance>();
  const releases = new Map<string, ReleaseSpec>();
  const named = new Map<string, string>();
  const volumes = new Map<string, StackVolumeInfo & { projectId: string }>();
  const lines = new Map<string, LogLine[]>();
  const of = (deploymentId: string, service?: string, replica?: number): Instance[] =>
    [...instances.values()].filter(
      ({ owner }) =>
        owner.deploymentId === deploymentId &&
        (service === undefined || owner.service === service) &&
        isReplica(owner, replica),
    );
  const known = (deploymentId: string, service?: string): Instance => {
    const found = of(deploymentId, service);
    const instance = found.find(({ owner }) => owner.service === mainService) ?? found[0];
    if (!instance) throw new Error(`there is no instance of ${deploymentId}`);
    return instance;
  };
  const give = ({ owner, service }: ImageRelease) => named.set(`${service.stack} ${owner.service}`, owner.deploymentId);

  return {
    kind: 'memory',
    named,
    releases,
    say: (deploymentId, service, line) => {
      const key = keyOf(deploymentId, service);
      lines.set(key, [...(lines.get(key) ?? []), { at: Date.now(), stream: 'stdout', line, service }]);
    },
    async start(spec) {
      const { owner } = spec;
      const key = keyOf(owner.deploymentId, owner.service, owner.replica);
      const before = instances.get(key);
      if (before && before.owner.fence > owner.fence) throw staleFence(owner, before.owner.fence);
      const more = await onStart?.(spec);
      const instance = { ...newInstance(spec), ...more };
      instances.set(key, instance);
      releases.set(key, spec);
      if (spec.kind === 'image') {
        for (const volume of volumesOf(spec)) volumes.set(volume.id, volumes.get(volume.id) ?? volume);
        if (spec.service.isNamedAtOnce) give(spec);
      }
      return instance;
    },
    find: async (deploymentId, service = mainService, replica) => combineReplicas(of(deploymentId, service, replica)),
    list: async (kind) => {
      const kindOf = ({ owner }: Instance) => releases.get(keyOf(owner.deploymentId, owner.service))?.kind;
      return [...instances.values()].filter((each) => !kind || kindOf(each) === kind);
    },
    restart: async (deploymentId, service) =>
      Object.assign(known(deploymentId, service), { state: 'running', startedAt: Date.now(), exitCode: null }),
    async stop(deploymentId, _graceMs, service, replica) {
      for (const instance of of(deploymentId, service, replica)) instance.state = 'exited';
    },
    pause: async () => {},
    resume: async () => {},
    async remove(deploymentId, service, replica) {
      for (const { owner } of of(deploymentId, service, replica)) {
        const key = keyOf(owner.deploymentId, owner.service, owner.replica);
        for (const each of [instances, releases, lines]) each.delete(key);
        for (const [name, holder] of named)
          if (holder === deploymentId && name.endsWith(` ${owner.service}`)) named.delete(name);
      }
    },
    usage: async () => undefined,
    logs: async (deploymentId, { service }) =>
      of(deploymentId, service).flatMap(({ owner }) => lines.get(keyOf(deploymentId, owner.service)) ?? []),
    async promote(deploymentId, service) {
      const spec = releases.get(keyOf(deploymentId, service));
      if (spec?.kind !== 'image') throw new Error(`there is no container of ${deploymentId}/${service}`);
      give(spec);
    },
    async ensureRunning(deploymentId, service) {
      const instance = instances.get(keyOf(deploymentId, service));
      if (instance?.state === 'exited')
        Object.assign(instance, { state: 'running', startedAt: Date.now(), exitCode: null });
      return instance;
    },
    async stopIf(deploymentId, service, _graceMs, isUnneeded) {
      for (const instance of of(deploymentId, service)) if (await isUnneeded()) instance.state = 'exited';
    },
    make: async (spec) => ({ ...newInstance(spec), state: 'exited', startedAt: null }),
    signal: async () => {},
    subnetConflicts: async () => [],
    volumes: async (whose) =>
      [...volumes.values()]
        .filter((each) => ('stack' in whose ? each.stack === whose.stack : each.projectId === whose.projectId))
        .map(({ id, stack, name, service, path, deploymentId, folder, createdAt }) => {
          return { id, stack, name, service, path, deploymentId, folder, createdAt };
        }),
    async removeVolumes({ projectId }) {
      const gone = [...volumes.values()].filter((each) => each.projectId === projectId).map(({ id }) => id);
      for (const id of gone) volumes.delete(id);
      return gone;
    },
    async removeVolume(id) {
      volumes.delete(id);
      return true;
    },
    volumeSizes: async () => new Map(),
    readVolume: async () => undefined,
    writtenFiles: async () => [],
    makeVolume: async () => {},
    data: {
      inspect: async () => undefined,
      exec: async () => ({ exitCode: 127, stderr: 'nothing runs here' }),
      output: async () => [],
      readFiles: async () => undefined,
      writeFiles: async () => {},
      volumeDefinition: async () => undefined,
      refillVolume: async () => {},
      startScratch: async () => {},
      removeScratch: async () => {},
    },
  };
}

const newInstance = ({ kind, owner, port = 1, ...spec }: ReleaseSpec): Instance => ({
  id: `mem-${owner.deploymentId}${owner.service === mainService ? '' : `-${owner.service}`}${owner.replica ? `-${owner.replica}` : ''}`,
  owner,
  state: 'running',
  host: '127.0.0.1',
  port: kind === 'image' && (spec as ImageRelease).listensOn === null ? 0 : port,
  ...(kind === 'image' && { imageId: (spec as ImageRelease).imageId }),
  startedAt: Date.now(),
  restarts: 0,
  exitCode: null,
  exitSignal: null,
  notices: [],
});

/** Volumes that are named in the stack or belong to the service. */
function volumesOf({ owner, service }: ImageRelease): (StackVolumeInfo & { projectId: string })[] {
  return service.mounts.flatMap((mount) => {
    if (mount.type !== 'volume' || mount.volume.externalName !== null) return [];
    const { name } = mount.volume;
    const path = name === null ? mount.target : null;
    const id = [service.stack, ...(name === null ? [owner.service, mount.target] : [name])].join(' ');
    const whose = { stack: service.stack, projectId: owner.projectId };
    const nobody = { deploymentId: null, folder: null };
    return {
      id,
      name,
      path,
      service: name === null ? owner.service : null,
      createdAt: Date.now(),
      ...nobody,
      ...whose,
    };
  });
}
