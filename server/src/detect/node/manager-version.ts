import type { SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import type { PackageJson } from '../package-json.ts';
import { childRecord } from '../records.ts';
import { pickVersion, type VersionLine } from '../version-range.ts';
import { topLevelKeys, yamlScalar } from '../yaml-outline.ts';

const lines: Record<string, VersionLine> = {
  npm: { language: 'npm', known: ['11', '10', '9', '8'], preferred: '10' },
  pnpm: { language: 'pnpm', known: ['11', '10', '9', '8', '7'], preferred: '10' },
  yarn: { language: 'Yarn', known: ['4', '3', '2', '1'], preferred: '4' },
  bun: { language: 'Bun', known: ['1'], preferred: '1' },
};

/** Returns the version of the package manager from package.json or the lock file; null if unknown. */
export async function wantedVersion(tree: SourceTree, pkg: PackageJson, name: string): Promise<string | null> {
  const locked = (await byLockFile[name]?.(tree)) ?? null;
  const line = { ...lines[name]!, ...(locked && { preferred: locked }) };
  // A checksum follows the plus.
  const field = pkg.packageManager?.startsWith(`${name}@`) ? pkg.packageManager.slice(name.length + 1) : undefined;
  for (const wanted of [field?.replace(/\+.*$/, ''), pkg.tools.get(name), pkg.engines.get(name)]) {
    const version = wanted ? pickVersion(wanted, line) : undefined;
    if (version) return version;
  }
  return locked;
}

/** First versions of pnpm that need a newer Node.js. */
const pnpmNode: [pnpm: number, node: number][] = [
  [11, 22],
  [9, 18],
  [8, 16],
  [7, 14],
];

/** Returns the oldest version of Node.js that a package manager runs on. */
export function oldestNode({ name, version }: { name: string; version: string | null }): number {
  const major = Number.parseInt(version ?? lines['pnpm']!.preferred, 10);
  return name === 'pnpm' ? (pnpmNode.find(([from]) => major >= from)?.[1] ?? 0) : 0;
}

/** Returns the usual pnpm, or an older one that runs on a version of Node.js. */
export const pnpmFor = (node: string | null): string => {
  const { preferred, known } = lines['pnpm']!;
  const runs = (version: string) => oldestNode({ name: 'pnpm', version }) <= Number.parseInt(node ?? '22', 10);
  return [preferred, ...known].find(runs) ?? '6';
};

/** The format of a lock file says which versions write it; others would change it. */
const byLockFile: Record<string, (tree: SourceTree) => Promise<string | null>> = {
  pnpm: async (tree) => {
    const start = ((await tree.read('pnpm-lock.yaml')) ?? '').slice(0, 500);
    const format = Number(/^lockfileVersion:\s*['"]?(\d+)/m.exec(start)?.[1] ?? 9);
    return { 5: '7', 6: '8', 9: (await isForPnpm10(tree)) ? '10' : '9' }[format] ?? null;
  },
  yarn: async (tree) => {
    const format = /^__metadata:\r?\n {2}version: ['"]?(\d+)/m.exec((await tree.read('yarn.lock')) ?? '')?.[1];
    const versions: Record<number, string> = { 4: '3.0.2', 5: '3.1.1', 6: '3', 8: '4.13.0', 9: '4.14.1' };
    return format === undefined ? null : (versions[Number(format)] ?? '4');
  },
};

// Settings of pnpm-workspace.yaml that pnpm 9 knows.
const early = ['packages', 'catalog', 'catalogs'];

/**
 * pnpm 9 and 10 share a format. Since version 10 only listed packages run their install scripts, so a source without
 * such a list expects version 9.
 */
async function isForPnpm10(tree: SourceTree): Promise<boolean> {
  const settings = await tree.read('pnpm-workspace.yaml');
  const keys = settings === undefined ? early : topLevelKeys(settings);
  if (!keys.includes('packages') || keys.some((key) => !early.includes(key))) return true;
  const { pnpm } = await readJson(tree, 'package.json');
  return ['onlyBuiltDependencies', 'ignoredBuiltDependencies', 'neverBuiltDependencies', 'allowBuilds'].some((key) =>
    Object.hasOwn(childRecord(pnpm), key),
  );
}

/** Returns a published version: the package with Yarn 2 and later lacks some. */
export async function publishedYarn(tree: SourceTree, version: string): Promise<string> {
  // The source brings its own Yarn, which the installed one calls. Yarn 4 would refuse old versions of Node.js.
  if (yamlScalar((await tree.read('.yarnrc.yml')) ?? '', 'yarnPath')) return /^[23](\.|$)/.test(version) ? '3' : '4';
  if (/^2(\.|$)/.test(version)) return '2.4.2';
  return { '3.8.4': '3.8.5', '4.10.0': '4.10.1' }[version] ?? version;
}
