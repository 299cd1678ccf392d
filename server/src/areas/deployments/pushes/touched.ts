import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, RepositoryName } from '../../../drivers/githost/githost.ts';

/** Whether one of the files is in the folder that a project is built from. */
export function touches(rootDirectory: string | null, files: string[]): boolean {
  if (!rootDirectory || rootDirectory === '.') return true;
  return files.some((file) => file === rootDirectory || file.startsWith(`${rootDirectory}/`));
}

/** Everything that differs between two commits; undefined when the host cannot name it all. A comparison is with where the
 * second has left the first, so that it takes both directions to know what a branch that was moved back has lost. */
export async function differences(
  source: GitSource,
  repository: RepositoryName,
  from: string,
  to: string,
): Promise<string[] | undefined> {
  try {
    const both = [await source.changedFiles(repository, from, to), await source.changedFiles(repository, to, from)];
    return both.every(({ isComplete }) => isComplete) ? both.flatMap(({ files }) => files) : undefined;
  } catch (error) {
    // A commit that nobody has any more, or a host that is busy: better deployed once too often than not at all.
    if (error instanceof GitHostError) return undefined;
    throw error;
  }
}
