import { sourceIn } from '../model/stored.ts';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expectDetection } from '../../../detect/in-thread.ts';
import { AppError } from '../../../errors.ts';
import { copyTree } from '../../../lib/copy-tree.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { StepError } from '../model/model.ts';
import { requireBuildSpace, whileThereIsRoom } from './disk.ts';
import { fetchGit } from './git.ts';
import { fetchGitHost } from './githost.ts';
import type { Step, StepContext } from '../model/step.ts';

/** Fetches the code into the release's folder, emptying it first because this may be a retry. */
export const source: Step = {
  name: 'source',
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { deployment, parts } = context;
    const folder = parts.folders.release(deployment.artifactId);
    const wanted = sourceIn(deployment);
    if (wanted.type !== 'services') expectDetection();
    await requireBuildSpace(context, dirname(folder));
    await removeTree(folder);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    // Unlike an upload, a repository has no size limit.
    if (wanted.type === 'git') return whileThereIsRoom(context, (bound) => fetchGit(bound, folder, wanted));
    if (wanted.type === 'githost') return whileThereIsRoom(context, (bound) => fetchGitHost(bound, folder, wanted));
    if (wanted.type === 'upload') {
      context.log('Unpacking the upload');
      await parts.extractUpload(wanted.uploadId, folder);
      return { folder };
    }
    if (wanted.type === 'local') await copyLocal(context, wanted.path, folder);
    return { folder };
  },
};

/** Keys never belong in a release, and installed packages work only where they were installed. */
const notCopied = new Set(['.git', 'node_modules', '.venv', '.ssh', '.gnupg']);

/** Checks the path again: a link may have changed since, or the folder may be gone. */
async function copyLocal({ parts, log, deployment }: StepContext, path: string, folder: string): Promise<void> {
  log(`Copying ${path}`);
  try {
    await copyTree(await parts.resolveLocal(path, deployment.createdBy), folder, (name) => notCopied.has(name));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint =
      error.code === 'forbidden'
        ? 'Have the instance owner deploy it, or use an upload or a git repository.'
        : 'Check the path of the project.';
    throw new StepError('source_failed', `copying ${path}: ${error.message}`, hint);
  }
}
