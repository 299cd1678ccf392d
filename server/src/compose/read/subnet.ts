import { rangeCovers, ipv4Number, ipv4Range, isIpv4 } from '../../lib/addresses.ts';
import type { ComposeNetwork, ComposeSubnet } from '../project.ts';
import { sourceLineOf } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

// The engine needs addresses for itself, and one for each container while two versions run.
const longestPrefix = 29;

/** Reads the IPv4 subnet of `ipam`. Entries without one, and those for IPv6, leave the choice to the engine. */
export function readSubnet(network: MappingFields): Pick<ComposeNetwork, 'subnet'> {
  const ipam = network.inner('ipam');
  if (!ipam) return {};
  if ((ipam.text('driver') ?? 'default') !== 'default')
    ipam.report.warn(ipam.place('driver'), 'networks: the ipam driver is ignored: the engine assigns addresses');
  const found = new Map<string, ComposeSubnet>();
  for (const item of ipam.items('config')) {
    const read = item.kind === 'dict' ? readEntry(ipam.item('config', item)) : undefined;
    // Of two files with one subnet, the later one adds to the earlier one.
    const before = read && found.get(read.subnet);
    if (read)
      found.set(read.subnet, {
        ...read,
        gateway: read.gateway ?? before?.gateway ?? null,
        range: read.range ?? before?.range ?? null,
      });
  }
  const [subnet, ...others] = found.values();
  if (others.length) ipam.wrong('config', 'a network has one IPv4 subnet, and it has several');
  return subnet ? { subnet } : {};
}

function readEntry(fields: MappingFields): ComposeSubnet | undefined {
  const written = fields.text('subnet');
  if (written === null || written.includes(':')) {
    const why = written === null ? 'it has no subnet' : 'only IPv4 addresses are assigned';
    fields.report.warn(sourceLineOf(fields.node), `networks: an entry of ipam.config is ignored: ${why}`);
    return undefined;
  }
  const subnet = ipv4Range(written);
  const wrong = (key: string, what: string) => void fields.wrong(key, what);
  if (!subnet) return wrong('subnet', `must be a subnet like 172.28.0.0/24, not ${written.slice(0, 60)}`);
  if (subnet.bits > longestPrefix)
    return wrong('subnet', `${subnet.text} has too few addresses; use a /${longestPrefix} or larger`);
  const range = fields.text('ip_range');
  const part = range === null ? null : ipv4Range(range);
  if (part === undefined || (part && !rangeCovers(subnet, part)))
    return wrong('ip_range', `must be a part of ${subnet.text}, not ${range!.slice(0, 60)}`);
  const gateway = fields.text('gateway');
  const number = gateway !== null && isIpv4(gateway) ? ipv4Number(gateway) : NaN;
  if (gateway !== null && !(number > subnet.from && number < subnet.to))
    return wrong('gateway', `must be an address of ${subnet.text}, not ${gateway.slice(0, 60)}`);
  return { subnet: subnet.text, gateway, range: part?.text ?? null, at: sourceLineOf(fields.node) };
}

/** The address of the network itself on the machine: the first one, unless the file names another. */
export const gatewayOf = ({ subnet, gateway }: Pick<ComposeSubnet, 'subnet' | 'gateway'>): number =>
  gateway === null ? ipv4Range(subnet)!.from + 1 : ipv4Number(gateway);
