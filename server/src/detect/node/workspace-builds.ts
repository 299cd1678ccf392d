import { posix } from 'node:path';
import type { Workspace } from '../detect.ts';
import { readPackage, type PackageJson } from '../package-json.ts';
import { subTree } from '../sub-tree.ts';
import type { NodeApp } from './app.ts';

const plainPackage = /^(?:@[\w.-]{1,100}\/)?\w[\w.-]{0,100}$/;
const maxBuilds = 30;

/** Runs the build script of another member. */
const buildOf: Record<string, (name: string) => string> = {
  npm: (name) => `npm run build --workspace=${name}`,
  pnpm: (name) => `pnpm --filter=${name} run build`,
  yarn: (name) => `yarn workspace ${name} run build`,
  bun: (name) => `bun run --filter=${name} build`,
};

/** Returns the builds of the members that the app depends on, in their order. */
export async function dependencyBuilds({ pkg, manager }: NodeApp, workspace: Workspace | undefined): Promise<string[]> {
  if (!workspace || !pkg.allDependencies.size) return [];
  const members = await packagesOf(workspace);
  const seen = new Set([pkg.name ?? '']);
  const ordered: string[] = [];
  const visit = (from: PackageJson) => {
    for (const name of from.allDependencies.keys()) {
      const member = members.get(name);
      if (!member || seen.has(name)) continue;
      seen.add(name);
      visit(member);
      if (member.scripts.has('build') && plainPackage.test(name)) ordered.push(name);
    }
  };
  visit(pkg);
  return ordered.slice(0, maxBuilds).map((name) => buildOf[manager.name]!(name));
}

const known = new WeakMap<Workspace, Promise<Map<string, PackageJson>>>();

function packagesOf(workspace: Workspace): Promise<Map<string, PackageJson>> {
  const before = known.get(workspace);
  if (before) return before;
  const now = readAll(workspace);
  known.set(workspace, now);
  return now;
}

async function readAll({ tree, members }: Workspace): Promise<Map<string, PackageJson>> {
  const found = new Map<string, PackageJson>();
  for (const folder of await members()) {
    const pkg = await readPackage(subTree(tree, posix.normalize(folder)));
    if (pkg?.name) found.set(pkg.name, pkg);
  }
  return found;
}
