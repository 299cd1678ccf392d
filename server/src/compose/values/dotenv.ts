import { failParsing } from '../problems.ts';
import { substitute, TemplateError, type VariableSource } from './template.ts';

const maxCharacters = 512 * 1024;
const maxSize = 1024 * 1024;
const keyPattern = /^[A-Za-z0-9_.[\]-]*$/;
const escapes: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Parses a `.env` file in the dialect of Docker Compose. References use `given` first, then earlier values of the
 * file; a name without a value is taken from `given`.
 */
export function dotenv(text: string, file: string, given: VariableSource): Map<string, string> {
  const values = new Map<string, string>();
  const lookup: VariableSource = (name) => given(name) ?? values.get(name);
  let size = 0;
  eachVariable(text, file, ({ key, value, line }) => {
    const found = value === undefined ? given(key) : expanded(value, lookup, { file, line });
    if (found !== undefined) values.set(key, found);
    // Each may double the length of the previous one.
    size += found?.length ?? 0;
    if (size > maxSize) failParsing({ file, line }, `the variables are more than ${maxSize / 1024} KB`);
  });
  return values;
}

/** Parses a file like `docker run --env-file`: no quoting, no substitution. */
export function rawEnv(text: string, file: string, given: VariableSource): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of cleaned(text, file).split('\n')) {
    const bare = line.trimStart();
    if (!bare || bare.startsWith('#')) continue;
    const sign = bare.indexOf('=');
    const found = sign < 0 ? given(bare) : bare.slice(sign + 1);
    if (found !== undefined) values.set(sign < 0 ? bare : bare.slice(0, sign), found);
  }
  return values;
}

interface Value {
  text: string;
  quote: '"' | "'" | '';
}

function expanded({ text, quote }: Value, lookup: VariableSource, place: { file: string; line: number }): string {
  if (quote === "'") return text;
  // An escaped dollar sign is doubled, so that it is not substituted.
  const ready = quote
    ? text.replace(/\\(.)/gs, (whole, sign: string) =>
        sign === '$' ? '$$' : sign === '\\' || sign === '"' ? sign : (escapes[sign] ?? whole),
      )
    : text;
  try {
    return substitute(ready, lookup);
  } catch (error) {
    if (error instanceof TemplateError) return failParsing(place, error.message);
    throw error;
  }
}

function cleaned(text: string, file: string): string {
  if (text.length > maxCharacters) failParsing({ file, line: null }, `larger than ${maxCharacters / 1024} KB`);
  if (/[\0\uFFFD]/.test(text)) failParsing({ file, line: null }, 'not UTF-8 text');
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function eachVariable(
  source: string,
  file: string,
  take: (variable: { key: string; value: Value | undefined; line: number }) => void,
): void {
  const text = cleaned(source, file);
  let at = 0;
  let line = 1;
  const moveTo = (next: number) => {
    line += text.slice(at, next).split('\n').length - 1;
    at = next;
  };
  let end = -1;
  while (at < text.length) {
    // Computed once per line, which may have many variables.
    if (at > end) end = lineEnd(text, at);
    const bare = text.slice(at, end).trimStart();
    if (!bare || bare.startsWith('#')) {
      moveTo(end + 1);
      continue;
    }
    const { key, rest } = assigned(bare, file, line);
    const value = rest === undefined ? undefined : valueAt(text, end - bare.length + rest, end, { file, line });
    take({ key, value, line });
    // Continues after a closing quote, as Docker Compose does.
    moveTo((value?.end ?? end) + 1);
  }
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

/** Returns the key of a line and the offset of its value: `A=1`, `export A=1`, `A: 1`, or only `A`. */
function assigned(bare: string, file: string, line: number): { key: string; rest: number | undefined } {
  const exported = /^export[ \t]+/.exec(bare)?.[0].length ?? 0;
  const sign = bare.slice(exported).search(/[=:]/);
  const key = (sign < 0 ? bare.slice(exported) : bare.slice(exported, exported + sign)).trim();
  if (/\s/.test(key)) failParsing({ file, line }, 'the name of a variable cannot contain a space');
  if (!keyPattern.test(key) || (!key && sign < 0))
    failParsing({ file, line }, `not the name of a variable: ${key.slice(0, 60)}`);
  if (!key) failParsing({ file, line }, 'a variable without a name');
  return { key, rest: sign < 0 ? undefined : exported + sign + 1 };
}

function valueAt(text: string, from: number, end: number, place: { file: string; line: number }) {
  const rest = text.slice(from, end);
  const start = from + (rest.length - rest.trimStart().length);
  const quote = text[start];
  if (quote !== '"' && quote !== "'") {
    const comment = rest.trimStart().indexOf(' #');
    const bare = comment < 0 ? rest : rest.trimStart().slice(0, comment);
    return { text: bare.trim(), quote: '' as const, end };
  }
  const close = closingQuote(text, start + 1, quote);
  if (close < 0) return failParsing(place, 'an unclosed quote');
  return { text: text.slice(start + 1, close), quote: quote as '"' | "'", end: close };
}

function closingQuote(text: string, from: number, quote: string): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return -1;
}
