import type { SourceTree } from './detect.ts';
import { findPackageManager } from './node/package-manager.ts';
import { readPackage } from './package-json.ts';

/** The part of an app in another language that JavaScript tools make: style sheets and scripts. */
export interface Assets {
  command: string;
  reasons: string[];
}

/** How the assets are built; undefined when there are none, or when they need no build. */
export async function assetsOf(
  tree: SourceTree,
  scripts = ['build', 'production', 'prod'],
): Promise<Assets | undefined> {
  const pkg = await readPackage(tree);
  const script = scripts.find((name) => pkg?.scripts.has(name));
  if (!pkg || !script) return undefined;
  const { manager } = await findPackageManager(tree, pkg, '');
  const command = `${manager.locked ? manager.installLocked : manager.install} && ${manager.run} ${script}`;
  return { command, reasons: [`package.json: the assets are built with \`${command}\``] };
}
