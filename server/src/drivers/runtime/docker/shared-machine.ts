import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { EngineClient } from './engine/client.ts';

type Network = { Options: Record<string, string> | null };

const talks = 'com.docker.network.bridge.enable_icc';
const bridgeName = 'com.docker.network.bridge.name';

/** What of an engine and its machine does not fit people who share it and are nothing to each other, in words for whoever runs
 * it. We cannot set it right: it is in the engine's own settings. */
export async function complaintsOf(engine: EngineClient, containerAddress: string): Promise<string[]> {
  const network = await engine.json<Network>({ method: 'GET', path: '/networks/bridge' });
  return complaintsAbout(network, containerAddress, await interfacesHere());
}

export function complaintsAbout({ Options }: Network, containerAddress: string, interfaces: string[]): string[] {
  const isLoopback = isIPv4(containerAddress) && containerAddress.startsWith('127.');
  const bridge = Options?.[bridgeName] ?? 'docker0';
  return [
    ...(Options?.[talks] === 'false'
      ? []
      : ['builds of different organizations reach each other while they run: set "icc": false in its daemon.json']),
    // Rules between containers and their machine go by the names that engines give.
    ...(/^(docker|br-)/.test(bridge)
      ? []
      : [`its own bridge is called ${bridge}: the rules of MOORING_CLOUD_FIREWALL are for docker… and br-…`]),
    // An engine without root, one in a container, or we in one.
    ...(interfaces.includes(bridge)
      ? []
      : [
          `its networks are not where this service runs (there is no ${bridge}): MOORING_CLOUD_FIREWALL says and does nothing about them`,
        ]),
    ...(isLoopback
      ? []
      : [
          `containers may reach the ports of others at ${containerAddress}: MOORING_CONTAINER_ADDRESS should be loopback`,
        ]),
  ];
}

/** Also those that are down: a bridge without containers is. */
async function interfacesHere(): Promise<string[]> {
  const lines = (await readFile('/proc/self/net/dev', 'utf8')).split('\n');
  return lines.flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? []);
}
