/** Invalid syntax, or a required variable is missing. */
export class TemplateError extends Error {
  override name = 'TemplateError';
  /** The required variable that has no value. */
  readonly variable: string | undefined;

  constructor(message: string, variable?: string) {
    super(message);
    this.variable = variable;
  }
}

/** Looks up a variable; undefined if unset. */
export type VariableSource = (name: string) => string | undefined;

const maxDepth = 20;
/** More than an environment variable can hold. */
const maxLength = 256 * 1024;
const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y;
const operator = /:?[-+?]/y;

const match = (pattern: RegExp, text: string, from: number): string => {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? '';
};

/**
 * Substitutes `$NAME` and `${NAME}` with the operators of Docker Compose; `$$` is a dollar sign. Unset variables
 * get the result of `onUnset`, or are empty.
 */
export function substitute(text: string, lookup: VariableSource, onUnset: OnUnset = () => undefined): string {
  return filled(text, { lookup, onUnset, whole: text }, 0);
}

type OnUnset = (name: string) => string | undefined;

interface Filling {
  lookup: VariableSource;
  onUnset: OnUnset;
  whole: string;
}

function filled(text: string, filling: Filling, depth: number): string {
  if (depth > maxDepth) throw new TemplateError('variables are nested too deeply');
  let result = '';
  let at = 0;
  for (;;) {
    if (result.length > maxLength)
      throw new TemplateError(`with its variables it is longer than ${maxLength / 1024} KB`);
    const dollar = text.indexOf('$', at);
    if (dollar < 0) return result + text.slice(at);
    result += text.slice(at, dollar);
    const next = text[dollar + 1];
    if (next === '{') {
      const end = closingBrace(text, dollar + 1);
      if (end < 0) throw malformed(filling.whole);
      result += braced(text.slice(dollar + 2, end), filling, depth);
      at = end + 1;
      continue;
    }
    const name = match(namePattern, text, dollar + 1);
    if (name) result += plain(name, filling);
    else result += '$';
    at = dollar + 1 + (next === '$' ? 1 : name.length);
  }
}

function plain(name: string, { lookup, onUnset }: Filling): string {
  return lookup(name) ?? onUnset(name) ?? '';
}

/** Evaluates the part between braces: a name and an optional operator with its text. */
function braced(inside: string, filling: Filling, depth: number): string {
  const name = match(namePattern, inside, 0);
  const sign = match(operator, inside, name.length);
  if (!name || (!sign && name.length !== inside.length)) throw malformed(filling.whole);
  if (!sign) return plain(name, filling);
  const value = filling.lookup(name);
  const isThere = value !== undefined && !(sign.startsWith(':') && value === '');
  const other = () => filled(inside.slice(name.length + sign.length), filling, depth + 1);
  if (sign.endsWith('-')) return isThere ? value : other();
  if (sign.endsWith('+')) return isThere ? other() : '';
  if (isThere) return value;
  const message = other();
  throw new TemplateError(`the variable ${name} is required and has no value${message ? `: ${message}` : ''}`, name);
}

/** Returns the matching closing brace. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i;
  }
  return -1;
}

const malformed = (text: string) =>
  new TemplateError(`not a valid variable: ${text.slice(0, 100)} (a dollar sign itself is written $$)`);
