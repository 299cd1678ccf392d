// File patterns without regular expressions: an untrusted pattern could make those take forever.

/** One element of a pattern. `folders` is any number of whole path segments, `rest` is everything. */
type Part =
  | { kind: 'character'; is: string }
  | { kind: 'set'; not: boolean; ranges: [from: number, to: number][] }
  | { kind: 'any' | 'star' | 'folders' | 'rest' };

/** A parsed pattern. */
export type Glob = Part[];

export class GlobError extends Error {}

export function parseGlob(pattern: string): Glob {
  const characters = Array.from(pattern);
  const parts: Part[] = [];
  for (let at = 0; at < characters.length;) {
    const { part, next } = partAt(characters, at);
    parts.push(part);
    at = next;
  }
  return parts;
}

function partAt(characters: string[], at: number): { part: Part; next: number } {
  const character = characters[at]!;
  if (character === '*' && characters[at + 1] === '*') {
    const next = characters[at + 2] === '/' ? at + 3 : at + 2;
    return { part: { kind: next === characters.length ? 'rest' : 'folders' }, next };
  }
  if (character === '*') return { part: { kind: 'star' }, next: at + 1 };
  if (character === '?') return { part: { kind: 'any' }, next: at + 1 };
  if (character === '[') return setAt(characters, at);
  if (character !== '\\') return { part: { kind: 'character', is: character }, next: at + 1 };
  return { part: { kind: 'character', is: escapedAt(characters, at) }, next: at + 2 };
}

/** `[a-z]`, `[^a-z]`. */
function setAt(characters: string[], from: number): { part: Part; next: number } {
  const not = characters[from + 1] === '^';
  const ranges: [number, number][] = [];
  let at = from + (not ? 2 : 1);
  const one = () => {
    const isEscaped = characters[at] === '\\';
    const code = (isEscaped ? escapedAt(characters, at) : (characters[at] ?? '')).codePointAt(0);
    if (code === undefined || (!isEscaped && '-]'.includes(characters[at]!))) throw new GlobError();
    at += isEscaped ? 2 : 1;
    return code;
  };
  do {
    const low = one();
    const isRange = characters[at] === '-';
    if (isRange) at++;
    ranges.push([low, isRange ? one() : low]);
  } while (characters[at] !== ']');
  return { part: { kind: 'set', not, ranges }, next: at + 1 };
}

function escapedAt(characters: string[], at: number): string {
  const escaped = characters[at + 1];
  if (escaped === undefined) throw new GlobError();
  return escaped;
}

/** Whether the pattern matches the path or a folder above it. Simulates all states in parallel, so its time is
 * bounded by the product of both lengths. */
export function matchesOrHolds(glob: Glob, path: string): boolean {
  // Even states: before that element. Odd ones: within `folders`.
  let places = new Set<number>();
  enter(glob, places, 0);
  const characters = Array.from(path);
  for (const [at, character] of characters.entries()) {
    const next = new Set<number>();
    for (const place of places) advance(glob, place, character, next);
    places = next;
    const isName = at + 1 === characters.length || characters[at + 1] === '/';
    if (isName && places.has(glob.length * 2)) return true;
    if (!places.size) return false;
  }
  return false;
}

function enter(glob: Glob, places: Set<number>, part: number): void {
  for (let at = part; !places.has(at * 2); at++) {
    places.add(at * 2);
    const kind = glob[at]?.kind;
    if (kind === 'folders') places.add(at * 2 + 1);
    if (kind !== 'folders' && kind !== 'star' && kind !== 'rest') return;
  }
}

function advance(glob: Glob, place: number, character: string, next: Set<number>): void {
  const at = place >> 1;
  const part = glob[at];
  if (place % 2) {
    next.add(place);
    if (character === '/') enter(glob, next, at + 1);
    return;
  }
  if (!part || part.kind === 'folders') return;
  if (part.kind === 'rest' || (part.kind === 'star' && character !== '/')) enter(glob, next, at);
  else if (part.kind !== 'star' && takes(part, character)) enter(glob, next, at + 1);
}

function takes(part: Part, character: string): boolean {
  if (part.kind === 'character') return part.is === character;
  if (character === '/') return false;
  if (part.kind !== 'set') return part.kind === 'any';
  const code = character.codePointAt(0)!;
  return part.ranges.some(([from, to]) => from <= code && code <= to) !== part.not;
}
