import { isIPv4 } from 'node:net';
import type { EngineClient } from './engine-client.ts';

type Network = { Options: Record<string, string> | null };

const talks = 'com.docker.network.bridge.enable_icc';
const bridgeName = 'com.docker.network.bridge.name';

/** What of an engine and its machine does not fit people who share it and are nothing to each other, in words for whoever runs
 * it. We cannot set it right: it is in the engine's own settings. */
export async function complaintsOf(engine: EngineClient, containerAddress: string): Promise<string[]> {
  const { Options } = await engine.json<Network>({ method: 'GET', path: '/networks/bridge' });
  const isLoopback = isIPv4(containerAddress) && containerAddress.startsWith('127.');
  return [
    ...(Options?.[talks] === 'false'
      ? []
      : ['builds of different organizations reach each other while they run: set "icc": false in its daemon.json']),
    // Rules between containers and their machine go by the names that engines give.
    ...(/^(docker|br-)/.test(Options?.[bridgeName] ?? 'docker0')
      ? []
      : [
          `its own bridge is called ${Options![bridgeName]}: the rules of MOORING_CLOUD_FIREWALL are for docker… and br-…`,
        ]),
    ...(isLoopback
      ? []
      : [
          `containers may reach the ports of others at ${containerAddress}: MOORING_CONTAINER_ADDRESS should be loopback`,
        ]),
  ];
}
