import { json } from './deploy.ts';
import { makeImage, node } from './docker-images.ts';
import { nodeBase } from './docker-service.ts';
import { type ManagedServer, manageServer } from './managed-server.ts';
import { type Registry, registryUser, startRegistry } from './registry.ts';
import { type Service, startService } from './service.ts';
import { startSwarm, type Swarm } from './swarm.ts';
import { registryImage } from './swarm-registry.ts';

/** A service on a machine of its own, and a Swarm whose nodes are servers of it. */
export interface SwarmServers {
  swarm: Swarm;
  service: Service;
  servers: (ManagedServer & { id: string })[];
  /** Kills the service and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** With `hasOwnRegistry`, Mooring runs the registry, and every node can build and run it. */
export async function startSwarmServers(
  count: number,
  managers: number,
  { hasOwnRegistry = false, env: more = {} as Record<string, string> } = {},
): Promise<SwarmServers> {
  const swarm = await startSwarm(count, managers);
  const servers: SwarmServers['servers'] = [];
  let registry: Registry | undefined;
  let service: Service | undefined;
  const close = async () => {
    await service?.stop();
    for (const { sshd } of servers) await sshd.stop();
    await registry?.stop();
    await swarm.close();
  };
  try {
    const [first] = swarm.nodes;
    for (const { client } of hasOwnRegistry ? swarm.nodes : [first!])
      for (const image of [nodeBase(), node, ...(hasOwnRegistry ? [registryImage] : [])])
        await makeImage(client, image);
    if (!hasOwnRegistry) registry = await startRegistry(first!.namespace, 'basic');
    const env = {
      MOORING_RUNTIME: 'process',
      ...(registry && {
        MOORING_SWARM_REGISTRY: registry.address.replace('127.0.0.1', swarm.addressOf(first!)),
        MOORING_SWARM_REGISTRY_USER: registryUser.username,
        MOORING_SWARM_REGISTRY_PASSWORD: registryUser.password,
      }),
      MOORING_START_TIMEOUT: '30',
      ...more,
    };
    service = await startService({ env });
    for (const [i, docker] of swarm.nodes.entries()) {
      const server = await manageServer(`node${i + 1}`, docker);
      const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
      const { data } = await json<{ data: { id: string } }>(service.post('/api/servers', body));
      servers.push({ ...server, id: data.id });
    }
    const rig: SwarmServers = {
      swarm,
      service,
      servers,
      close,
      async restart() {
        const { dataDir } = rig.service;
        await rig.service.stop('SIGKILL');
        rig.service = service = await startService({ env, dataDir });
      },
    };
    return rig;
  } catch (error) {
    await close();
    throw error;
  }
}
