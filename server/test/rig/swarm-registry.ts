import { registryNetwork } from '../../src/drivers/images/registry/registry-network.ts';
import { edgeContainerName } from '../../src/drivers/edge/on-server/container-body.ts';
import type { EdgePrograms, ServerEdge } from '../../src/drivers/edge/on-server/server-edge.ts';
import { engineAt } from '../../src/drivers/runtime/docker/engine/client.ts';
import { joinNetworks } from '../../src/drivers/runtime/swarm/join-networks.ts';
import { registryRelay } from '../../src/swarm-registry.ts';
import { newFolder } from './children.ts';
import type { Docker } from './docker.ts';
import type { ImageParts } from './docker-images.ts';
import { serverEdges } from './server-edge.ts';

/** Debian's registry under the name and with the command line of the official image. */
export const registryImage: ImageParts = {
  name: 'registry:2',
  programs: { '/usr/bin/registry': '/usr/bin/docker-registry' },
  changes: ['ENTRYPOINT ["registry"]', 'VOLUME /var/lib/registry'],
};

export const ownRegistrySettings = {
  swarmRegistry: undefined,
  swarmRegistryUser: undefined,
  swarmRegistryPassword: undefined,
  swarmRegistryImage: registryImage.name,
  swarmRegistryPort: 19_505,
};

/** Starts an edge on each of these nodes, through which they reach the registry of an instance. */
export async function startNodeEdges(manager: Docker, nodes: Docker[], instanceId: string, bundle: EdgePrograms) {
  const relay = registryRelay(ownRegistrySettings, instanceId)!;
  const network = await registryNetwork(manager.client, instanceId);
  const made: { close(): void }[] = [];
  const edges: ServerEdge[] = [];
  for (const { client, address } of nodes) {
    const rig = serverEdges(engineAt(address), bundle);
    made.push(rig);
    const published = {
      socketFolder: newFolder('socket'),
      relay,
      joinNetworks: () => joinNetworks(client, edgeContainerName(instanceId), [network]),
    };
    const edge = rig.driver({ instanceId, port: 8080, tlsPort: 8443, published });
    await edge.ensure();
    edges.push(edge);
  }
  return {
    edges,
    close() {
      for (const each of made) each.close();
    },
  };
}
