import type { SourceTree } from './detect.ts';
import { findPackageManager } from './node/package-manager.ts';
import { readPackage } from './package-json.ts';

/** JavaScript assets of an app in another language. */
export interface Assets {
  command: string;
  reasons: string[];
}

/** Returns how the assets are built; undefined if there are none or they need no build. */
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
