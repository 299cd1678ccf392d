import { MissingProgramError } from '../firewall.ts';
import { lockWaitOptions, iptablesPrograms, speaksIpv6, userChain } from './iptables.ts';
import { type RunProgram, runProgram } from './programs.ts';
import { mooringChains, type Family } from './rules.ts';
import { type Ruleset, rulesetIn } from './ruleset.ts';

/** Removes our chains and every jump to them. Returns whether there were any. */
export async function removeIptables(run: RunProgram = runProgram()): Promise<boolean> {
  const families: Family[] = speaksIpv6() ? ['ipv4', 'ipv6'] : ['ipv4'];
  let isChanged = false;
  for (const family of families)
    try {
      const commands = commandsFor(rulesetIn(await run(iptablesPrograms[family].list, [...lockWaitOptions, '-S'])));
      if (!commands.length) continue;
      await run(
        iptablesPrograms[family].restore,
        [...lockWaitOptions, '--noflush'],
        ['*filter', ...commands, 'COMMIT', ''].join('\n'),
      );
      isChanged = true;
    } catch (error) {
      // Without the program there were never any rules.
      if (!(error instanceof MissingProgramError)) throw error;
    }
  return isChanged;
}

function commandsFor(there: Ruleset): string[] {
  const own: string[] = Object.values(mooringChains).filter((chain) => there.has(chain));
  if (!own.length) return [];
  const others = [...there].filter(([chain]) => !own.includes(chain)).flatMap(([, { rules }]) => rules);
  const jumps = others.filter(({ target }) => own.includes(target ?? '')).map(({ text }) => text.replace('-A', '-D'));
  // Ours too, unless an engine or the administrator uses it.
  const isUnused =
    there.get(userChain)?.rules.every(({ target }) => own.includes(target ?? '')) &&
    !others.some(({ target }) => target === userChain);
  const removed = isUnused ? [...own, userChain] : own;
  return [...jumps, ...own.map((chain) => `-F ${chain}`), ...removed.map((chain) => `-X ${chain}`)];
}
