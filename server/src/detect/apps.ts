import { posix } from 'node:path';
import { limitConcurrency } from '../lib/concurrency.ts';
import type { Detection, SourceTree } from './detect.ts';
import { readPackage } from './package-json.ts';
import { subTree } from './sub-tree.ts';
import { isMember, isNxApplication, readWorkspaces, workspaceFolders } from './workspaces.ts';

type Recognize = (tree: SourceTree, workspace?: SourceTree) => Promise<Partial<Detection> | undefined>;

/** The members of a monorepo that can be deployed; libraries and tools are left out. `folder` is where its root is. */
export async function findApps(tree: SourceTree, folder: string, recognize: Recognize): Promise<Partial<Detection>> {
  const root = subTree(tree, folder);
  const workspaces = await readWorkspaces(root);
  if (!workspaces) return {};
  const limit = limitConcurrency(8);
  const members = await workspaceFolders(root, workspaces);
  const looks = members.map((member) => limit(() => lookAt(root, member, recognize)));
  const apps = (await Promise.all(looks)).filter((app) => app !== undefined);
  const names = apps.map((app) => app.rootDirectory).join(', ');
  return {
    apps: apps.map((app) => ({ ...app, rootDirectory: posix.join(folder, app.rootDirectory) })),
    reasons: [`${workspaces.file}: a monorepo${names ? ` with ${names}` : ' without apps that can be deployed'}`],
  };
}

/** The root of the monorepo that a folder is a member of, nearest first. */
export async function findWorkspace(tree: SourceTree, folder: string): Promise<SourceTree | undefined> {
  const parts = folder.split('/').filter(Boolean);
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const root = subTree(tree, parts.slice(0, depth).join('/'));
    const workspaces = await readWorkspaces(root);
    if (workspaces && isMember(parts.slice(depth).join('/'), workspaces.patterns)) return root;
  }
  return undefined;
}

async function lookAt(root: SourceTree, rootDirectory: string, recognize: Recognize) {
  const member = subTree(root, rootDirectory);
  const pkg = await readPackage(member);
  const name = pkg?.name ?? posix.basename(rootDirectory);
  if (!pkg) return (await isNxApplication(root, rootDirectory)) ? { name, rootDirectory, framework: null } : undefined;
  const found = await recognize(member, root);
  const framework = found?.framework ?? null;
  if (!found?.startCommand && !found?.outputDirectory) return undefined;
  // A library has an entry as well; only a script says that it is meant to be started.
  return framework === 'node' && !pkg.scripts.has('start') ? undefined : { name, rootDirectory, framework };
}
