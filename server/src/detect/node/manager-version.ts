import type { SourceTree } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';
import { pickVersion, type VersionLine } from '../version-range.ts';

const lines: Record<string, VersionLine> = {
  npm: { language: 'npm', known: ['11', '10', '9', '8'], preferred: '10' },
  pnpm: { language: 'pnpm', known: ['10', '9', '8', '7'], preferred: '10' },
  yarn: { language: 'Yarn', known: ['4', '3', '2', '1'], preferred: '4' },
  bun: { language: 'Bun', known: ['1'], preferred: '1' },
};

/** Returns the version of the package manager from package.json or the lock file; null if unknown. */
export async function wantedVersion(tree: SourceTree, pkg: PackageJson, name: string): Promise<string | null> {
  // A checksum follows the plus.
  const field = pkg.packageManager?.startsWith(`${name}@`) ? pkg.packageManager.slice(name.length + 1) : undefined;
  for (const wanted of [field?.replace(/\+.*$/, ''), pkg.tools.get(name), pkg.engines.get(name)]) {
    const version = wanted ? pickVersion(wanted, lines[name]!) : undefined;
    if (version) return version;
  }
  return name === 'pnpm' ? await byLockFile(tree) : null;
}

/** pnpm 9 and 10 share a format, which older versions cannot read; older formats need their own version. */
async function byLockFile(tree: SourceTree): Promise<string | null> {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(((await tree.read('pnpm-lock.yaml')) ?? '').slice(0, 500))?.[1];
  return { 5: '7', 6: '8', 9: '10' }[Number(format)] ?? null;
}
