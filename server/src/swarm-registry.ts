import type { Config } from './config.ts';
import { edgeContainerName, type EdgeRelay } from './drivers/edge/on-server/container-body.ts';
import { openFromEdge } from './drivers/edge/on-server/open-from-edge.ts';
import type { ImageRegistry } from './drivers/images/registry/image-registry.ts';
import { OwnRegistry } from './drivers/images/registry/own-registry.ts';
import { configuredRegistry, ownRegistry } from './drivers/images/registry/registries.ts';
import { registryPort, registryServiceName } from './drivers/images/registry/registry-spec.ts';
import type { EngineClient } from './drivers/runtime/docker/engine/client.ts';
import { joinNetworks } from './drivers/runtime/swarm/join-networks.ts';

export type RegistrySettings = Pick<
  Config,
  'swarmRegistry' | 'swarmRegistryUser' | 'swarmRegistryPassword' | 'swarmRegistryImage' | 'swarmRegistryPort'
>;

/** Returns the registry of the settings, or our own one. */
export function swarmRegistry(
  config: RegistrySettings,
  engine: EngineClient,
  instanceId: string,
  { password, ensureEdge }: { password: () => Promise<string>; ensureEdge: () => Promise<void> },
): ImageRegistry {
  const { swarmRegistry: address, swarmRegistryUser: username, swarmRegistryPassword } = config;
  const login = username && swarmRegistryPassword ? { username, password: swarmRegistryPassword } : undefined;
  if (address) return configuredRegistry(engine, address, login);
  return ownRegistry({
    registry: new OwnRegistry({ engine, instanceId, image: config.swarmRegistryImage, password }),
    port: config.swarmRegistryPort,
    host: registryServiceName(instanceId),
    open: openFromEdge(engine, instanceId),
    async onReady(network) {
      // The first image may be built before the edge was started.
      await ensureEdge();
      await joinNetworks(engine, edgeContainerName(instanceId), [network]);
    },
  });
}

/** Returns how programs of a node reach our own registry: through the edge there, which joins its network. */
export const registryRelay = (config: RegistrySettings, instanceId: string): EdgeRelay | undefined =>
  config.swarmRegistry
    ? undefined
    : { port: config.swarmRegistryPort, host: registryServiceName(instanceId), targetPort: registryPort };
