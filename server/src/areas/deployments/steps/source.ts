import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkout, GitError, gitEnvironment, type RunGit } from '../../../lib/git.ts';
import type { DeploymentSource } from '../model.ts';
import { runGit } from '../preparing.ts';
import { StepError } from '../model.ts';
import { requireSpace } from './disk.ts';
import type { Step, StepContext } from './step.ts';

/** Brings the code into the release's folder. A second attempt begins with an empty one. */
export const source: Step = {
  name: 'source',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { deployment, parts } = context;
    const folder = parts.folders.release(deployment.artifact_id);
    const wanted = JSON.parse(deployment.source) as DeploymentSource;
    await requireSpace(context, dirname(folder));
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o755 });
    if (wanted.type === 'git') return fromGit(context, folder, wanted);
    if (wanted.type === 'upload') {
      context.log('Unpacking the upload');
      await parts.extractUpload(wanted.uploadId, folder);
      return { folder };
    }
    context.log(`Copying ${wanted.path}`);
    // Asked again: a link may lead elsewhere by now.
    await copyLocal(await parts.resolveLocal(wanted.path), folder);
    return { folder };
  },
};

async function fromGit(
  context: StepContext,
  folder: string,
  { url, branch, commitSha }: DeploymentSource & { type: 'git' },
) {
  context.log(`Fetching ${commitSha ? commitSha.slice(0, 12) : (branch ?? 'the default branch')} from ${url}`);
  try {
    const { commitSha: sha, commitMessage } = await checkout(gitOf(context), folder, url, branch, commitSha);
    context.log(`At commit ${sha.slice(0, 12)}: ${commitMessage.split('\n')[0]}`);
    await rm(`${folder}/.git`, { recursive: true, force: true });
    return { folder, commitSha: sha, commitMessage };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new StepError(
      'source_failed',
      `fetching ${url}: ${error.message}`,
      'Check the address and the branch, and that the repository can be read without a password.',
    );
  }
}

const gitOf = ({ parts, signal, deployment }: StepContext): RunGit =>
  runGit(
    parts.host,
    `${deployment.id}/source`,
    { ...parts.buildEnvironment, ...gitEnvironment(parts.folders.home(deployment.project_id)) },
    signal,
    parts.timeouts.buildMs,
  );

const notCopied = new Set(['.git', 'node_modules']);

/** Links are copied as links: what they point to outside is not ours to take. */
async function copyLocal(from: string, folder: string): Promise<void> {
  const filter = (each: string) =>
    !notCopied.has(
      each
        .slice(from.length + 1)
        .split('/')
        .at(-1) ?? '',
    );
  await cp(from, folder, { recursive: true, verbatimSymlinks: true, filter });
}
