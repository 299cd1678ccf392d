import { type Docker, startDocker } from './docker.ts';
import { makeImage, nodeForBuilds } from './docker-images.ts';
import { type Service, startService } from './service.ts';

/** A service whose releases run on its own engine. */
export interface DockerService {
  docker: Docker;
  service: Service;
  close(): Promise<void>;
}

/** The base image of a generated Dockerfile for Node. */
export const nodeBase = () => ({ ...nodeForBuilds(), name: 'node:22-slim' });

/** The settings for a service to use the engine. */
export const onEngine = ({ address, namespace }: Docker): Record<string, string> => ({
  MOORING_RUNTIME: 'docker',
  DOCKER_HOST: address,
  MOORING_CONTAINER_ADDRESS: namespace.address,
});

/** `more` are additional settings of the service. */
export async function startDockerService(more: Record<string, string> = {}): Promise<DockerService> {
  const docker = await startDocker();
  try {
    await makeImage(docker.client, nodeBase());
    const service = await startService({ env: { MOORING_START_TIMEOUT: '15', ...onEngine(docker), ...more } });
    return {
      docker,
      service,
      async close() {
        await service.stop();
        await docker.close();
      },
    };
  } catch (error) {
    await docker.close();
    throw error;
  }
}
