import { folderBytes } from '../../../lib/tree-size.ts';
import { chmod, chown, lchown, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import { passableFolder } from '../../../lib/passable-folder.ts';
import type { BuiltFolder } from '../model/built.ts';
import { StepError } from '../model/model.ts';
import { lendPackages } from './packages/npm-cache.ts';
import { withSource } from '../contents/source.ts';
import { scriptsIn } from './toolchain/command-words.ts';
import { commandFailed, runCommand } from './command.ts';
import { fixHint } from './fix-hint.ts';
import { hasNothingToInstall } from './empty-install.ts';
import { chooseTools, openTools, type OpenedTools } from './toolchain/toolchain.ts';
import { isRootSite, type Recipe } from '../model/recipe.ts';
import type { StepContext } from '../model/step.ts';
import { mooringFile } from '../stack/mooring-file.ts';

/**
 * Runs the install and build commands in the release's folder, as the project's own user if the service can switch
 * users.
 */
export async function buildFolder(context: StepContext, recipe: Recipe): Promise<BuiltFolder> {
  const { parts, deployment, config } = context;
  const folder = parts.folders.release(deployment.artifactId);
  const user = needsProcess(recipe) ? await parts.userOf(deployment.projectId) : null;
  const home = parts.folders.home(deployment.projectId);
  await passableFolder(parts.folders.homes());
  await mkdir(home, { recursive: true, mode: 0o700 });
  await makeExecutable(folder, config.rootDirectory, recipe);
  if (user) {
    await chown(home, user.uid, user.gid);
    // Other users must not read the project's code.
    await chmod(folder, 0o700);
    await chownTree(folder, user);
  }
  const tools = needsProcess(recipe) ? await chooseTools(context, recipe) : [];
  const toolchain = await openTools(parts, recipe, tools, context.signal);
  await withPackages(context, user, () => runCommands(context, recipe, { user, toolchain }));
  const site = recipe.outputDirectory === null ? null : join(config.rootDirectory, recipe.outputDirectory);
  const takenBytes = await folderBytes(folder);
  if (site === null) return { kind: 'folder', site, bytes: takenBytes, ...(tools.length && { tools }) };
  const kept = await requireSite(folder, join(folder, site), recipe.outputDirectory!);
  // `mooring deploy` writes it.
  if (isRootSite(recipe)) await rm(join(kept, mooringFile), { recursive: true, force: true });
  return { kind: 'folder', site, bytes: await folderBytes(kept), takenBytes };
}

/** Uploads from Windows and some archives lose the executable bit of `./gradlew` and `bin/rails`. */
async function makeExecutable(folder: string, rootDirectory: string, recipe: Recipe): Promise<void> {
  for (const path of scriptsIn(recipe))
    await withSource(folder, join(rootDirectory, path), async (opened) => {
      if (opened?.kind === 'file') await opened.file.chmod(0o755);
    });
}

/** The organization's package cache only saves time, so a failure to use it is a warning. */
async function withPackages(
  { parts: { folders }, deployment, config, log }: StepContext,
  user: AppUser | null,
  act: () => Promise<void>,
): Promise<void> {
  const { organizationId, projectId } = deployment;
  const release = folders.release(deployment.artifactId);
  const sources = [...new Set([release, join(release, config.rootDirectory)])];
  const tell = (error: Error) => log(`The package cache of the organization was not used: ${error.message}`, 'warn');
  const store = await lendPackages({ folders, organizationId, projectId, user }, sources).catch(tell);
  try {
    await act();
  } finally {
    await store?.().catch(tell);
  }
}

async function runCommands(
  context: StepContext,
  recipe: Recipe,
  { user, toolchain }: { user: AppUser | null; toolchain: OpenedTools },
): Promise<void> {
  const { parts, deployment, config } = context;
  for (const command of [recipe.installCommand, recipe.buildCommand]) {
    if (!command) continue;
    const release = parts.folders.release(deployment.artifactId);
    if (command === 'npm install' && (await hasNothingToInstall(release, config.rootDirectory))) {
      context.log('No dependencies to install');
      continue;
    }
    context.log(`$ ${command}`);
    const exit = await runCommand(context, command, {
      step: 'build',
      user,
      toolchain,
      variables: config.variables.filter((each) => each.buildTime),
    });
    if (exit.code !== 0)
      throw commandFailed(
        'build_failed',
        command,
        exit,
        fixHint({ step: 'build', isOnMachine: true, ...exit, exitCode: exit.code }, config),
      );
  }
}

/** A site without a build is only files. */
const needsProcess = ({ installCommand, buildCommand, startCommand }: Recipe): boolean =>
  Boolean(installCommand ?? buildCommand ?? startCommand);

/** Returns the real path of the site's folder. */
async function requireSite(release: string, folder: string, name: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  const isInside = real !== undefined && !relative(await realpath(release), real).startsWith('..');
  if (!isInside || !(await lstat(real)).isDirectory())
    throw new StepError(
      'no_output',
      `the build did not create the folder ${name}`,
      'Set the folder that the build writes the site to: mooring project set <project> outputDirectory=<folder>.',
    );
  return real;
}

/**
 * Changes owners from the leaves up and never enters a folder that it has handed over: a running release of the same
 * user could plant links to our files there.
 */
export async function chownTree(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  if ((await lstat(path)).uid === uid) return;
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await chownTree(inner, { uid, gid });
    else await lchown(inner, uid, gid);
  }
  await lchown(path, uid, gid);
}
