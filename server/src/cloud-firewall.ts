import type { Config } from './config.ts';
import { FirewallError } from './drivers/firewall/firewall.ts';
import { createIptables } from './drivers/firewall/iptables/iptables.ts';
import { FirewallUpkeep } from './drivers/firewall/firewall-upkeep.ts';
import { nameServersOf } from './drivers/firewall/name-servers.ts';
import { StartError } from './errors.ts';
import type { Log } from './lib/log.ts';

/** SSH and the Docker API: often open, and never meant for containers. */
const usualPorts = [22, 2375];

/** Starts the firewall upkeep in cloud mode. Changes rules only if the operator chose `apply`. */
export async function cloudFirewall(config: Config, log: Log): Promise<FirewallUpkeep | undefined> {
  const { mode, cloudFirewall: chosen, dockerHost } = config;
  if (mode !== 'cloud' || config.runtime === 'process' || chosen === 'off') return undefined;
  const isApplied = chosen === 'apply';
  if (!dockerHost.startsWith('unix://')) {
    const where = 'the container engine is on another machine, whose firewall Mooring does not manage';
    if (isApplied) throw new StartError(`MOORING_CLOUD_FIREWALL: ${where}`);
    log.warn(`${where}: keep containers from that machine and its network (docs/operations/run-a-cloud.md)`);
    return undefined;
  }
  const { port, edgePort, edgeTlsPort, edgePublicPort, edgePublicTlsPort } = config;
  const edgePorts = [edgePort, edgeTlsPort, edgePublicPort ?? 0, edgePublicTlsPort ?? 0].filter(Boolean);
  const allowed = async () => ({ edgePorts, nameServers: await nameServersOf() });
  const ports = [port, ...usualPorts].filter((each) => !edgePorts.includes(each));
  const keeping = new FirewallUpkeep({ firewall: createIptables({ allowed, ports }), isApplied, log });
  try {
    await keeping.begin();
  } catch (error) {
    if (!(error instanceof FirewallError)) throw error;
    throw new StartError(`MOORING_CLOUD_FIREWALL: the rules cannot be applied: ${error.message}`);
  }
  return keeping;
}
