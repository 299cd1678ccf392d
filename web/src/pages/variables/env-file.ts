export type EnvEntry = { key: string; value: string };

const line =
  /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=[^\S\n]*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\n#]*?(?:[^\s\n]#[^\n]*?)*))[^\S\n]*(?:#[^\n]*)?$/gm;

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

/** The variables in the text of a `.env` file, by its usual rules: comments, quotes, `export`, values over several lines. Of two
 * with the same name the last one counts. */
export function parseEnvFile(text: string): EnvEntry[] {
  const found = new Map<string, string>();
  for (const [, key = '', double, single, backtick, plain = ''] of text.replaceAll('\r\n', '\n').matchAll(line)) {
    const quoted = double?.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
    found.set(key, quoted ?? single ?? backtick ?? plain.trim());
  }
  return [...found].map(([key, value]) => ({ key, value }));
}

/** Whether the name of a variable says that its value must not be shown. */
export const looksSecret = (key: string): boolean =>
  /(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PRIVATE|CREDENTIAL|API_?KEY|ACCESS_KEY|_KEY$|_DSN$|DATABASE_URL|REDIS_URL|MONGO)/i.test(
    key,
  );
