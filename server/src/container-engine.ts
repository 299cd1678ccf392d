import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerParts } from './areas/deployments/model/parts.ts';
import { type Config, outboundReachOf } from './config.ts';
import type { Images } from './drivers/images/images.ts';
import type { EngineClient, EngineConnect } from './drivers/runtime/docker/engine/client.ts';
import type { DockerRuntime, DockerRuntimeOptions } from './drivers/runtime/docker/options.ts';
import type { SwarmRuntimeOptions } from './drivers/runtime/swarm/swarm-runtime.ts';
import type { RuntimeEvent } from './drivers/runtime/runtime.ts';
import { StartError } from './errors.ts';
import type { RegistrySettings } from './swarm-registry.ts';
import type { OutboundReach } from './lib/outbound.ts';

// Disjoint from the ports of process apps, and below the kernel's ephemeral range.
const containerPorts = { from: 28_000, to: 31_999 };

export interface ContainerEngine extends ContainerParts {
  runtime: DockerRuntime;
  close(): Promise<void>;
}

export type DriverLog = Record<'info' | 'warn', (message: string) => void>;

/** Returns a function that writes what happened, or went wrong, to the log. */
export const reportTo =
  (log: DriverLog, where = '') =>
  (what: string, error?: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (error === undefined) log.info(where ? `${what} (${where})` : what);
    else log.warn(`${what}${where && ` on ${where}`}: ${reason}`);
  };

type Heard = { onEvent: (event: RuntimeEvent) => void; report: (what: string, error: unknown) => void };

/** Returns the local engine if releases run on one. Loads its code only then. */
export async function containerEngine(
  config: Config,
  instanceId: string,
  buildArgs: Record<string, string>,
  heard: Heard,
  swarm?: SwarmParts,
  otherPlatforms?: string[],
): Promise<ContainerEngine | undefined> {
  const { runtime: chosen, dockerHost, dataDir, containerAddress } = config;
  if (chosen === 'process') return undefined;
  const folder = join(dataDir, 'containers');
  // With existing containers, do not fall back to processes: at boot the engine may start later than Mooring.
  const isWanted = chosen === 'docker' || chosen === 'swarm' || existsSync(folder);
  if (!isWanted && isAbsentSocket(dockerHost)) return undefined;
  const { EngineClient, engineAt } = await import('./drivers/runtime/docker/engine/client.ts');
  const engine = new EngineClient(connectTo(dockerHost, engineAt));
  if (!isWanted && !(await answers(engine))) return undefined;
  const isHere = dockerHost.startsWith('unix://');
  if (config.mode === 'cloud') void tellComplaints(engine, containerAddress, heard);
  return driversOf(engine, {
    connect: engineAt(dockerHost),
    folder,
    instanceId,
    hostAddress: containerAddress,
    buildArgs,
    heard,
    shared: sharedBy(config),
    otherPlatforms,
    ...(isHere && { readProc: (await import('./drivers/runtime/docker/container-sockets.ts')).readProcHere }),
    ...(swarm && { swarm: await swarmOptions(config, engine, instanceId, swarm, heard.report) }),
    sourceFiles: join(dataDir, 'contents'),
    disk: async () =>
      isHere ? (await import('./drivers/runtime/docker/engine/disk.ts')).engineDisk(engine) : undefined,
  });
}

/** What a Swarm adds to the drivers of its head. */
export interface SwarmParts {
  runtime: Partial<SwarmRuntimeOptions>;
  otherEngines: () => Promise<readonly EngineClient[]>;
  ensureEdge: () => Promise<void>;
  registryPassword: () => Promise<string>;
}

/** Returns the options of a Swarm's drivers. Images reach its nodes through a registry. */
export async function swarmOptions(
  config: RegistrySettings,
  engine: EngineClient,
  instanceId: string,
  { runtime, otherEngines, ensureEdge, registryPassword }: SwarmParts,
  report: Heard['report'],
): Promise<NonNullable<DriverOptions['swarm']>> {
  const [{ swarmRegistry }, { fetchImage }, { pushToRegistry }, { withRegistry }] = await Promise.all([
    import('./swarm-registry.ts'),
    import('./drivers/images/registry/fetch-image.ts'),
    import('./drivers/images/registry/push.ts'),
    import('./drivers/images/registry/pushed-images.ts'),
  ]);
  const registry = swarmRegistry(config, engine, instanceId, { password: registryPassword, ensureEdge });
  return {
    ...runtime,
    fetchImage: (imageId) => fetchImage(engine, imageId, registry, otherEngines),
    distribute: (imageId, tell) => pushToRegistry(engine, imageId, registry, tell),
    images: (images) => withRegistry(images, { engine, instanceId, registry, otherEngines, report }),
  };
}

/** Reports unsafe engine settings. If the engine is unavailable, the next start checks again. */
async function tellComplaints(engine: EngineClient, address: string, { report }: Heard): Promise<void> {
  const { sharedMachineProblems } = await import('./drivers/runtime/docker/shared-machine.ts');
  try {
    for (const complaint of await sharedMachineProblems(engine, address)) report('the container engine', complaint);
  } catch (error) {
    report('the settings of the container engine are not known', error);
  }
}

const sharedBy = (config: Config): DriverOptions['shared'] =>
  config.mode === 'cloud'
    ? { buildMemoryBytes: config.cloudBuildMemoryMb * 1_048_576 || undefined, reach: outboundReachOf(config) }
    : undefined;

type DriverOptions = {
  connect: EngineConnect;
  folder: string;
  instanceId: string;
  hostAddress: string;
  buildArgs: Record<string, string>;
  heard: Heard;
  disk: ContainerParts['disk'];
  /** Set in cloud mode: memory limit of builds, and the addresses that the engine may fetch from. */
  shared?: { buildMemoryBytes: number | undefined; reach: OutboundReach } | undefined;
  /** The engine is on another machine, so its ports are not this machine's. */
  isElsewhere?: boolean;
  readProc?: DockerRuntimeOptions['readProc'];
  prepare?: DockerRuntimeOptions['prepare'];
  renew?: DockerRuntimeOptions['renew'];
  /** Contains the files of sources that releases mount. */
  sourceFiles: string;
  /** Platforms that it builds besides the engine's own. */
  otherPlatforms?: string[] | undefined;
  /** Set if releases run as services of the Swarm that the engine manages. */
  swarm?: Partial<SwarmRuntimeOptions> & { images: (images: Images) => Images };
};

/** Creates the runtime and image drivers of a local or remote engine. */
export async function driversOf(engine: EngineClient, options: DriverOptions): Promise<ContainerEngine> {
  const { connect, folder, instanceId, hostAddress, buildArgs, heard, disk, isElsewhere = false } = options;
  const { readProc, prepare, renew, shared, swarm, sourceFiles, otherPlatforms } = options;
  const [{ createDockerRuntime }, { createDockerImages }, { createOriginals }] = await Promise.all([
    import('./drivers/runtime/docker/docker-runtime.ts'),
    import('./drivers/images/docker-images.ts'),
    import('./drivers/runtime/docker/originals/originals.ts'),
  ]);
  const more = {
    portRange: containerPorts,
    hostAddress,
    isElsewhere,
    ...(readProc && { readProc }),
    ...(prepare && { prepare }),
    ...(renew && { renew }),
    ...heard,
  };
  const images = createDockerImages({
    engine,
    instanceId,
    folder,
    buildArgs,
    report: heard.report,
    ...(shared?.buildMemoryBytes && { memoryBytes: shared.buildMemoryBytes }),
    sharedWithin: shared?.reach,
    otherPlatforms,
    isSwarm: swarm !== undefined,
  });
  const runtime = swarm
    ? (await import('./drivers/runtime/swarm/swarm-runtime.ts')).createSwarmRuntime({
        connect,
        folder,
        instanceId,
        sourceFiles,
        ...more,
        ...swarm,
      })
    : createDockerRuntime({ connect, folder, instanceId, ...more });
  return {
    runtime,
    services: runtime,
    originals: createOriginals(engine),
    runOnce: runtime.runOnce,
    disk,
    images: swarm?.images(images) ?? images,
    async close() {
      await runtime.close();
      engine.close();
    },
  };
}

/** Returns the parts that deployments use besides the runtime. */
export const containerPartsOf = ({ images, runOnce, services, originals, disk }: ContainerEngine): ContainerParts => ({
  images,
  runOnce,
  services,
  originals,
  disk,
});

/** Cheap check that covers most machines without an engine. */
const isAbsentSocket = (dockerHost: string): boolean =>
  dockerHost.startsWith('unix://') && !existsSync(dockerHost.slice('unix://'.length));

function connectTo<T>(dockerHost: string, engineAt: (address: string) => T): T {
  try {
    return engineAt(dockerHost);
  } catch (error) {
    throw new StartError(`DOCKER_HOST: ${(error as Error).message}`);
  }
}

async function answers(engine: { ping(): Promise<void>; close(): void }): Promise<boolean> {
  try {
    await engine.ping();
    return true;
  } catch {
    // The engine is missing, not accessible or too old: apps run as processes.
    engine.close();
    return false;
  }
}
