import { chmod, chown, lchown, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { StepError } from '../model.ts';
import { run } from './command.ts';
import type { Recipe } from './detect.ts';
import type { Step } from './step.ts';

/** Runs the install and build commands in the release's folder, as the project's own user where we may choose. */
export const build: Step = {
  name: 'build',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { parts, deployment, config, results } = context;
    const recipe = results['detect'] as Recipe;
    const folder = parts.folders.release(deployment.artifact_id);
    const user = parts.userOf(config.projectNumber);
    const home = parts.folders.home(deployment.project_id);
    await mkdir(home, { recursive: true, mode: 0o700 });
    if (user) {
      await chown(home, user.uid, user.gid);
      await chownTree(folder, user);
      // The code of a project is nobody else's to read.
      await chmod(folder, 0o700);
    }
    const cwd = join(folder, config.rootDirectory);
    for (const command of [recipe.installCommand, recipe.buildCommand]) {
      if (!command) continue;
      context.log(`$ ${command}`);
      const { code, signal } = await run(context, command, {
        step: 'build',
        cwd,
        home,
        user,
        variables: config.variables.filter((each) => each.buildTime),
      });
      if (code !== 0)
        throw new StepError(
          'build_failed',
          `${command} ended with ${signal ?? `exit code ${code}`}`,
          'The last lines of the build log say why.',
        );
    }
    if (recipe.outputDirectory !== null)
      await requireSite(folder, join(cwd, recipe.outputDirectory), recipe.outputDirectory);
    const bytes = await sizeOf(folder);
    context.log(
      `The release takes ${bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`}`,
    );
    return { folder, bytes };
  },
};

async function requireSite(release: string, folder: string, name: string): Promise<void> {
  const real = await realpath(folder).catch(() => undefined);
  const isInside = real !== undefined && !relative(await realpath(release), real).startsWith('..');
  if (!isInside || !(await lstat(real)).isDirectory())
    throw new StepError(
      'no_output',
      `the build left no folder ${name}`,
      'Set outputDirectory to where the build writes the site.',
    );
}

async function chownTree(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await lchown(path, uid, gid);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await chownTree(inner, { uid, gid });
    else await lchown(inner, uid, gid);
  }
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(inner);
    else if (entry.isFile()) bytes += (await lstat(inner)).size;
  }
  return bytes;
}
