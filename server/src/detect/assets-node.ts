import type { SourceTree } from './detect.ts';
import { runtimeVersion } from './node/versions.ts';
import type { PackageJson } from './package-json.ts';
import { allows } from './version-range.ts';

/** Tools whose older releases need an older Node.js: releases in the range need the version. */
const elders: [tool: string, range: string, node: string][] = [
  ['laravel-elixir', '*', '10'],
  ['gulp', '<4', '10'],
  ['node-sass', '<5', '14'],
  ['laravel-mix', '<4', '14'],
  ['@rails/webpacker', '<5.2', '14'],
  ['node-sass', '<7', '16'],
  ['laravel-mix', '<6', '16'],
  ['@rails/webpacker', '<6', '16'],
  ['webpack', '<5', '16'],
];

/** Returns the version of Node.js that builds the assets of an app in another language; null for the default. */
export async function nodeForAssets(tree: SourceTree, pkg: PackageJson): Promise<string | null> {
  const { languageVersion } = await runtimeVersion([tree], pkg, false);
  if (languageVersion) return languageVersion;
  const elder = elders.find(([tool, range]) => {
    const release = /\d{1,4}(\.\d{1,4}){0,2}/.exec(pkg.allDependencies.get(tool) ?? '')?.[0];
    return release !== undefined && allows(range, [...release.split('.'), '0', '0'].slice(0, 3).join('.'), {});
  });
  return elder?.[2] ?? null;
}
