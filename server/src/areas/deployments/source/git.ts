import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkout, gitEnvironment, GitError, isSshAddress, type RunGit, type SshAccess } from '../../../lib/git/git.ts';
import { withRestrictedGit } from '../../../lib/git/restricted-git.ts';
import { type DeploymentSource, StepError } from '../model/model.ts';
import { runGit } from './preparing.ts';
import { publicAddress, type Submodule, submodulesIn } from './submodules.ts';
import type { StepContext } from '../model/step.ts';

type GitSource = DeploymentSource & { type: 'git' };
type Redact = (text: string) => string;
type Ref = { url: string; branch: string | null; commitSha: string | null };
/** Counts down, also in submodules of submodules. */
type Budget = { left: number };

const mostSubmodules = 30;

/** Fetches one commit of a repository into the folder, without history. */
export async function fetchGit(context: StepContext, folder: string, source: GitSource, budget?: Budget) {
  const { url } = source;
  const key = isSshAddress(url) ? await keyOf(context) : undefined;
  try {
    return await withAccess(context, key, url, (git) => checkoutInto(context, git, folder, source, { budget }));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new StepError('source_failed', `fetching ${url}: ${error.message}`, hintFor(url, key, context.config.slug));
  }
}

/** Checks out a commit with its submodules and logs it. */
export async function checkoutInto(
  context: StepContext,
  git: RunGit,
  folder: string,
  { url, branch, commitSha }: Ref,
  {
    redact = (text: string) => text,
    budget = { left: mostSubmodules },
  }: { redact?: Redact; budget?: Budget | undefined },
) {
  const { log } = context;
  log(`Fetching ${commitSha ? commitSha.slice(0, 12) : (branch ?? 'the default branch')} from ${url}`);
  const { commitSha: sha, commitMessage } = await checkout(git, folder, url, branch, commitSha);
  const message = redact(commitMessage);
  log(`At commit ${sha.slice(0, 12)}: ${message.split('\n')[0]}`);
  const submodules = await submodulesIn(git, folder, url);
  await rm(`${folder}/.git`, { recursive: true, force: true });
  for (const submodule of submodules) await fetchSubmodule(context, folder, submodule, budget);
  return { folder, commitSha: sha, commitMessage: message };
}

/** One that cannot be fetched, such as a private one, leaves an empty folder: many apps do without. */
async function fetchSubmodule(context: StepContext, folder: string, submodule: Submodule, budget: Budget) {
  const { path, commitSha } = submodule;
  const warn = (why: string) => context.log(`The submodule ${path} is missing, its folder is empty: ${why}`, 'warn');
  if (budget.left-- <= 0) return warn(`a source has at most ${mostSubmodules} submodules`);
  const url = (await keyOf(context)) === undefined ? publicAddress(submodule.url) : submodule.url;
  try {
    await fetchGit(context, join(folder, path), { type: 'git', url, branch: null, commitSha }, budget);
  } catch (error) {
    if (!(error instanceof StepError) || error.code !== 'source_failed') throw error;
    await rm(join(folder, path), { recursive: true, force: true });
    await mkdir(join(folder, path));
    warn(error.message);
  }
}

/** Runs git without the machine's configuration, with extra variables. */
export const gitOf = (context: StepContext, more = {}): RunGit =>
  gitWith(context, { ...environmentOf(context), ...more });

/** For a URL entered by a user: git may connect only to allowed networks. */
const gitTo = <T>(context: StepContext, url: string, act: (git: RunGit) => Promise<T>, ssh?: SshAccess): Promise<T> =>
  withRestrictedGit(environmentOf(context, ssh), url, context.parts.reach ?? 'private', (env) =>
    act(gitWith(context, env)),
  );

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

function hintFor(url: string, key: string | undefined, slug: string): string {
  if (!isSshAddress(url))
    return (
      'Check the address and the branch. A private repository needs its SSH address and a deploy key: ' +
      `mooring deploy-key ${slug}`
    );
  return key
    ? 'Check the address and the branch, and that the deploy key of the project was added to the repository.'
    : `Make a deploy key for the project and add it to the repository: mooring deploy-key ${slug}`;
}
