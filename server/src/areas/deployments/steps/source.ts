import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DeploymentSource } from '../model.ts';
import { requireSpace } from './disk.ts';
import { fetchGit } from './git-source.ts';
import type { Step } from './step.ts';

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
    if (wanted.type === 'git') return fetchGit(context, folder, wanted);
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
