export type EnvEntry = { key: string; value: string };

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/;
const closings: Record<string, RegExp> = { '"': /"((?:\\.|[^"\\])*)"/sy, "'": /'([^']*)'/y, '`': /`([^`]*)`/y };
const endOfLine = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

/** Parses a `.env` file by the usual rules: comments, quotes, `export`, multi-line values. The last of duplicate
 * names wins. */
export const parseEnvFile = (text: string): EnvEntry[] => readEnvFile(text).entries;

/** Also returns the numbers of lines that are neither variables nor comments. */
export function readEnvFile(source: string): { entries: EnvEntry[]; skipped: number[] } {
  const text = source.replaceAll('\r\n', '\n');
  const found = new Map<string, string>();
  const skipped: number[] = [];
  let number = 0;
  for (let at = 0; at < text.length;) {
    number += 1;
    const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
    const line = text.slice(at, end);
    const [, key, rest = ''] = assignment.exec(line) ?? [];
    const quoted = key === undefined ? undefined : quotedAt(text, end - rest.length);
    if (key !== undefined) found.set(key, quoted?.value ?? rest.replace(/(?:^|\s)#.*$/, '').trim());
    else if (!/^\s*(?:#|$)/.test(line)) skipped.push(number);
    if (quoted) number += text.slice(at, quoted.end).trimEnd().split('\n').length - 1;
    at = quoted?.end ?? end + 1;
  }
  return { entries: [...found].map(([key, value]) => ({ key, value })), skipped };
}

/** The quoted value that begins at `start` and ends its line; an unclosed quote is part of the value. */
function quotedAt(text: string, start: number): { value: string; end: number } | undefined {
  const quote = text.charAt(start);
  const closing = closings[quote];
  if (!closing) return undefined;
  closing.lastIndex = start;
  const value = closing.exec(text)?.[1];
  endOfLine.lastIndex = closing.lastIndex;
  if (value === undefined || !endOfLine.test(text)) return undefined;
  const unescaped = value.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
  return { value: quote === '"' ? unescaped : value, end: endOfLine.lastIndex };
}

/** Whether a variable's name suggests a secret. */
export const looksSecret = (key: string): boolean =>
  /(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PRIVATE|CREDENTIAL|API_?KEY|ACCESS_KEY|_KEY$|_DSN$|DATABASE_URL|REDIS_URL|MONGO)/i.test(
    key,
  );
