import { BuildRefusedError } from '../errors.ts';
import { GlobError, matchesOrHolds, parseGlob } from './glob.ts';

/** Which paths of a folder a `.dockerignore` leaves out. Paths are relative, with slashes. */
export interface IgnoreRules {
  ignores(path: string): boolean;
  /** Whether something below an ignored folder may be wanted all the same. */
  mayWantInside(folder: string): boolean;
}

interface Rule {
  matches: (path: string) => boolean;
  /** It begins with `!`: what it matches is wanted. */
  wants: boolean;
  /** The names before the first wildcard: what it wants is below them. */
  fixed: string[];
}

/** More than any real file has; each is held against each path. */
const mostRules = 5_000;
const longestPattern = 1_000;

const unfit = (why: string, line: string) =>
  new BuildRefusedError(`${why}: ${line.trim().slice(0, 100).toWellFormed()}`);

/** The documented rules: one pattern a line, `#` begins a comment, `*` and `?` stay within a name, `**` does not, a leading
 * slash means nothing, what is below a match matches too, and the last line that matches decides. */
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
  // A single dot has always meant nothing.
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

/** Without empty names, `.` and, where there is something to go up from, `..`. */
function clean(pattern: string): string {
  const names: string[] = [];
  for (const name of pattern.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && names.length && names.at(-1) !== '..') names.pop();
    else if (name !== '..' || !pattern.startsWith('/')) names.push(name);
  }
  return names.join('/') || (pattern && '.');
}
