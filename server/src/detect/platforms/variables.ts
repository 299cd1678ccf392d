import type { DetectFinding } from '../detect.ts';
import { shownValue } from '../facts/variables.ts';
import { isLanguage, type PlatformSettings, portNumber } from './settings.ts';

const maxVariables = 100;

/** Variables that choose the version of a language. */
const versionVariables: [RegExp, string, string][] = [
  [/^(?:NIXPACKS_)?NODE_VERSION$/, 'javascript', 'Node.js'],
  [/^(?:NIXPACKS_)?PYTHON_VERSION$/, 'python', 'Python'],
  [/^(?:NIXPACKS_)?RUBY_VERSION$/, 'ruby', 'Ruby'],
  [/^(?:NIXPACKS_)?PHP_VERSION$/, 'php', 'PHP'],
  [/^(?:NIXPACKS_)?GO_VERSION$/, 'go', 'Go'],
  [/^(?:JAVA_VERSION|NIXPACKS_JDK_VERSION)$/, 'java', 'Java'],
  [/^RUST(?:UP_TOOLCHAIN|_VERSION)$/, 'rust', 'Rust'],
  [/^ELIXIR_VERSION$/, 'elixir', 'Elixir'],
  [/^(?:NIXPACKS_CSHARP_SDK|DOTNET)_VERSION$/, 'csharp', '.NET'],
];

/** Variables of the builders themselves. */
const ofBuilder =
  /^(?:NIXPACKS_|RAILPACK_|HOST$|RENDER$|HUGO_ENABLEGITINFO$|.*(?:MAVEN|GRADLE|HUGO|ZOLA|POETRY|PNPM|YARN|NPM)_VERSION$)/;

export const languageName = (language: string): string =>
  versionVariables.find(([, each]) => isLanguage(language, each))?.[2] ?? language;

type Versions = { file: string; versions: Record<string, string> };

/** Splits the variables of all files: defaults for the app, its port, and versions of languages. */
export function sourceVariables(
  settings: readonly PlatformSettings[],
): Pick<DetectFinding, 'defaults' | 'generated' | 'variables'> & { port: number | null; versions: Versions } {
  const all = new Map<string, { file: string; value: string | null }>();
  for (const { file, variables } of settings)
    for (const [key, value] of variables ?? [])
      if (/^[A-Za-z_]\w{0,99}$/.test(key) && !all.has(key) && all.size < maxVariables) all.set(key, { file, value });
  const versions: Versions = { file: '', versions: {} };
  const defaults: NonNullable<DetectFinding['defaults']> = [];
  const variables: NonNullable<DetectFinding['variables']> = [];
  for (const [key, { file, value }] of all) {
    const [, language] = versionVariables.find(([name]) => name.test(key)) ?? [];
    if (language && value) Object.assign(versions, { file, versions: { ...versions.versions, [language]: value } });
    if (language || key === 'PORT' || ofBuilder.test(key)) continue;
    const shown = value === null ? null : defaultValue(key, value);
    if (shown !== null) defaults.push({ key, value: shown });
    variables.push({ key, example: shown });
  }
  const port = portNumber(all.get('PORT')?.value);
  const generated = [...all]
    .filter(([key, { file, value }]) => value === null && settings.some((each) => generates(each, file, key)))
    .map(([key]) => ({ key, form: 'hex' as const, unlessVariables: [key] }));
  return {
    ...(defaults.length && { defaults }),
    ...(generated.length && { generated }),
    ...(variables.length && { variables }),
    port,
    versions,
  };
}

const generates = (settings: PlatformSettings, file: string, key: string): boolean =>
  settings.file === file && (settings.generated?.includes(key) ?? false);

const elsewhere = /\.(?:fly\.dev|onrender\.com|herokuapp\.com|railway\.app|vercel\.app|netlify\.app)\b/;

/** References to other values, addresses on the platform, and secrets must be set by hand. */
const defaultValue = (key: string, value: string): string | null =>
  /^[^\0\r\n]{0,500}$/.test(value) &&
  !/\$\{|\{\{|^@/.test(value) &&
  !elsewhere.test(value) &&
  shownValue(key, value) !== null
    ? value
    : null;

/** Returns the version of the app's language in the first file that names one. */
export function versionFor(
  language: string | null,
  all: readonly Versions[],
): { file: string; version: string } | undefined {
  if (!language) return undefined;
  for (const { file, versions } of all)
    for (const [named, said] of Object.entries(versions)) {
      const version = /^v?(\d{1,4}(?:\.\d{1,4}){0,2})(?:\.x)?$/.exec(said.trim())?.[1];
      if (version && isLanguage(language, named)) return { file, version };
    }
  return undefined;
}
