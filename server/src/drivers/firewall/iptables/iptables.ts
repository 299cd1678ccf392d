import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Allowed, FirewallFinding, Firewall } from '../firewall.ts';
import { FirewallError, MissingProgramError } from '../firewall.ts';
import { foundIn } from './attempts.ts';
import { type RunProgram, runProgram } from './programs.ts';
import { chains, type Family, markOf, restoreText, rulesOf } from './rules.ts';
import { type Ruleset, rulesetIn } from './ruleset.ts';

type Options = {
  /** Asked each time: name servers change. */
  allowed: () => Promise<Allowed>;
  /** Ports that nobody but this machine should reach. */
  ports: readonly number[];
  run?: RunProgram;
  /** Whether the machine speaks it. */
  hasIpv6?: () => boolean;
};

const programs: Record<Family, { list: string; restore: string }> = {
  ipv4: { list: 'iptables', restore: 'iptables-restore' },
  ipv6: { list: 'ip6tables', restore: 'ip6tables-restore' },
};
/** Others may be writing rules: an engine, for one. */
const patience = ['-w', '5'];
/** What engines leave to whoever runs the machine: they ask it first, and never change it. */
const userChain = 'DOCKER-USER';

export function createIptables({ allowed, ports, run = runProgram(), hasIpv6 = speaksIpv6 }: Options): Firewall {
  const families = (): Family[] => (hasIpv6() ? ['ipv4', 'ipv6'] : ['ipv4']);
  const listed = async (family: Family) => rulesetIn(await run(programs[family].list, [...patience, '-S']));

  async function lookAt(family: Family): Promise<FirewallFinding> {
    try {
      return foundIn(await listed(family), family, { uplink: await uplinkOf(), ports });
    } catch (error) {
      if (error instanceof FirewallError) return { state: 'unknown', why: error.message };
      throw error;
    }
  }

  async function applyTo(family: Family): Promise<boolean> {
    const rules = rulesOf(family, await allowed());
    const there = await listed(family);
    const { state } = foundIn(there, family, { uplink: await uplinkOf(), ports });
    const jumps = jumpsFor(there, isOurs(there, rules) && state === 'open');
    if (!jumps.length && isOurs(there, rules)) return false;
    const made = there.has(userChain) ? [] : [userChain];
    await run(programs[family].restore, [...patience, '--noflush'], restoreText(rules, jumps, made));
    return true;
  }

  return {
    async look() {
      const found = await Promise.all(families().map(lookAt));
      const open = found.flatMap((each) => (each.state === 'open' ? each.open : []));
      if (open.length) return { state: 'open', open: [...new Set(open)] };
      return found.find(({ state }) => state === 'unknown') ?? { state: 'holds' };
    },
    async apply() {
      const isChanged = await applyTo('ipv4');
      if (!hasIpv6()) return isChanged;
      try {
        return (await applyTo('ipv6')) || isChanged;
      } catch (error) {
        // Then no engine gives its containers a way out by it either; a look says that it cannot be told.
        if (error instanceof MissingProgramError) return isChanged;
        throw error;
      }
    },
  };
}

/** Those that are missing. Where ours are all there and something is let through before it comes to them, they are put first. */
function jumpsFor(there: Ruleset, isLate: boolean): string[] {
  const isAsked = leadsTo(there, 'FORWARD', userChain);
  const hooks = [
    { from: userChain, to: chains.forward },
    // An engine that does not ask its chain for us yet, or not first.
    ...(isAsked && !isLate ? [] : [{ from: 'FORWARD', to: chains.forward }]),
    { from: 'INPUT', to: chains.input },
  ];
  return hooks.flatMap(({ from, to }) => {
    const first = `-I ${from} 1 -j ${to}`;
    if (isLate) return hasJump(there, from, to) ? [`-D ${from} -j ${to}`, first] : [first];
    return leadsTo(there, from, to) ? [] : [first];
  });
}

const hasJump = (there: Ruleset, from: string, to: string): boolean =>
  there.get(from)?.rules.some(({ matches, target }) => !matches.length && target === to) ?? false;

/** Whether what comes into a chain goes there, unless a rule before it is about something narrower: those are somebody's will. */
function leadsTo(there: Ruleset, from: string, to: string): boolean {
  const rules = there.get(from)?.rules ?? [];
  const plain = rules.filter(({ matches, target }) => !matches.length && target !== undefined);
  const decided = plain.findIndex(({ target }) => ['ACCEPT', 'DROP', 'REJECT', 'RETURN'].includes(target!));
  return plain.slice(0, decided < 0 ? undefined : decided).some(({ target }) => target === to);
}

/** They are as we would make them, and all there. */
function isOurs(there: Ruleset, rules: readonly string[]): boolean {
  const own = Object.values(chains).map((chain) => there.get(chain)?.rules ?? []);
  const mark = markOf(rules);
  const isMarked = own.flat().some(({ matches }) => matches.some(({ values }) => values.includes(mark)));
  // The mark is one more.
  return isMarked && own.flat().length === rules.length + 1;
}

/** Where what is for nobody here goes to. */
async function uplinkOf(): Promise<string> {
  const lines = (await readFile('/proc/net/route', 'utf8')).split('\n').map((line) => line.split('\t'));
  return lines.find(([, destination]) => destination === '00000000')?.[0] ?? 'eth0';
}

const speaksIpv6 = (): boolean => existsSync('/proc/net/if_inet6');
