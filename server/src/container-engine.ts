import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Containers } from './areas/deployments/parts.ts';
import type { Config } from './config.ts';
import type { DockerRuntime } from './drivers/runtime/docker/docker-options.ts';
import type { RuntimeEvent } from './drivers/runtime/runtime.ts';
import { StartError } from './errors.ts';

// Beside the ports of process apps, and below what the kernel gives to outgoing connections.
const containerPorts = { from: 28_000, to: 31_999 };

/** A container engine as this instance uses it. */
export interface ContainerEngine extends Containers {
  runtime: DockerRuntime;
  close(): Promise<void>;
}

type Heard = { onEvent: (event: RuntimeEvent) => void; report: (what: string, error: unknown) => void };

/** The engine that releases run on, if they run on one here. Its code is loaded only then. */
export async function containerEngine(
  config: Config,
  instanceId: string,
  buildArgs: Record<string, string>,
  heard: Heard,
): Promise<ContainerEngine | undefined> {
  const { runtime: chosen, dockerHost, dataDir, containerAddress } = config;
  if (chosen === 'process') return undefined;
  const folder = join(dataDir, 'containers');
  // Whoever has containers keeps them: at a boot the engine may be slower than we are.
  const isWanted = chosen === 'docker' || existsSync(folder);
  if (!isWanted && isAbsentSocket(dockerHost)) return undefined;
  const { EngineClient, engineAt } = await import('./drivers/runtime/docker/engine-client.ts');
  const engine = new EngineClient(connectTo(dockerHost, engineAt));
  if (!isWanted && !(await answers(engine))) return undefined;
  const [{ createDockerRuntime }, { createDockerImages }, { engineDisk }] = await Promise.all([
    import('./drivers/runtime/docker/docker-runtime.ts'),
    import('./drivers/images/docker-images.ts'),
    import('./drivers/runtime/docker/engine-disk.ts'),
  ]);
  const connect = engineAt(dockerHost);
  const more = { portRange: containerPorts, hostAddress: containerAddress, ...heard };
  const runtime = createDockerRuntime({ connect, folder, instanceId, ...more });
  return {
    runtime,
    services: runtime,
    runOnce: runtime.runOnce,
    disk: async () => (dockerHost.startsWith('unix://') ? engineDisk(engine) : undefined),
    images: createDockerImages({ engine, instanceId, folder, buildArgs, report: heard.report }),
    async close() {
      await runtime.close();
      engine.close();
    },
  };
}

/** What deployments use of it, besides its runtime. */
export const containersOf = ({ images, runOnce, services, disk }: ContainerEngine): Containers => ({
  images,
  runOnce,
  services,
  disk,
});

/** Cheap, and true of most machines that have no engine. */
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
    // Not there, not ours to use, or too old: then apps run as processes.
    engine.close();
    return false;
  }
}
