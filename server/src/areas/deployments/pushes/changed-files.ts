import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, RepositoryName } from '../../../drivers/githost/githost.ts';

/** Whether one of the files is in the project's root directory. */
export function touches(rootDirectory: string | null, files: string[]): boolean {
  if (!rootDirectory || rootDirectory === '.') return true;
  return files.some((file) => file === rootDirectory || file.startsWith(`${rootDirectory}/`));
}

/**
 * Returns all files that differ between two commits; undefined if the git host cannot list them all. A comparison
 * starts at the merge base, so both directions are needed to see what a branch that was reset has lost.
 */
export async function changedFilesBetween(
  source: GitSource,
  repository: RepositoryName,
  from: string,
  to: string,
): Promise<string[] | undefined> {
  try {
    const both = [await source.changedFiles(repository, from, to), await source.changedFiles(repository, to, from)];
    return both.every(({ isComplete }) => isComplete) ? both.flatMap(({ files }) => files) : undefined;
  } catch (error) {
    // A commit that no longer exists, or a busy host: one deployment too many is better than a missing one.
    if (error instanceof GitHostError) return undefined;
    throw error;
  }
}
