import { BlockList, isIPv4 } from 'node:net';
import type { Rule, Ruleset } from './ruleset.ts';

/** First packet of a TCP connection. */
export interface Packet {
  from: string;
  /** Undefined for packets to this machine. */
  to: string | undefined;
  source: string;
  destination: string;
  port: number;
}

/** Several verdicts are possible when a rule cannot be evaluated. */
export type PacketVerdict = 'let through' | 'refused';

/** `on`: continues with the next rule. `back`: returns to the calling chain. */
type Outcome = PacketVerdict | 'on' | 'back';

const mostSteps = 200_000;
const deepest = 32;
/** Non-terminating targets. */
const passing = new Set([undefined, 'LOG', 'NFLOG', 'MARK', 'CONNMARK', 'TCPMSS']);

/** Returns the possible verdicts for a packet in a chain. `byDefault` replaces the policy when no rule decides. */
export function verdictsOf(
  rules: Ruleset,
  chain: string,
  packet: Packet,
  byDefault?: PacketVerdict,
): Set<PacketVerdict> {
  const policy = byDefault ?? (rules.get(chain)?.policy === 'DROP' ? 'refused' : 'let through');
  let steps = 0;
  const targetOf = ({ target, isGoto }: Rule, depth: number): Outcome[] => {
    if (passing.has(target)) return ['on'];
    if (target === 'ACCEPT') return ['let through'];
    if (target === 'DROP' || target === 'REJECT') return ['refused'];
    if (target === 'RETURN') return ['back'];
    return [...walk(target!, depth + 1)].map((each) => (each === 'back' && !isGoto ? 'on' : each));
  };
  const walk = (name: string, depth: number): Set<Outcome> => {
    const found = new Set<Outcome>();
    for (const rule of rules.get(name)?.rules ?? []) {
      if (depth > deepest || ++steps > mostSteps) return new Set(['let through', 'refused']);
      const fits = matches(rule, packet);
      if (fits === false) continue;
      const outcomes = targetOf(rule, depth);
      for (const each of outcomes) if (each !== 'on') found.add(each);
      if (fits === true && !outcomes.includes('on')) return found;
    }
    return found.add('back');
  };
  return new Set([...walk(chain, 0)].map((each) => (each === 'let through' || each === 'refused' ? each : policy)));
}

/** Undefined when a match cannot be evaluated. */
function matches({ matches: all }: Rule, packet: Packet): boolean | undefined {
  const each = all.map(({ option, values, isNot }) => {
    const fits = matchesOne(option, values[0] ?? '', packet);
    return fits === undefined ? undefined : fits !== isNot;
  });
  return each.includes(false) ? false : each.includes(undefined) ? undefined : true;
}

function matchesOne(option: string, value: string, { from, to, source, destination, port }: Packet) {
  switch (option) {
    case '-i':
      return isInterface(value, from);
    case '-o':
      return to === undefined ? false : isInterface(value, to);
    case '-s':
      return isWithin(value, source);
    case '-d':
      return isWithin(value, destination);
    case '-p':
      return value === 'tcp' || value === 'all';
    case '-m':
    case '--comment':
      return true;
    case '--ctstate':
    case '--state':
      return value.split(',').includes('NEW');
    case '--dport':
    case '--dports':
      return value.split(',').some((part) => isPort(part, port));
    case '--dst-type':
      return value.split(',').includes(to === undefined ? 'LOCAL' : 'UNICAST');
    default:
      return undefined;
  }
}

const isInterface = (pattern: string, name: string): boolean =>
  pattern.endsWith('+') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

function isPort(range: string, port: number): boolean {
  const [first = '', last = first] = range.split(':');
  return Number(first) <= port && port <= Number(last || 65_535);
}

/** Undefined for a netmask in dotted form. */
function isWithin(range: string, address: string): boolean | undefined {
  const [base = '', mask] = range.split('/');
  const family = isIPv4(base) ? 'ipv4' : 'ipv6';
  if ((family === 'ipv4') !== isIPv4(address)) return false;
  const bits = mask === undefined ? (family === 'ipv4' ? 32 : 128) : /^\d+$/.test(mask) ? Number(mask) : undefined;
  if (bits === undefined) return undefined;
  const list = new BlockList();
  list.addSubnet(base, bits, family);
  return list.check(address, family);
}
