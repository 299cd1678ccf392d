import type { SourceTree, Workspace } from '../detect.ts';
import { readPackage, type PackageJson } from '../package-json.ts';
import { plainPath } from '../plain-names.ts';
import { subTree } from '../sub-tree.ts';
import { readWorkspaces, workspaceMembers } from '../workspaces.ts';
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

/**
 * Returns the files that an install reads, so that other changes do not repeat it; empty if unknown. In a workspace,
 * that includes the package.json of every member.
 */
export async function installFiles(tree: SourceTree, pkg: PackageJson, workspace?: Workspace): Promise<string[]> {
  const root = workspace?.tree ?? tree;
  const { patterns = [] } = (await readWorkspaces(root)) ?? {};
  const members = await workspaceMembers(root, patterns, 'package.json');
  const packages = await Promise.all(members.map((member) => readPackage(subTree(root, member))));
  if ([pkg, ...packages].some((each) => each && needsSource(each))) return [];
  const names = new Set(await root.list(''));
  const files = [...settings, ...lockFiles.map(([file]) => file)].filter((name) => names.has(name));
  // Yarn itself, if it is not in .yarn.
  const yarn = plainPath(yamlScalar((await root.read('.yarnrc.yml')) ?? '', 'yarnPath'));
  if (yarn && !yarn.startsWith('.yarn/')) files.push(yarn);
  return [...files, ...members.map((member) => `${member}/package.json`)];
}

function needsSource({ scripts, allDependencies }: PackageJson): boolean {
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => scripts.get(name));
  if (hooks.some((hook) => hook !== undefined && !selfContained.test(hook))) return true;
  return [...allDependencies.values()].some((version) => /^(file|link|portal):/.test(version));
}
