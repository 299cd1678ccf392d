import { makeImage, node } from './docker-images.ts';
import { nodeBase } from './docker-service.ts';
import { type Registry, registryUser, startRegistry } from './registry.ts';
import { type Service, startService } from './service.ts';
import { startSwarm, type Swarm } from './swarm.ts';

/** A service whose releases run on its own Swarm, with a registry. */
export interface SwarmService {
  swarm: Swarm;
  service: Service;
  /** Where this machine reaches the edge. */
  edgeAddress: string;
  close(): Promise<void>;
}

export async function startSwarmService(nodes: number, more: Record<string, string> = {}): Promise<SwarmService> {
  const swarm = await startSwarm(nodes);
  const [first] = swarm.nodes;
  let registry: Registry | undefined;
  const close = async () => {
    await registry?.stop();
    await swarm.close();
  };
  try {
    await makeImage(first!.client, nodeBase());
    await makeImage(first!.client, node);
    registry = await startRegistry(first!.namespace, 'basic');
    const edgeAddress = first!.namespace.address;
    const service = await startService({
      env: {
        MOORING_RUNTIME: 'swarm',
        DOCKER_HOST: first!.address,
        MOORING_SWARM_REGISTRY: registry.address.replace('127.0.0.1', swarm.addressOf(first!)),
        MOORING_SWARM_REGISTRY_USER: registryUser.username,
        MOORING_SWARM_REGISTRY_PASSWORD: registryUser.password,
        MOORING_EDGE_HOST: edgeAddress,
        MOORING_EDGE_PORT: '8080',
        MOORING_EDGE_TLS_PORT: '8443',
        MOORING_START_TIMEOUT: '30',
        ...more,
      },
    });
    return {
      swarm,
      service,
      edgeAddress,
      async close() {
        await service.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
