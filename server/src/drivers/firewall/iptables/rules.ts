import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { AllowedDestinations } from '../firewall.ts';

export type Family = 'ipv4' | 'ipv6';

/** Bridges of engines: the default one, and one per network. `+` is the iptables wildcard. */
export const bridgePatterns = ['docker+', 'br-+'] as const;

/** Private and reserved ranges, and metadata services of clouds. */
const closed: Record<Family, readonly string[]> = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  ipv6: ['::/127', '::ffff:0:0/96', '64:ff9b:1::/48', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
};

/** Our own chains. `forward` and `input` select packets from containers and jump to `out` and `in`. */
export const mooringChains = {
  forward: 'MOORING-FORWARD',
  input: 'MOORING-INPUT',
  out: 'MOORING-OUT',
  in: 'MOORING-IN',
} as const;

/** Returns the rules of our chains. Allowed packets RETURN instead of ACCEPT, so that other rules still apply. */
export function rulesOf(family: Family, { edgePorts, nameServers }: AllowedDestinations): string[] {
  const { forward, input, out, in: into } = mooringChains;
  const begun = '-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN';
  const names = nameServers
    .filter((each) => isIPv4(each) === (family === 'ipv4'))
    .flatMap((each) =>
      ['udp', 'tcp'].map((protocol) => `-d ${each} -p ${protocol} -m ${protocol} --dport 53 -j RETURN`),
    );
  // Neighbor discovery uses ICMPv6; without it a container has no route.
  const neighbours = family === 'ipv6' ? ['-p ipv6-icmp -j RETURN'] : [];
  return [
    `-A ${forward} ${begun}`,
    ...bridgePatterns.map((bridge) => `-A ${forward} -i ${bridge} -j ${out}`),
    // The engine itself isolates its networks from each other.
    ...bridgePatterns.map((bridge) => `-A ${out} -o ${bridge} -j RETURN`),
    ...names.map((rule) => `-A ${out} ${rule}`),
    ...closed[family].map((range) => `-A ${out} -d ${range} -j REJECT`),
    `-A ${input} ${begun}`,
    ...bridgePatterns.map((bridge) => `-A ${input} -i ${bridge} -j ${into}`),
    ...neighbours.map((rule) => `-A ${into} ${rule}`),
    ...names.map((rule) => `-A ${into} ${rule}`),
    ...[...new Set(edgePorts)].map((port) => `-A ${into} -p tcp -m tcp --dport ${port} -j RETURN`),
    `-A ${into} -j REJECT`,
  ];
}

/** Hashes the rules into a comment that identifies them, because iptables lists rules in a different form. */
export const rulesMark = (rules: readonly string[]): string =>
  `mooring ${createHash('sha256').update(rules.join('\n')).digest('hex').slice(0, 16)}`;

/** Returns the input of `iptables-restore --noflush`: rebuilds our chains in one transaction and keeps all others.
 * `jumps` are the missing jumps, `made` the engine's chains that do not exist yet. */
export function restoreText(rules: readonly string[], jumps: readonly string[], made: readonly string[]): string {
  const own = [...made, ...Object.values(mooringChains)].map((chain) => `:${chain} - [0:0]`);
  const mark = `-A ${mooringChains.forward} -m comment --comment "${rulesMark(rules)}"`;
  return ['*filter', ...own, ...rules, mark, ...jumps, 'COMMIT', ''].join('\n');
}
