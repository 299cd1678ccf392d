import type { Docker } from './docker.ts';
import { makeImage, node } from './docker-images.ts';
import { nodeBase } from './docker-service.ts';
import { type Registry, registryUser, startRegistry } from './registry.ts';
import { bundlePrograms } from './server-edge.ts';
import { type Service, startService } from './service.ts';
import { startSwarm, type Swarm } from './swarm.ts';
import { registryImage, startNodeEdges } from './swarm-registry.ts';
import { until } from './until.ts';

/** A service whose releases run on its own Swarm, with a registry. */
export interface SwarmService {
  swarm: Swarm;
  service: Service;
  /** Where this machine reaches the edge. */
  edgeAddress: string;
  close(): Promise<void>;
}

/** With `hasRegistry` false, Mooring runs one, and all nodes have an edge. */
export async function startSwarmService(
  nodes: number,
  more: Record<string, string> = {},
  hasRegistry = true,
): Promise<SwarmService> {
  const swarm = await startSwarm(nodes);
  const [first, ...others] = swarm.nodes;
  let registry: Registry | undefined;
  let edges: { close(): void } | undefined;
  const close = async () => {
    edges?.close();
    await registry?.stop();
    await swarm.close();
  };
  try {
    await makeImage(first!.client, nodeBase());
    await makeImage(first!.client, node);
    if (hasRegistry) registry = await startRegistry(first!.namespace, 'basic');
    else await makeImage(first!.client, registryImage);
    const edgeAddress = first!.namespace.address;
    const service = await startService({
      env: {
        MOORING_RUNTIME: 'swarm',
        DOCKER_HOST: first!.address,
        ...(registry && {
          MOORING_SWARM_REGISTRY: registry.address.replace('127.0.0.1', swarm.addressOf(first!)),
          MOORING_SWARM_REGISTRY_USER: registryUser.username,
          MOORING_SWARM_REGISTRY_PASSWORD: registryUser.password,
        }),
        MOORING_EDGE_HOST: edgeAddress,
        MOORING_EDGE_PORT: '8080',
        MOORING_EDGE_TLS_PORT: '8443',
        MOORING_START_TIMEOUT: '30',
        ...more,
      },
    });
    if (!hasRegistry) {
      const instanceId = await instanceOf(first!);
      edges = await startNodeEdges(first!, others, instanceId, bundlePrograms());
    }
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

/** By the edge of the service, once it runs. */
async function instanceOf({ client }: Docker): Promise<string> {
  type Listed = { Labels: Record<string, string> };
  const query = { filters: { label: ['mooring.role=edge'] } };
  const list = () => client.json<Listed[]>({ method: 'GET', path: '/containers/json', query });
  return until('the edge runs', async () => (await list())[0]?.Labels['mooring.instance'] ?? '', 120_000);
}
