import { redactor } from '../../../lib/redact.ts';

const secretKey = /SECRET|TOKEN|PASS|KEY|CREDENTIAL|DSN|PRIVATE|AUTH|COOKIE|SALT|.PWD|CONNECTION_?STRING|WEBHOOK/i;

// Quantifiers are bounded, so that no text takes long.
const secretValues = [
  // A URL with a password.
  /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@]{0,200}:[^\s@]{1,500}@/i,
  /(?:^|[;&?,\s])(?:password|passwd|pwd|secret|token|api_?key|account_?key|shared_?access_?key)=[^;&\s]/i,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  /^eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*$/,
  /^(?:gh[pousr]_|github_pat_|glpat-|sk[-_]|rk_live_|xox[abprs]-|AKIA[0-9A-Z]{12}|AIza|SG\.|npm_|dop_v1_|hf_|mrg_pat_)/,
  // Long and random: a key, a digest, random bytes.
  /^(?=[^\s]*\d)(?=[^\s]*[a-z])[A-Za-z0-9+_-]{32,}={0,2}$/i,
];
// Longer values are not searched, but redacted.
const mostLooked = 4000;

/** Whether to redact a value, by its name or its form. Prefers false positives. */
export function looksSecret(key: string, value: string): boolean {
  if (!value) return false;
  if (secretKey.test(key.slice(0, 500)) || value.length > mostLooked) return true;
  return secretValues.some((pattern) => pattern.test(value));
}

export const hiddenMark = '[hidden]';
const secretFlag = /^--?[\w.-]{0,60}(?:pass|secret|token|key|credential|auth)[\w.-]{0,60}$/i;

/** Redacts secrets in the words of a command, by form and by known values. */
export function withoutSecrets(words: readonly string[], known: readonly string[]): string[] {
  const redact = redactor([...known]);
  let isNext = false;
  return words.map((word) => {
    const isSecret = isNext;
    isNext = secretFlag.test(word);
    if (isSecret && !word.startsWith('-')) return hiddenMark;
    const [, name, value] = /^([^=]{1,130})=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && value && (secretFlag.test(name) || looksSecret(name, value)))
      return `${name}=${hiddenMark}`;
    return looksSecret('', word) ? hiddenMark : redact(word);
  });
}

/** Redacts secrets in labels; their names stay. */
export function labelsWithoutSecrets(
  labels: Readonly<Record<string, string>>,
  known: readonly string[],
): Record<string, string> {
  const redact = redactor([...known]);
  const hidden = ([key, value]: [string, string]) =>
    [key, looksSecret(key, value) ? hiddenMark : redact(value)] as const;
  return Object.fromEntries(Object.entries(labels).map(hidden));
}
