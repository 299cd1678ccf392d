import { ipv4Number, ipv4Range, isIpv4 } from '../../lib/addresses.ts';
import type { ComposeReport, SourceLine } from '../problems.ts';
import type { ComposeNetwork } from '../project.ts';
import type { ComposeService } from '../service.ts';
import { gatewayOf } from './subnet.ts';

/** Checks the fixed addresses of services against the networks, and drops those that no network can give. */
export function withFixedAddresses(
  services: readonly ComposeService[],
  networks: readonly ComposeNetwork[],
  report: ComposeReport,
): ComposeService[] {
  const owners = new Map<string, string>();
  return services.map((service) => {
    const place = service.places['networks'] ?? service.at;
    const own = service.networks.map(({ address, ...joined }) => {
      if (address === undefined) return joined;
      const field = `services.${service.name}.networks.${joined.name}.ipv4_address`;
      const network = networks.find(({ name }) => name === joined.name);
      if (!network?.subnet || network.externalName !== null) {
        report.warn(place, `${field} is ignored: ${whyIgnored(network, joined.name)}`);
        return joined;
      }
      checkAddress({ place, field, address, subnet: network.subnet, report });
      const key = `${joined.name}\n${address}`;
      const owner = owners.get(key);
      if (owner !== undefined) report.error(place, `${field}: ${owner} already has ${address}`);
      if (service.replicas > 1)
        report.error(place, `${field}: ${service.replicas} replicas cannot have one address; remove it, or scale to 1`);
      owners.set(key, service.name);
      return { ...joined, address };
    });
    return { ...service, networks: own };
  });
}

const whyIgnored = (network: ComposeNetwork | undefined, name: string): string =>
  network && network.externalName !== null
    ? `${name} is an external network, whose addresses are not ours`
    : `the network ${name} has no IPv4 subnet. Give it one: networks.${name}.ipam.config: [{subnet: 172.28.0.0/24}]`;

type Checked = {
  place: SourceLine;
  field: string;
  address: string;
  subnet: NonNullable<ComposeNetwork['subnet']>;
  report: ComposeReport;
};

function checkAddress({ place, field, address, subnet, report }: Checked): void {
  const wrong = (what: string) => report.error(place, `${field}: ${what}`);
  if (!isIpv4(address)) return wrong(`must be an IPv4 address, not ${address.slice(0, 60)}`);
  const { from, to } = ipv4Range(subnet.subnet)!;
  const number = ipv4Number(address);
  if (number < from || number > to) return wrong(`${address} is not in ${subnet.subnet}`);
  if (number === from || number === to) return wrong(`${address} is not for a host; it is an end of ${subnet.subnet}`);
  if (number === gatewayOf(subnet))
    return wrong(`${address} is the gateway of ${subnet.subnet}; choose another address, or set another gateway`);
}
