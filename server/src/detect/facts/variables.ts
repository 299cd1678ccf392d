import type { Detection, SourceTree } from '../detect.ts';

const names = ['.env.example', '.env.sample', '.env.template', '.env.dist', 'env.example'];
const maxVariables = 300;

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
  const name = names.find((each) => present.has(each));
  const variables = name ? parse((await tree.read(name)) ?? '') : [];
  if (!name || !variables.length) return {};
  return { variables, reasons: [`${name}: ${variables.length} variable${variables.length === 1 ? '' : 's'}`] };
}

function parse(text: string): Detection['variables'] {
  const found = new Map<string, string | null>();
  for (const line of text.split(/\r?\n/).filter((each) => each.length < 2000)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line);
    if (match && found.size < maxVariables) found.set(match[1]!, example(match[1]!, value(match[2]!)));
  }
  return [...found].map(([key, shown]) => ({ key, example: shown }));
}

const value = (raw: string) => /^(["'`])(.*?)\1/.exec(raw)?.[2] ?? raw.replace(/(^|\s+)#.*$/, '').trim();

const example = (key: string, shown: string) =>
  shown === '' || shown.length > 200 || secretKey.test(key) || secretValue.some((rule) => rule.test(shown))
    ? null
    : shown;
