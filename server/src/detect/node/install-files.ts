import type { SourceTree, Workspace } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';
import { plainPath } from '../plain-names.ts';
import { yamlScalar } from '../yaml-outline.ts';
import { lockFiles } from './package-manager.ts';

const settings = [
  'package.json',
  'package.json5',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  'bunfig.toml',
  'pnpm-workspace.yaml',
  // May contain Yarn itself, and patches of packages.
  '.yarn/',
  'patches/',
  // Its client is generated during the install.
  'prisma/',
];

// Install scripts that work without the app's source.
const selfContained =
  /^(is-ci \|\| )?((?:npx |pnpm dlx )?only-allow|husky|patch-package|simple-git-hooks|lefthook|nuxt prepare|nuxi prepare|prisma generate)\b/;

/** Returns the files that an install reads, so that other changes do not repeat it; empty if unknown. */
export async function installFiles(tree: SourceTree, pkg: PackageJson, workspace?: Workspace): Promise<string[]> {
  if (needsSource(pkg)) return [];
  const root = workspace?.tree ?? tree;
  const names = new Set(await root.list(''));
  const files = [...settings, ...lockFiles.map(([file]) => file)].filter((name) => names.has(name));
  // Yarn itself, if it is not in .yarn.
  const yarn = plainPath(yamlScalar((await root.read('.yarnrc.yml')) ?? '', 'yarnPath'));
  if (yarn && !yarn.startsWith('.yarn/')) files.push(yarn);
  if (!workspace) return files;
  const manifests = (await workspace.members()).map((member) => `${member}/package.json`);
  return [...files, ...manifests];
}

function needsSource({ scripts, allDependencies }: PackageJson): boolean {
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => scripts.get(name));
  if (hooks.some((hook) => hook !== undefined && !selfContained.test(hook))) return true;
  return [...allDependencies.values()].some((version) => /^(file|link|portal):/.test(version));
}
