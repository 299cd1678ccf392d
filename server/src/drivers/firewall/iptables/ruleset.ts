/** Parsed rule: its match options and its target. */
export interface Rule {
  matches: { option: string; values: string[]; isNot: boolean }[];
  target: string | undefined;
  /** `-g`: a RETURN in the target does not come back to this chain. */
  isGoto: boolean;
  text: string;
}

export interface IptablesChain {
  /** Verdict when no rule decides; undefined for user-defined chains. */
  policy: 'ACCEPT' | 'DROP' | undefined;
  rules: Rule[];
}

export type Ruleset = ReadonlyMap<string, IptablesChain>;

/** Parses the output of `iptables -S`. */
export function rulesetIn(text: string): Ruleset {
  const found = new Map<string, IptablesChain>();
  for (const line of text.split('\n')) {
    const [kind, name, ...words] = wordsOf(line);
    if (kind === undefined || name === undefined) continue;
    if (kind === '-P') found.set(name, { policy: words[0] === 'ACCEPT' ? 'ACCEPT' : 'DROP', rules: [] });
    else if (kind === '-N') found.set(name, { policy: undefined, rules: [] });
    else if (kind === '-A') found.get(name)?.rules.push(ruleOf(words, line));
  }
  return found;
}

function ruleOf(words: string[], text: string): Rule {
  const matches: Rule['matches'] = [];
  let [target, isGoto, isNot]: [string | undefined, boolean, boolean] = [undefined, false, false];
  for (const word of words) {
    if (word === '!') isNot = true;
    else if (word.startsWith('-') && word.length > 1) {
      matches.push({ option: word, values: [], isNot });
      isNot = false;
    } else matches.at(-1)?.values.push(word);
  }
  for (const { option, values } of matches) {
    if (option === '-j' || option === '-g') [target, isGoto] = [values[0], option === '-g'];
  }
  const isTarget = (option: string) => option === '-j' || option === '-g';
  // Options after the target belong to the target.
  const end = matches.findIndex(({ option }) => isTarget(option));
  return { matches: end < 0 ? matches : matches.slice(0, end), target, isGoto, text };
}

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
