import type { SourceTree } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';
import { isRecord } from '../package-json.ts';
import type { PackageManager } from './package-manager.ts';

/** A folder with a package.json, as the rules for frameworks see it. */
export interface NodeApp {
  tree: SourceTree;
  /** Names in the folder. */
  names: Set<string>;
  pkg: PackageJson;
  manager: PackageManager;
}

/** Text of the first of a tool's configuration files, without comments: `configText(app, 'vite.config')`. */
export async function configText({ tree, names }: NodeApp, ...stems: string[]): Promise<string> {
  const endings = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];
  const name = stems.flatMap((stem) => endings.map((ending) => stem + ending)).find((each) => names.has(each));
  return withoutComments(name ? ((await tree.read(name)) ?? '') : '');
}

/** The value of `key: 'value'`. Configuration is code, and we do not run strangers' code to look at it. */
export const configValue = (text: string, key: string): string | undefined =>
  new RegExp(`\\b${key}\\s*:\\s*(['"\`])([^'"\`\\n]{1,200})\\1`).exec(text)?.[2];

export const configFlag = (text: string, key: string, flag: boolean): boolean =>
  new RegExp(`\\b${key}\\s*:\\s*${flag}\\b`).test(text);

/** The value of `--outDir dist` or `--outDir=dist` in a script. */
export const optionValue = (script: string | undefined, ...options: string[]): string | undefined => {
  const words = (script ?? '').split(/[\s=]+/);
  const at = words.findIndex((word) => options.includes(word));
  return at < 0 ? undefined : words[at + 1]?.replace(/^(["'])(.*)\1$/, '$2');
};

export async function readJson(tree: SourceTree, path: string): Promise<Record<string, unknown>> {
  const text = await tree.read(path);
  try {
    const json: unknown = JSON.parse(withoutComments(text ?? '{}'));
    return isRecord(json) ? json : {};
  } catch {
    // The tool itself will say so better than we could; its defaults are as good a guess as any.
    return {};
  }
}

/** `child(json, 'a', 'b')` is `json.a.b` if there is such a record. */
export const child = (json: unknown, ...keys: string[]): Record<string, unknown> =>
  keys.reduce<Record<string, unknown>>(
    (at, key) => (Object.hasOwn(at, key) && isRecord(at[key]) ? at[key] : {}),
    isRecord(json) ? json : {},
  );

// Strings are stepped over, because a glob in one looks like a comment. Each part may end with the text, which keeps
// this linear whatever the file has.
const parts = /("(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`(?:\\[^]|[^`\\])*`?)|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*/g;

const withoutComments = (text: string) => text.replace(parts, '$1');
