/** Returns the value of a variable; undefined if it has none. */
export type VariableLookup = (name: string) => string | undefined;

/** Values may be built from values: anything longer is not an image name. */
const longest = 4_096;

/** Expands `$NAME`, `${NAME}`, `${NAME:-other}`, `${NAME:+other}` and removes quotes, as in a FROM. Returns undefined
 * for anything unknown. */
export function expandVariables(word: string, lookup: VariableLookup): string | undefined {
  if (word.length > longest) return undefined;
  let result = '';
  for (let at = 0; at < word.length;) {
    if (result.length > longest) return undefined;
    const character = word[at]!;
    if (character === '\\' && at + 1 < word.length) {
      result += word[at + 1]!;
      at += 2;
    } else if (character === '"' || character === "'") {
      const end = word.indexOf(character, at + 1);
      if (end < 0) return undefined;
      const inside = word.slice(at + 1, end);
      const value = character === "'" ? inside : expandVariables(inside, lookup);
      if (value === undefined) return undefined;
      result += value;
      at = end + 1;
    } else if (character === '$') {
      const variable = variableAt(word, at, lookup);
      if (!variable) return undefined;
      result += variable.value;
      at = variable.next;
    } else {
      result += character;
      at++;
    }
  }
  return result;
}

function variableAt(word: string, at: number, lookup: VariableLookup) {
  const plain = /^\$([A-Za-z_][A-Za-z0-9_]*)/.exec(word.slice(at));
  if (plain) return { value: lookup(plain[1]!) ?? '', next: at + plain[0].length };
  const end = closingBrace(word, at + 1);
  const [, name, operator = '', other = ''] =
    /^([A-Za-z_][A-Za-z0-9_]*)(:?[-+?])?(.*)$/s.exec(word.slice(at + 2, end)) ?? [];
  if (end < 0 || !name || (!operator && other)) return undefined;
  const value = chosen(lookup(name), operator, other, lookup);
  return value === undefined ? undefined : { value, next: end + 1 };
}

function chosen(value: string | undefined, operator: string, other: string, lookup: VariableLookup) {
  const isSet = operator.startsWith(':') ? Boolean(value) : value !== undefined;
  if (operator.endsWith('-')) return isSet ? value : expandVariables(other, lookup);
  if (operator.endsWith('+')) return isSet ? expandVariables(other, lookup) : '';
  if (operator.endsWith('?') && !isSet) return undefined;
  return value ?? '';
}

/** Returns the index of the brace that closes the one at `from`; -1 if there is none. */
function closingBrace(word: string, from: number): number {
  if (word[from] !== '{') return -1;
  for (let at = from, depth = 0; at < word.length; at++) {
    if (word[at] === '{') depth++;
    if (word[at] === '}' && --depth === 0) return at;
  }
  return -1;
}
