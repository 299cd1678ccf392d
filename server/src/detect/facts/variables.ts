import type { Detection, SourceTree } from '../detect.ts';

const endings = ['example', 'sample', 'template', 'dist', 'default', 'defaults'];
const maxVariables = 300;

/** Returns the usual names of the file that people copy to this one: `.env.example` or `example.env` for `.env`. */
export function exampleNames(name: string): string[] {
  const beside = endings.flatMap((ending) => [`${name}.${ending}`, `${name}-${ending}`, `${name}_${ending}`]);
  if (!/^\.?env(\.|$)|\.env$/.test(name)) return beside;
  // `example.env` for `.env`, `db.env.example` or `example.db.env` for `.db.env`.
  const bare = name.replace(/^\./, '');
  const turned = endings.flatMap((ending) => [`${bare}.${ending}`, `${ending}.${bare}`, `.${ending}.${bare}`]);
  const usual = endings.map((ending) => `.env.${ending}`);
  return [...new Set([...beside, ...turned, ...(name.startsWith('.env') || name === 'stack.env' ? usual : [])])];
}

const secretKey =
  /secret|token|passw|pwd|passphrase|private|credential|salt|auth|cert|signature|dsn|(^|_)key$|api_?key/i;
// Credentials in a URL, or random text: long, without spaces, with letters and digits.
const secretValue = [
  /:\/\/[^/\s@]*:[^/\s@]+@/,
  /^(?=.*[a-z])(?=.*\d)[\w+/=.-]{20,}$/i,
  /-----BEGIN /,
  /^(sk|pk|ghp|xox\w)[_-]/,
];

/** Returns the variables of the example file. Values that look like secrets are omitted. */
export async function findVariables(tree: SourceTree): Promise<Partial<Detection>> {
  const present = new Set(await tree.list(''));
  const name = ['.env', 'stack.env', '.env.production'].flatMap(exampleNames).find((each) => present.has(each));
  const variables = name ? parse((await tree.read(name)) ?? '') : [];
  if (!name || !variables.length) return {};
  return { variables, reasons: [`${name}: ${variables.length} variable${variables.length === 1 ? '' : 's'}`] };
}

function parse(text: string): Detection['variables'] {
  const found = new Map<string, string | null>();
  for (const line of text.split(/\r?\n/).filter((each) => each.length < 2000)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line);
    if (match && found.size < maxVariables) found.set(match[1]!, shownValue(match[1]!, value(match[2]!)));
  }
  return [...found].map(([key, shown]) => ({ key, example: shown }));
}

const value = (raw: string) => /^(["'`])(.*?)\1/.exec(raw)?.[2] ?? raw.replace(/(^|\s+)#.*$/, '').trim();

const isSecret = (key: string, shown: string): boolean =>
  secretKey.test(key) || secretValue.some((rule) => rule.test(shown));

/** Returns a value that may be shown; null if it is empty or looks like a secret. */
export const shownValue = (key: string, shown: string): string | null =>
  shown === '' || shown.length > 200 || isSecret(key, shown) ? null : shown;

const placeholder = /^<.*>$|change.?(me|it|this)|^your[-_ ]|replace[-_ ]?(me|this|with)|^x{3,}$|^\.{3}$/i;
// `AUTH_URL=http://web`, `CERT_PATH=./cert.pem`, `TOKEN_LIFETIME=30` and `SECRET_CHECK=true` are settings.
const plainSetting = /^(true|false|yes|no|on|off|none|null|-?\d{1,6}|([a-z]{1,8}:\/|\.{0,2})\/[\w.:-]+(\/[\w./-]*)?)$/i;

/** Whether a value of an example must not be used as it is: a secret that everybody knows, or a placeholder. */
export const isExampleOnly = (key: string, shown: string): boolean =>
  placeholder.test(shown) || (isSecret(key, shown) && !plainSetting.test(shown));
