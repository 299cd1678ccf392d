import type { SourceTree } from '../detect.ts';
import { type PackageJson, readPackage } from '../package-json.ts';
import { plainPath } from '../plain-names.ts';
import { subTree } from '../sub-tree.ts';
import { calledScripts } from './script-tools.ts';

/**
 * Packages that fail on newer versions of Node.js: webpack 4 and its users call a hash function that OpenSSL 3 lacks,
 * gulp 3 uses removed internals, and some native modules do not compile. By highest major version.
 */
const limits: Record<string, [upTo: number, node: string][]> = {
  '@angular/core': [
    [8, '12'],
    [12, '14'],
    [14, '16'],
  ],
  '@rails/webpacker': [[5, '16']],
  '@vue/cli-service': [[4, '16']],
  'better-sqlite3': [
    [7, '18'],
    [8, '20'],
  ],
  gatsby: [[3, '16']],
  gridsome: [[0, '14']],
  grpc: [[1, '14']],
  gulp: [[3, '10']],
  'laravel-elixir': [[6, '10']],
  'laravel-mix': [
    [3, '14'],
    [5, '16'],
  ],
  next: [[10, '16']],
  'node-sass': [
    [4, '14'],
    [7, '16'],
    [8, '18'],
    [9, '20'],
  ],
  nuxt: [[2, '16']],
  'parcel-bundler': [[1, '16']],
  'preact-cli': [[3, '16']],
  'react-scripts': [[4, '16']],
  vuepress: [[1, '16']],
  webpack: [[4, '16']],
};

/** Returns a package, and those in other folders that its scripts build: `npm run build --prefix client`. */
export async function builtPackages(tree: SourceTree, pkg: PackageJson): Promise<[PackageJson, ...PackageJson[]]> {
  const scripts = calledScripts(pkg.scripts).join('\n');
  const named = scripts.matchAll(/(?:--prefix|--cwd|--dir|\bcd|\s-C)[ =](?:\.\/)?([\w./-]{1,100})/g);
  const folders = new Set([...named].flatMap(([, folder]) => plainPath(folder) || []).slice(0, 10));
  const others = await Promise.all([...folders].map((folder) => readPackage(subTree(tree, folder))));
  return [pkg, ...others.filter((each) => each !== undefined)];
}

/** Returns the newest version of Node.js that all dependencies work with, and the one that sets it. */
export function newestNode(packages: PackageJson[]): { version: string; because: string } | undefined {
  const found = packages.flatMap(({ allDependencies, scripts }) => {
    // Such a script needs Node.js 17, and works around the missing hash function.
    if ([...scripts.values()].some((script) => script.includes('--openssl-legacy-provider'))) return [];
    return Object.entries(limits).flatMap(([name, steps]) => {
      const major = majorOf(allDependencies.get(name));
      const version = steps.find(([upTo]) => major !== undefined && major <= upTo)?.[1];
      return version ? [{ version, because: `${name} ${major}` }] : [];
    });
  });
  return found.sort((a, b) => Number(a.version) - Number(b.version))[0];
}

/** Enables the hash functions that OpenSSL 3 has disabled, if the source asks for Node.js 17 or later all the same. */
export const oldHashes = (packages: PackageJson[], node: string | null): string =>
  Number(newestNode(packages)?.version ?? 22) < 17 && Number.parseInt(node ?? '22', 10) >= 17
    ? 'NODE_OPTIONS=--openssl-legacy-provider '
    : '';

const majorOf = (range: string | undefined): number | undefined => {
  const major = /^[\^~=v\s]*(\d{1,4})(?:\.|$)/.exec(range ?? '')?.[1];
  return major === undefined ? undefined : Number(major);
};
