import { posix } from 'node:path';
import { limitConcurrency } from '../lib/concurrency.ts';
import type { DetectFinding, SourceTree, Workspace } from './detect.ts';
import { composeNames } from './facts/compose.ts';
import { readPackage } from './package-json.ts';
import { subTree } from './sub-tree.ts';
import { isMember, readWorkspaces, workspaceFolders, type Workspaces } from './workspaces.ts';

type Recognize = (tree: SourceTree, workspace?: Workspace) => Promise<DetectFinding | undefined>;
type App = { name: string; rootDirectory: string; framework: string | null };

/** Folders that often contain several apps. */
const collections = ['apps', 'services', 'packages', 'projects'];
const maxFolders = 60;

/** Returns the deployable members of a monorepo, without libraries and tools. `folder` is its root. */
export async function findApps(tree: SourceTree, folder: string, recognize: Recognize): Promise<DetectFinding> {
  const root = subTree(tree, folder);
  const workspaces = await readWorkspaces(root);
  if (!workspaces) return {};
  const workspace = workspaceOf(root, folder, workspaces);
  const apps = await lookAtAll(await workspace.members(), (member) => lookAtMember(workspace, member, recognize));
  return listed(folder, apps, `${workspaces.file}: a monorepo`, ' without apps to deploy');
}

/**
 * Returns apps in subfolders of a source without an app at its root or a workspace, such as `backend` and `frontend`.
 */
export async function findScattered(tree: SourceTree, folder: string, recognize: Recognize): Promise<DetectFinding> {
  const root = subTree(tree, folder);
  const folders: string[] = [];
  const own = await root.list('');
  // Compose files below the one of the root are parts or variants of it.
  const isStack = composeNames.some((name) => own.includes(name));
  const signs = ['Dockerfile', ...(isStack ? [] : composeNames)];
  for (const name of foldersOf(own)) {
    if (!collections.includes(name)) folders.push(name);
    else for (const inner of foldersOf(await root.list(name))) folders.push(posix.join(name, inner));
  }
  const apps = await lookAtAll(folders.slice(0, maxFolders), async (member) => {
    const found = await recognize(subTree(root, member));
    // A page in a subfolder is usually documentation or a sample.
    const isMeant = found?.framework !== 'static' || /(^|\/)(frontend|client|web|website|site|www)$/.test(member);
    if (found && canRun(found) && isMeant) return described(member, member, found);
    const names = await root.list(member);
    return signs.some((name) => names.includes(name)) ? described(member, member, {}) : undefined;
  });
  return apps.length ? listed(folder, apps, 'There is no app at the root, but in these folders', '') : {};
}

/** Returns the nearest monorepo root that a folder is a member of. */
export async function findWorkspace(tree: SourceTree, folder: string): Promise<Workspace | undefined> {
  const parts = folder.split('/').filter(Boolean);
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const at = parts.slice(0, depth).join('/');
    const root = subTree(tree, at);
    const workspaces = await readWorkspaces(root);
    if (workspaces && isMember(parts.slice(depth).join('/'), workspaces.patterns))
      return workspaceOf(root, at, workspaces);
  }
  return undefined;
}

function workspaceOf(tree: SourceTree, folder: string, workspaces: Workspaces): Workspace {
  let members: Promise<string[]> | undefined;
  return { tree, folder, members: () => (members ??= workspaceFolders(tree, workspaces)) };
}

/** Whether it is known how to start or serve it. */
export const canRun = (found: DetectFinding | undefined): boolean =>
  Boolean(found?.startCommand) || typeof found?.outputDirectory === 'string';

async function lookAtMember(workspace: Workspace, folder: string, recognize: Recognize): Promise<App | undefined> {
  const member = subTree(workspace.tree, folder);
  const found = await recognize(member, workspace);
  if (!found || !canRun(found)) return undefined;
  const pkg = await readPackage(member);
  // A library has an entry file as well; only a start script marks an app.
  if ((found.framework === 'node' || found.framework === 'bun') && pkg && !pkg.scripts.has('start')) return undefined;
  return described(pkg?.name ?? posix.basename(folder), folder, found);
}

const described = (name: string, rootDirectory: string, { framework, language }: DetectFinding): App => ({
  name,
  rootDirectory,
  framework: framework ?? language ?? null,
});

async function lookAtAll(folders: string[], look: (folder: string) => Promise<App | undefined>): Promise<App[]> {
  const limit = limitConcurrency(8);
  const apps = await Promise.all(folders.map((folder) => limit(() => look(folder))));
  return apps.filter((app) => app !== undefined);
}

const foldersOf = (names: string[]) =>
  names
    .filter((name) => name.endsWith('/') && !/^(\.|_|node_modules\/|vendor\/|docs?\/|tests?\/|examples?\/)/.test(name))
    .map((name) => name.slice(0, -1));

function listed(folder: string, apps: App[], what: string, none: string): DetectFinding {
  const names = apps.map((app) => app.rootDirectory).join(', ');
  return {
    apps: apps.map((app) => ({ ...app, rootDirectory: posix.join(folder, app.rootDirectory) })),
    reasons: [`${what}${names ? ` with ${names}` : none}`.replace('folders with', 'folders:')],
  };
}
