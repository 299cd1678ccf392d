import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AllowedDestinations, FirewallFinding, Firewall } from '../firewall.ts';
import { FirewallError, MissingProgramError } from '../firewall.ts';
import { openDestinationsIn } from './open-destinations.ts';
import { type RunProgram, runProgram } from './programs.ts';
import { mooringChains, type Family, rulesMark, restoreText, rulesOf } from './rules.ts';
import { type Ruleset, rulesetIn } from './ruleset.ts';

type Options = {
  /** Called each time, because name servers change. */
  allowed: () => Promise<AllowedDestinations>;
  /** Ports that containers must not reach. */
  ports: readonly number[];
  run?: RunProgram;
  hasIpv6?: () => boolean;
};

export const iptablesPrograms: Record<Family, { list: string; restore: string }> = {
  ipv4: { list: 'iptables', restore: 'iptables-restore' },
  ipv6: { list: 'ip6tables', restore: 'ip6tables-restore' },
};
/** Waits for the xtables lock: a container engine may be writing rules. */
export const lockWaitOptions = ['-w', '5'];
/** Chain for the administrator's rules: engines evaluate it first and never change it. */
export const userChain = 'DOCKER-USER';

export function createIptables({ allowed, ports, run = runProgram(), hasIpv6 = speaksIpv6 }: Options): Firewall {
  const families = (): Family[] => (hasIpv6() ? ['ipv4', 'ipv6'] : ['ipv4']);
  const listed = async (family: Family) =>
    rulesetIn(await run(iptablesPrograms[family].list, [...lockWaitOptions, '-S']));

  async function lookAt(family: Family): Promise<FirewallFinding> {
    try {
      return openDestinationsIn(await listed(family), family, { uplink: await uplinkOf(), ports });
    } catch (error) {
      if (error instanceof FirewallError) return { state: 'unknown', why: error.message };
      throw error;
    }
  }

  async function applyTo(family: Family): Promise<boolean> {
    const rules = rulesOf(family, await allowed());
    const there = await listed(family);
    const { state } = openDestinationsIn(there, family, { uplink: await uplinkOf(), ports });
    const jumps = jumpsFor(there, isOurs(there, rules) && state === 'open');
    if (!jumps.length && isOurs(there, rules)) return false;
    const made = there.has(userChain) ? [] : [userChain];
    await run(iptablesPrograms[family].restore, [...lockWaitOptions, '--noflush'], restoreText(rules, jumps, made));
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
        // Without ip6tables no engine routes IPv6 for containers either; `look` reports `unknown`.
        if (error instanceof MissingProgramError) return isChanged;
        throw error;
      }
    },
  };
}

/** Returns the missing jumps. Moves them to the top if our rules are complete but an earlier rule bypasses them. */
function jumpsFor(there: Ruleset, isLate: boolean): string[] {
  const isAsked = leadsTo(there, 'FORWARD', userChain);
  const hooks = [
    { from: userChain, to: mooringChains.forward },
    // The engine does not evaluate DOCKER-USER yet, or not first.
    ...(isAsked && !isLate ? [] : [{ from: 'FORWARD', to: mooringChains.forward }]),
    { from: 'INPUT', to: mooringChains.input },
  ];
  return hooks.flatMap(({ from, to }) => {
    const first = `-I ${from} 1 -j ${to}`;
    if (isLate) return hasJump(there, from, to) ? [`-D ${from} -j ${to}`, first] : [first];
    return leadsTo(there, from, to) ? [] : [first];
  });
}

const hasJump = (there: Ruleset, from: string, to: string): boolean =>
  there.get(from)?.rules.some(({ matches, target }) => !matches.length && target === to) ?? false;

/** Returns whether a chain jumps to `to` unconditionally. Narrower rules before it are the administrator's choice. */
function leadsTo(there: Ruleset, from: string, to: string): boolean {
  const rules = there.get(from)?.rules ?? [];
  const plain = rules.filter(({ matches, target }) => !matches.length && target !== undefined);
  const decided = plain.findIndex(({ target }) => ['ACCEPT', 'DROP', 'REJECT', 'RETURN'].includes(target!));
  return plain.slice(0, decided < 0 ? undefined : decided).some(({ target }) => target === to);
}

/** Returns whether our chains are complete and up to date. */
function isOurs(there: Ruleset, rules: readonly string[]): boolean {
  const own = Object.values(mooringChains).map((chain) => there.get(chain)?.rules ?? []);
  const mark = rulesMark(rules);
  const isMarked = own.flat().some(({ matches }) => matches.some(({ values }) => values.includes(mark)));
  // Plus one for the rule that carries the mark.
  return isMarked && own.flat().length === rules.length + 1;
}

/** Returns the interface of the default route. */
async function uplinkOf(): Promise<string> {
  const lines = (await readFile('/proc/net/route', 'utf8')).split('\n').map((line) => line.split('\t'));
  return lines.find(([, destination]) => destination === '00000000')?.[0] ?? 'eth0';
}

export const speaksIpv6 = (): boolean => existsSync('/proc/net/if_inet6');
