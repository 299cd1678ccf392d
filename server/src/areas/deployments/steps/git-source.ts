import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkout, GitError, gitEnvironment, isSshAddress, type RunGit, type SshAccess } from '../../../lib/git.ts';
import { type DeploymentSource, StepError } from '../model.ts';
import { runGit } from '../preparing.ts';
import type { StepContext } from './step.ts';

type GitSource = DeploymentSource & { type: 'git' };

/** Brings one commit of a repository into the folder, without its history. */
export async function fetchGit(context: StepContext, folder: string, source: GitSource) {
  const { url, branch, commitSha } = source;
  context.log(`Fetching ${commitSha ? commitSha.slice(0, 12) : (branch ?? 'the default branch')} from ${url}`);
  const key = isSshAddress(url) ? await keyOf(context) : undefined;
  try {
    return await withAccess(context, key, async (git) => {
      const { commitSha: sha, commitMessage } = await checkout(git, folder, url, branch, commitSha);
      context.log(`At commit ${sha.slice(0, 12)}: ${commitMessage.split('\n')[0]}`);
      await rm(`${folder}/.git`, { recursive: true, force: true });
      return { folder, commitSha: sha, commitMessage };
    });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new StepError('source_failed', `fetching ${url}: ${error.message}`, hintFor(url, key));
  }
}

const keyOf = ({ parts, deployment }: StepContext) =>
  parts.deployKeyOf(deployment.organization_id, deployment.project_id);

/** The key is on disk only while git needs it. */
async function withAccess<T>(
  { parts, signal, deployment }: StepContext,
  key: string | undefined,
  act: (git: RunGit) => Promise<T>,
): Promise<T> {
  const { folders, timeouts, host, buildEnvironment } = parts;
  const access: SshAccess = {
    keyFile: join(folders.temporary(), `key-${deployment.id}`),
    knownHostsFile: folders.knownHosts(deployment.project_id),
  };
  const home = folders.home(deployment.project_id);
  const env = { ...buildEnvironment, ...gitEnvironment(home, key === undefined ? undefined : access) };
  const git = runGit(host, `${deployment.id}/source`, env, signal, timeouts.buildMs);
  if (key === undefined) return act(git);
  await mkdir(folders.temporary(), { recursive: true, mode: 0o700 });
  await mkdir(dirname(access.knownHostsFile), { recursive: true, mode: 0o700 });
  try {
    await rm(access.keyFile, { force: true });
    await writeFile(access.keyFile, key, { mode: 0o600, flag: 'wx' });
    return await act(git);
  } finally {
    await rm(access.keyFile, { force: true });
  }
}

function hintFor(url: string, key: string | undefined): string {
  if (!isSshAddress(url))
    return 'Check the address and the branch, and that the repository can be read without a password.';
  return key
    ? 'Check the address and the branch, and that the deploy key of the project was added to the repository.'
    : 'Make a deploy key for the project (mooring deploy-key) and add it to the repository.';
}
