import { BuildRefusedError } from '../errors.ts';
import { GlobError, matchesOrHolds, parseGlob } from './glob.ts';

/** Paths that a `.dockerignore` excludes. Paths are relative, with slashes. */
export interface IgnoreRules {
  ignores(path: string): boolean;
  /** Whether something below an ignored folder may be included. */
  mayWantInside(folder: string): boolean;
}

interface Rule {
  matches: (path: string) => boolean;
  /** It begins with `!`: includes its matches. */
  wants: boolean;
  /** Path segments before the first wildcard. */
  fixed: string[];
}

/** More than any real file has; each rule is tested against each path. */
const mostRules = 5_000;
const longestPattern = 1_000;

const unfit = (why: string, line: string) =>
  new BuildRefusedError(`${why}: ${line.trim().slice(0, 100).toWellFormed()}`);

/** Parses the documented syntax: one pattern per line, `#` starts a comment, `*` and `?` stay within a segment, `**`
 * does not, a leading slash is ignored, everything below a match matches too, and the last matching line decides. */
export function readIgnoreRules(text: string): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, at) => ruleOf(line, at + 1));
  if (rules.length > mostRules) throw new BuildRefusedError(`.dockerignore has more than ${mostRules} rules`);
  return {
    ignores(path) {
      let ignored = false;
      for (const { matches, wants } of rules) if (wants === ignored && matches(path)) ignored = !wants;
      return ignored;
    },
    mayWantInside(folder) {
      const names = folder.split('/');
      return rules.some(
        ({ wants, fixed }) => wants && names.every((name, i) => i >= fixed.length || fixed[i] === name),
      );
    },
  };
}

function ruleOf(line: string, number: number): Rule[] {
  if (line.startsWith('#')) return [];
  const wants = line.trim().startsWith('!');
  const pattern = clean(wants ? line.trim().slice(1).trim() : line.trim());
  if (wants && !pattern) throw unfit(`line ${number} of .dockerignore is empty`, line);
  if (pattern.length > longestPattern) throw unfit(`line ${number} of .dockerignore is too long`, line);
  // A single dot is ignored.
  if (!pattern || pattern === '.') return [];
  const names = pattern.split('/');
  const firstWild = names.findIndex((name) => /[*?[\\]/.test(name));
  if (firstWild < 0)
    return [{ matches: (path) => path === pattern || path.startsWith(`${pattern}/`), wants, fixed: names }];
  try {
    const glob = parseGlob(pattern);
    return [{ matches: (path) => matchesOrHolds(glob, path), wants, fixed: names.slice(0, firstWild) }];
  } catch (error) {
    if (error instanceof GlobError) throw unfit(`line ${number} of .dockerignore is not a valid pattern`, line);
    throw error;
  }
}

/** Removes empty segments, `.` and resolvable `..`. */
function clean(pattern: string): string {
  const names: string[] = [];
  for (const name of pattern.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && names.length && names.at(-1) !== '..') names.pop();
    else if (name !== '..' || !pattern.startsWith('/')) names.push(name);
  }
  return names.join('/') || (pattern && '.');
}
