import { StepError } from '../model/model.ts';
import type { RepositoryRef } from '../model/parts.ts';
import type { StepContext } from '../model/step.ts';
import { whileThereIsRoom } from './disk.ts';
import { fetchGit } from './git.ts';

/** Fetches a repository for a build: the default branch, a branch, a tag or a commit. */
export async function fetchContext(context: StepContext, folder: string, { url, ref }: RepositoryRef): Promise<void> {
  const fetch = (branch: string | null, commitSha: string | null) =>
    whileThereIsRoom(context, (bound) => fetchGit(bound, folder, { type: 'git', url, branch, commitSha }));
  if (ref !== null && /^[0-9a-f]{40}$/.test(ref)) return void (await fetch(null, ref));
  try {
    await fetch(ref, null);
  } catch (error) {
    if (!(error instanceof StepError) || error.code !== 'source_failed' || ref === null || ref.startsWith('refs/'))
      throw error;
    await fetch(`refs/tags/${ref}`, null);
  }
}
