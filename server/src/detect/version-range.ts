/** Versions of a language, and the default. */
export interface VersionLine {
  /** Display name: `Node.js`. */
  language: string;
  /** Newest first, as prefixes: `22` is the latest 22.x. */
  known: string[];
  preferred: string;
  /** Names of versions: `lts/iron`. */
  aliases?: Record<string, string>;
  /** Whether `~1.2` allows up to 2 (Composer, RubyGems) or 1.3 (npm). */
  pessimisticTilde?: boolean;
}

type Version = number[];

const exact = /^\d{1,4}(\.\d{1,4}){0,2}$/;

/** Returns an exact version, or the best known one of a range; undefined for anything else. */
export function pickVersion(wanted: string, line: VersionLine): string | undefined {
  const range = rangeIn(wanted, line);
  if (exact.test(range)) return range;
  if (!/\d/.test(range)) return undefined;
  return [line.preferred, ...line.known].find((each) => rangeAllows(range, each, line)) ?? prefixIn(range);
}

/** Returns the range without its name (`lts/iron`) and the spelling of its author. */
export function rangeIn(wanted: string, { aliases = {} }: VersionLine): string {
  const clean = wanted
    .trim()
    .slice(0, 200)
    .toLowerCase()
    .replace(/^v(?=\d)/, '');
  return Object.hasOwn(aliases, clean) ? aliases[clean]! : clean;
}

/** Whether a range allows a version, or the latest of a prefix; one without a number (`*`) allows all. */
export const rangeAllows = (
  range: string,
  version: string,
  { pessimisticTilde }: Pick<VersionLine, 'pessimisticTilde'> = {},
): boolean =>
  !/\d/.test(range) ||
  range
    .slice(0, 200)
    .split(/\s*\|\|?\s*/)
    .some((each) => satisfies(parse(version), each, pessimisticTilde));

/** Likewise; undefined if one of them is not plain, such as a tag or a pre-release. */
export function plainRangeAllows(range: string, version: string): boolean | undefined {
  if (!/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(version) || !/^[\d.x*^~<>=|v\s-]{0,200}$/i.test(range)) return undefined;
  return rangeAllows(range, version);
}

/** Returns the number in a range: `20` does not satisfy `~20.1.0`, but `20.1` is a version. */
const prefixIn = (range: string) => /^[\^~=v>\s]*(\d{1,4}(?:\.\d{1,4})?)/.exec(range)?.[1];

/** A prefix is its latest version, so missing parts are infinite. */
const parse = (prefix: string): Version => {
  const parts = prefix.split('.').map(Number);
  return [0, 1, 2].map((i) => parts[i] ?? Infinity);
};

function satisfies(version: Version, range: string, pessimisticTilde = false): boolean {
  const hyphen = /^\s*([\d.]{1,20})\s+-\s+([\d.]{1,20})\s*$/.exec(range);
  const text = hyphen ? `>=${hyphen[1]} <=${hyphen[2]}` : range;
  const rules = [...text.matchAll(/(\^|~>|~=|~|>=|<=|==|!=|>|<|=)?\s{0,20}v?(\d{1,6}(?:\.(?:\d{1,6}|x|\*)){0,3})/g)];
  return rules.length > 0 && rules.every((rule) => meets(version, rule[1] ?? '=', rule[2]!, pessimisticTilde));
}

function meets(version: Version, operator: string, text: string, pessimisticTilde: boolean): boolean {
  const said = text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  const given = said.slice(0, said.includes(undefined) ? said.indexOf(undefined) : 3).slice(0, 3) as number[];
  const low = [0, 1, 2].map((i) => given[i] ?? 0);
  const within = (places: number) => low.slice(0, places).every((part, i) => part === version[i]);
  switch (operator) {
    case '>=':
      return compare(version, low) >= 0;
    case '>':
      return compare(version, low) > 0 && !(given.length < 3 && within(given.length));
    case '<':
      return compare(version, low) < 0;
    case '<=':
      return compare(version, low) <= 0 || within(given.length);
    case '!=':
      return !within(given.length);
    case '^':
      return compare(version, low) >= 0 && within(low[0] === 0 ? 2 : 1);
    case '~':
      return (
        compare(version, low) >= 0 &&
        within(pessimisticTilde ? Math.max(1, given.length - 1) : Math.min(2, given.length))
      );
    case '~>':
    case '~=':
      return compare(version, low) >= 0 && within(Math.max(1, given.length - 1));
    default:
      return within(given.length);
  }
}

function compare(a: Version, b: Version): number {
  const i = [0, 1, 2].find((place) => a[place] !== b[place]);
  return i === undefined ? 0 : a[i]! - b[i]!;
}
