import type { ComposeProject, ComposeService } from '../../../../compose/index.ts';
import type { ComposeNetwork } from '../../../../compose/project.ts';
import type { ServiceNetwork, ServiceOptions } from '../../../../drivers/runtime/runtime.ts';
import { StepError } from '../../model/model.ts';

/** Returns the networks of a service, each with every name that resolves there. */
export function serviceNetworks(project: ComposeProject, service: ComposeService): ServiceNetwork[] {
  const declared = service.networks.map(({ name, address }) => {
    const network = project.networks.find((each) => each.name === name)!;
    const { isInternal, labels, externalName, driver } = network;
    const names = namesOn(project.services, name);
    const fixed = { ...subnetOf(project, network), ...(address !== undefined && { address }) };
    return { name, isInternal, labels, externalName, driver, names, ...fixed };
  });
  const { networkMode } = service;
  // In a trusted project, an existing network of the engine by its own name.
  if (networkMode === null || /^(none|host|service:.*|container:.*)$/s.test(networkMode)) return declared;
  const names = [{ name: service.name, service: service.name }];
  return [{ name: networkMode, isInternal: false, labels: {}, externalName: networkMode, driver: null, names }];
}

function subnetOf({ services }: ComposeProject, { name, subnet }: ComposeNetwork): Pick<ServiceNetwork, 'subnet'> {
  if (!subnet) return {};
  const fixed = services.flatMap(({ networks }) => networks.find((each) => each.name === name)?.address ?? []);
  return { subnet: { subnet: subnet.subnet, gateway: subnet.gateway, range: subnet.range, fixed } };
}

export function reservedSubnets({ networks }: ComposeProject): Pick<ServiceOptions, 'reservedSubnets'> {
  const found = networks.flatMap(({ subnet }) => subnet?.subnet ?? []);
  return found.length ? { reservedSubnets: found } : {};
}

/** Services resolve by their name, container name and aliases, and by the link aliases of others. */
function namesOn(services: readonly ComposeService[], network: string): ServiceNetwork['names'] {
  const there = services.filter((service) => service.networks.some(({ name }) => name === network));
  const found = there.flatMap(({ name: service, containerName, networks, links }) => {
    const { aliases } = networks.find(({ name }) => name === network)!;
    const own = [service, ...(containerName === null ? [] : [containerName]), ...aliases];
    const called = links.filter((link) => there.some(({ name }) => name === link.service));
    return [
      ...own.map((name) => ({ name, service })),
      ...called.map((link) => ({ name: link.alias, service: link.service })),
    ];
  });
  return [...new Map(found.map((each) => [`${each.name}\n${each.service}`, each])).values()];
}

/** Returns the mode that replaces the service's own networks. */
export function networkModeOf(
  { name, networkMode }: ComposeService,
  owners: Readonly<Record<string, string>>,
): ServiceOptions['networkMode'] {
  if (networkMode === 'none' || networkMode === 'host') return { kind: networkMode };
  if (!networkMode?.startsWith('service:')) return null;
  const service = networkMode.slice('service:'.length);
  const deploymentId = Object.hasOwn(owners, service) ? owners[service] : undefined;
  if (deploymentId === undefined)
    throw new StepError('start_failed', `${name} shares the network of ${service}, which does not run`);
  return { kind: 'service', deploymentId, service };
}
