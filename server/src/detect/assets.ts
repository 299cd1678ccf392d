import type { SourceTree } from './detect.ts';
import { findPackageManager } from './node/package-manager.ts';
import { oldHashes } from './node/legacy.ts';
import { runtimeVersion } from './node/versions.ts';
import { readPackage } from './package-json.ts';

/** JavaScript assets of an app in another language. */
export interface Assets {
  command: string;
  /** The part of the command that installs packages. */
  install: string;
  /** Version of Node.js; null for the default. */
  nodeVersion: string | null;
  reasons: string[];
}

/** Returns how the assets are built; undefined if there are none or they have none of the scripts. */
export async function assetsOf(
  tree: SourceTree,
  scripts = ['build', 'production', 'prod'],
): Promise<Assets | undefined> {
  const pkg = await readPackage(tree);
  if (!pkg) return undefined;
  const script = scripts.find((name) => pkg.scripts.has(name));
  if (!script && scripts.length) return undefined;
  const { manager, warnings } = await findPackageManager(tree, pkg, { where: '' });
  const install = manager.locked ? manager.installLocked : manager.install;
  // Tools for assets are made for Node.js, also if Bun installs them.
  const runsOn = manager.name === 'bun' ? { name: 'npm', version: null } : manager;
  const nodeVersion = (await runtimeVersion([tree], [pkg], runsOn)).languageVersion ?? null;
  const command = script ? `${install} && ${oldHashes([pkg], nodeVersion)}${manager.run} ${script}` : install;
  const version = nodeVersion ? `, with Node.js ${nodeVersion}` : '';
  return {
    command,
    install,
    nodeVersion,
    reasons: [`package.json: the assets are built with \`${command}\`${version}`, ...warnings],
  };
}
