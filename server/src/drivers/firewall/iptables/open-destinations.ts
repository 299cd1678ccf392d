import type { FirewallFinding } from '../firewall.ts';
import type { Family } from './rules.ts';
import type { Ruleset } from './ruleset.ts';
import { type Packet, type PacketVerdict, verdictsOf } from './verdict.ts';

/** Bridges that an engine creates, with typical container addresses: some users let one of these ranges through to the
 * machine. */
const bridges: { from: string; source: Record<Family, string> }[] = [
  { from: 'br-0123456789ab', source: { ipv4: '172.18.0.2', ipv6: 'fd00:30::2' } },
  { from: 'br-0123456789ab', source: { ipv4: '192.168.16.2', ipv6: 'fe80::42:acff:fe12:2' } },
  { from: 'docker0', source: { ipv4: '172.17.0.2', ipv6: 'fd00:17::2' } },
];

/** Destinations to probe, with their description for the finding. */
const elsewhere: Record<Family, [address: string, words: string][]> = {
  ipv4: [
    ['169.254.169.254', "the cloud's metadata service (169.254.169.254)"],
    ['10.1.2.3', 'private addresses (10.0.0.0/8)'],
    ['172.16.1.2', 'private addresses (172.16.0.0/12)'],
    ['192.168.1.2', 'private addresses (192.168.0.0/16)'],
    ['100.64.1.2', 'private addresses (100.64.0.0/10)'],
  ],
  ipv6: [
    ['fd00:ec2::254', "the cloud's metadata service (fd00:ec2::254)"],
    ['fd12:3456::1', 'private addresses (fc00::/7)'],
  ],
};
const hosts: Record<Family, string> = { ipv4: '203.0.113.7', ipv6: '2001:db8::7' };

type Machine = {
  /** Interface of the default route. */
  uplink: string;
  /** Ports that containers must not reach, but that a rule may allow. */
  ports: readonly number[];
};

/** Stands for all other ports: no rule is likely to name it, so it shows the default. */
const anyPort = 9;

/** Evaluates the rules for packets from containers and returns the destinations that they reach. */
export function openDestinationsIn(rules: Ruleset, family: Family, { uplink, ports }: Machine): FirewallFinding {
  const open = new Set<string>();
  let isUnclear = false;
  const attempt = (chain: string, packet: Packet, words: string, byDefault?: PacketVerdict) => {
    const verdicts = verdictsOf(rules, chain, packet, byDefault);
    if (verdicts.size > 1) isUnclear = true;
    else if (verdicts.has('let through')) open.add(words);
  };
  for (const { from, source } of bridges) {
    const packet = { from, source: source[family] };
    // Default to `let through`: an engine adds accept rules for each network that it creates.
    for (const [destination, words] of elsewhere[family])
      attempt('FORWARD', { ...packet, to: uplink, destination, port: 80 }, words, 'let through');
    for (const port of [...ports, anyPort])
      attempt('INPUT', { ...packet, to: undefined, destination: hosts[family], port }, 'ports of this machine');
  }
  if (open.size) return { state: 'open', open: [...open] };
  if (isUnclear) return { state: 'unknown', why: 'there are rules that Mooring does not understand' };
  return { state: 'holds' };
}
