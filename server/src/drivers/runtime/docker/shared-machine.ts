import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { EngineClient } from './engine/client.ts';

type Network = { Options: Record<string, string> | null };

const talks = 'com.docker.network.bridge.enable_icc';
const bridgeName = 'com.docker.network.bridge.name';

/** Returns the problems of an engine and its machine that organizations share, as messages for the operator. Mooring
 * cannot fix them: they are in the engine's own settings. */
export async function sharedMachineProblems(engine: EngineClient, containerAddress: string): Promise<string[]> {
  const network = await engine.json<Network>({ method: 'GET', path: '/networks/bridge' });
  return bridgeNetworkProblems(network, containerAddress, await interfacesHere());
}

export function bridgeNetworkProblems({ Options }: Network, containerAddress: string, interfaces: string[]): string[] {
  const isLoopback = isIPv4(containerAddress) && containerAddress.startsWith('127.');
  const bridge = Options?.[bridgeName] ?? 'docker0';
  return [
    ...(Options?.[talks] === 'false'
      ? []
      : ['builds of different organizations reach each other while they run: set "icc": false in its daemon.json']),
    // The firewall rules match on the engine's bridge names.
    ...(/^(docker|br-)/.test(bridge)
      ? []
      : [`its own bridge is called ${bridge}: the rules of MOORING_CLOUD_FIREWALL are for docker… and br-…`]),
    // A rootless engine, an engine in a container, or Mooring in one.
    ...(interfaces.includes(bridge)
      ? []
      : [
          `its networks are not where this service runs (there is no ${bridge}): MOORING_CLOUD_FIREWALL has no effect on them`,
        ]),
    ...(isLoopback
      ? []
      : [
          `containers may reach the ports of others at ${containerAddress}: MOORING_CONTAINER_ADDRESS should be loopback`,
        ]),
  ];
}

/** Includes interfaces that are down, as a bridge without containers is. */
async function interfacesHere(): Promise<string[]> {
  const lines = (await readFile('/proc/self/net/dev', 'utf8')).split('\n');
  return lines.flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? []);
}
