import type { SourceTree } from '../detect.ts';
import { withoutComments } from '../json.ts';
import type { PackageJson } from '../package-json.ts';
import type { PackageManager } from './package-manager.ts';

/** A folder with a package.json. */
export interface NodeApp {
  tree: SourceTree;
  /** Names in the folder. */
  names: Set<string>;
  pkg: PackageJson;
  /** It and the packages in other folders that its scripts build. */
  built: PackageJson[];
  manager: PackageManager;
  /** Version of Node.js, if the source names one. */
  version: string | null;
}

/** Names of build scripts, if the framework has none of its own. */
export const buildScripts = ['build', 'build:prod', 'build:production', 'heroku-postbuild', 'gcp-build'];

/** Returns the text of the first config file of a tool, without comments: `configText(app, 'vite.config')`. */
export async function configText({ tree, names }: NodeApp, ...stems: string[]): Promise<string> {
  const endings = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];
  const name = stems.flatMap((stem) => endings.map((ending) => stem + ending)).find((each) => names.has(each));
  return withoutComments(name ? ((await tree.read(name)) ?? '') : '');
}

/** Returns the value of `key: 'value'`. Configuration is code, which is not executed. */
export const configValue = (text: string, key: string): string | undefined =>
  new RegExp(`\\b${key}\\s*:\\s*(['"\`])([^'"\`\\n]{1,200})\\1`).exec(text)?.[2];

export const configFlag = (text: string, key: string, flag: boolean): boolean =>
  new RegExp(`\\b${key}\\s*:\\s*${flag}\\b`).test(text);

/** Returns the value of `--outDir dist` or `--outDir=dist` in a script. */
export const optionValue = (script: string | undefined, ...options: string[]): string | undefined => {
  const words = (script ?? '').split(/[\s=]+/);
  const at = words.findIndex((word) => options.includes(word));
  return at < 0 ? undefined : words[at + 1]?.replace(/^(["'])(.*)\1$/, '$2');
};

/** Whether a dependency has a major version: `hasMajor(app, 'nuxt', 2)`. */
export const hasMajor = ({ pkg }: NodeApp, name: string, major: number): boolean =>
  new RegExp(`^[\\^~=v\\s]*${major}(\\.|$)`).test(pkg.allDependencies.get(name) ?? '');
