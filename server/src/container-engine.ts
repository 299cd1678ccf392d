import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { StartError } from './errors.ts';
import type { DockerRuntime } from './drivers/runtime/docker/docker-runtime.ts';

// Beside the ports of process apps, and below what the kernel gives to outgoing connections.
const containerPorts = { from: 28_000, to: 31_999 };

const foldersOf = (dataDir: string) => join(dataDir, 'containers');

/** The Docker runtime, if releases run on one here. Its code is loaded only then. */
export async function containerRuntime(
  { runtime, dockerHost, dataDir }: Config,
  instanceId: string,
): Promise<DockerRuntime | undefined> {
  if (runtime === 'process') return undefined;
  const folder = foldersOf(dataDir);
  // Whoever has containers keeps them: at a boot the engine may be slower than we are.
  const isChosen = runtime === 'docker' || existsSync(folder);
  if (!isChosen && !(await answers(dockerHost))) return undefined;
  const { createDockerRuntime } = await import('./drivers/runtime/docker/docker-runtime.ts');
  const { engineAt } = await import('./drivers/runtime/docker/engine-client.ts');
  try {
    return createDockerRuntime({ connect: engineAt(dockerHost), folder, instanceId, portRange: containerPorts });
  } catch (error) {
    throw new StartError(`DOCKER_HOST: ${(error as Error).message}`);
  }
}

async function answers(dockerHost: string): Promise<boolean> {
  if (dockerHost.startsWith('unix://') && !existsSync(dockerHost.slice('unix://'.length))) return false;
  const { EngineClient, engineAt } = await import('./drivers/runtime/docker/engine-client.ts');
  const client = new EngineClient(engineAt(dockerHost));
  try {
    await client.ping();
    return true;
  } catch {
    // Not there, not ours to use, or too old: then apps run as processes.
    return false;
  } finally {
    client.close();
  }
}
