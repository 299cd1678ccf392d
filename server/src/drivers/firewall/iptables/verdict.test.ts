import { describe, expect, it } from 'vitest';
import { openDestinationsIn } from './open-destinations.ts';
import { restoreText, rulesOf } from './rules.ts';
import { rulesetIn } from './ruleset.ts';

const machine = { uplink: 'eth0', ports: [22, 4600] };
/** Rules that an engine creates. */
const engine = `-P INPUT ACCEPT
-P FORWARD DROP
-P OUTPUT ACCEPT
-N DOCKER
-N DOCKER-USER
-A FORWARD -j DOCKER-USER
-A FORWARD -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A FORWARD -i docker0 ! -o docker0 -j ACCEPT
-A DOCKER -d 172.17.0.2/32 ! -i docker0 -o docker0 -p tcp -m tcp --dport 80 -j ACCEPT
`;
const closed = '10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16'.split(' ');
const look = (text: string) => openDestinationsIn(rulesetIn(text), 'ipv4', machine);

/** Rules from the documentation, as `iptables -S` lists them. */
const byHand = ['br-+', 'docker0'].flatMap((bridge) => [
  ...closed.map(
    (range) => `-A DOCKER-USER -d ${range} -i ${bridge} ! -o ${bridge} -m conntrack --ctstate NEW -j REJECT`,
  ),
  `-A INPUT -i ${bridge} -m conntrack --ctstate NEW -j REJECT --reject-with icmp-port-unreachable`,
]);

describe('firewall evaluation', () => {
  it("reports everything as open with only the engine's rules", () => {
    const found = look(`${engine}-A DOCKER-USER -j RETURN\n`);
    expect(found).toMatchObject({ state: 'open' });
    expect('open' in found && found.open).toEqual([
      "the cloud's metadata service (169.254.169.254)",
      'private addresses (10.0.0.0/8)',
      'private addresses (172.16.0.0/12)',
      'private addresses (192.168.0.0/16)',
      'private addresses (100.64.0.0/10)',
      'ports of this machine',
    ]);
  });

  it('accepts the documented rules, and reports open when any of them is missing', () => {
    expect(look(engine + byHand.join('\n'))).toEqual({ state: 'holds' });
    for (const rule of byHand) {
      const found = look(engine + byHand.filter((each) => each !== rule).join('\n'));
      expect(found.state, rule).toBe('open');
    }
  });

  it('reports open when an earlier rule bypasses them', () => {
    expect(look(`${engine}-A DOCKER-USER -j RETURN\n${byHand.join('\n')}`).state).toBe('open');
    expect(
      look(`${engine}-A INPUT -i br-+ -p tcp -m multiport --dports 20:25,80 -j ACCEPT\n${byHand.join('\n')}`),
    ).toEqual({
      state: 'open',
      open: ['ports of this machine'],
    });
  });

  it('is not misled by rules that reject other packets', () => {
    const many = closed.map((range) => `-A DOCKER-USER -d ${range} -m addrtype --dst-type MULTICAST -j DROP`);
    const input = byHand.filter((rule) => rule.includes('-A INPUT'));
    expect(look(engine + [...many, ...input].join('\n')).state, 'what is for many').toBe('open');
    const named = machine.ports.map((port) => `-A INPUT -p tcp -m tcp --dport ${port} -j DROP`);
    const forward = byHand.filter((rule) => !rule.includes('-A INPUT'));
    expect(look(engine + [...named, ...forward].join('\n')), 'some ports').toEqual({
      state: 'open',
      open: ['ports of this machine'],
    });
    for (const range of ['172.17.0.0/16', '172.18.0.0/16', '192.168.0.0/16'])
      expect(look(`${engine}-A INPUT -s ${range} -j ACCEPT\n${byHand.join('\n')}`).state, range).toBe('open');
  });

  it('reports unknown when a rule uses a set that is not listed', () => {
    const set = `-A DOCKER-USER -i br-+ -m set --match-set closed dst -j DROP\n-A DOCKER-USER -i docker0 -m set --match-set closed dst -j DROP\n`;
    const input = `-A INPUT -i br-+ -j DROP\n-A INPUT -i docker0 -j DROP\n`;
    expect(look(engine + set + input).state).toBe('unknown');
  });

  it('accepts our own rules for IPv4 and IPv6', () => {
    for (const family of ['ipv4', 'ipv6'] as const) {
      const allowed = { edgePorts: [80, 443, 443], nameServers: ['10.0.0.2', 'fd00::53'] };
      const rules = rulesOf(family, allowed);
      const made = [...new Set(rules.map((rule) => rule.split(' ')[1]!))].map((chain) => `-N ${chain}\n`).join('');
      const jumps = '-A DOCKER-USER -j MOORING-FORWARD\n-A INPUT -j MOORING-INPUT\n';
      const text = engine + made + jumps + rules.join('\n');
      expect(openDestinationsIn(rulesetIn(text), family, machine)).toEqual({ state: 'holds' });
      expect(rules.filter((rule) => rule.includes('--dport 53'))).toHaveLength(4);
      expect(rules.filter((rule) => rule.includes('--dport 443'))).toHaveLength(1);
      for (const rule of rules.filter((each) => each.includes('REJECT')))
        if (/169\.254|10\.0\.0\.0|fc00|MOORING-IN -j/.test(rule))
          expect(openDestinationsIn(rulesetIn(text.replace(rule, '')), family, machine).state, rule).toBe('open');
      expect(restoreText(rules, ['-I INPUT 1 -j MOORING-INPUT'], [])).toMatch(/^\*filter\n:MOORING-[^]*\nCOMMIT\n$/);
    }
  });

  it('terminates with circular rules and malformed input', () => {
    expect(look(`${engine}-N A\n-A INPUT -j A\n-A A -j A\n`).state).toBe('open');
    const many = Array.from({ length: 3000 }, (_, i) => `-A INPUT -s 10.${i % 256}.0.0/16 -j DROP`);
    expect(look(engine + many.join('\n')).state).toBe('open');
    expect(look('nonsense\n-A\n-A NOWHERE -j X\n! ! "').state).toBe('open');
  });
});
