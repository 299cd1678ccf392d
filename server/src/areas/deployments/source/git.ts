import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkout, gitEnvironment, GitError, isSshAddress, type RunGit, type SshAccess } from '../../../lib/git/git.ts';
import { withinReach } from '../../../lib/git/reach.ts';
import { type DeploymentSource, StepError } from '../model/model.ts';
import { runGit } from './preparing.ts';
import type { StepContext } from '../model/step.ts';

type GitSource = DeploymentSource & { type: 'git' };
type Ref = { url: string; branch: string | null; commitSha: string | null };

/** Fetches one commit of a repository into the folder, without history. */
export async function fetchGit(context: StepContext, folder: string, source: GitSource) {
  const { url } = source;
  const key = isSshAddress(url) ? await keyOf(context) : undefined;
  try {
    return await withAccess(context, key, url, (git) => checkoutInto(context, git, folder, source));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new StepError('source_failed', `fetching ${url}: ${error.message}`, hintFor(url, key));
  }
}

/** Checks out a commit and logs it. `hide` redacts secrets. */
export async function checkoutInto(
  { log }: StepContext,
  git: RunGit,
  folder: string,
  { url, branch, commitSha }: Ref,
  hide = (text: string) => text,
) {
  log(`Fetching ${commitSha ? commitSha.slice(0, 12) : (branch ?? 'the default branch')} from ${url}`);
  const { commitSha: sha, commitMessage } = await checkout(git, folder, url, branch, commitSha);
  const message = hide(commitMessage);
  log(`At commit ${sha.slice(0, 12)}: ${message.split('\n')[0]}`);
  await rm(`${folder}/.git`, { recursive: true, force: true });
  return { folder, commitSha: sha, commitMessage: message };
}

/** Runs git without the machine's configuration, with extra variables. */
export const gitOf = (context: StepContext, more = {}): RunGit =>
  gitWith(context, { ...environmentOf(context), ...more });

/** For a URL entered by a user: git may connect only to allowed networks. */
const gitTo = <T>(context: StepContext, url: string, act: (git: RunGit) => Promise<T>, ssh?: SshAccess): Promise<T> =>
  withinReach(environmentOf(context, ssh), url, context.parts.reach ?? 'private', (env) => act(gitWith(context, env)));

const gitWith = ({ parts, signal, deployment }: StepContext, env: Record<string, string>): RunGit =>
  runGit(parts.host, `${deployment.id}/source`, env, signal, parts.timeouts.buildMs);

const environmentOf = ({ parts }: StepContext, ssh?: SshAccess): Record<string, string> => ({
  ...parts.buildEnvironment,
  ...gitEnvironment(ssh),
});

const keyOf = ({ parts, deployment }: StepContext) =>
  parts.deployKeyOf(deployment.organizationId, deployment.projectId);

/** The key is on disk only while git runs. */
async function withAccess<T>(
  context: StepContext,
  key: string | undefined,
  url: string,
  act: (git: RunGit) => Promise<T>,
): Promise<T> {
  if (key === undefined) return gitTo(context, url, act);
  const { parts, deployment } = context;
  const { folders } = parts;
  const access: SshAccess = {
    keyFile: join(folders.temporary(), `key-${deployment.id}`),
    knownHostsFile: folders.knownHosts(deployment.projectId),
  };
  await mkdir(folders.temporary(), { recursive: true, mode: 0o700 });
  await mkdir(dirname(access.knownHostsFile), { recursive: true, mode: 0o700 });
  try {
    await rm(access.keyFile, { force: true });
    await writeFile(access.keyFile, key, { mode: 0o600, flag: 'wx' });
    return await gitTo(context, url, act, access);
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
