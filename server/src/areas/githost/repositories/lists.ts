import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, Repository, SourceKind } from '../../../drivers/githost/githost.ts';

/** A repository and its source. */
export type ListedRepository = Repository & { source: SourceKind };

/** Repositories, and the errors of failed sources. */
export type RepositoryList = { repositories: ListedRepository[]; errors: unknown[] };

/** Lists all sources concurrently. Each repository appears once, with the preferred source. */
export async function listRepositories(
  sources: GitSource[],
  list: (source: GitSource) => Promise<Repository[]>,
): Promise<RepositoryList> {
  const answers = await Promise.allSettled(sources.map((source) => list(source)));
  const all = new Map<string, ListedRepository>();
  answers.forEach((answer, i) => {
    if (answer.status === 'rejected') return;
    const source = sources[i]!.kind;
    for (const each of answer.value) {
      const key = `${each.owner}/${each.name}`.toLowerCase();
      if (!all.has(key)) all.set(key, { ...each, source });
    }
  });
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  return { repositories: [...all.values()], errors };
}

/** Fails unless every source answered; a source without access is ignored while another one works. */
export function requireCompleteList(
  sources: GitSource[],
  { repositories, errors }: RepositoryList,
): ListedRepository[] {
  const passing = errors.find((error) => !isGitHostError(error, 'unauthorized', 'forbidden', 'not_found'));
  if (passing) throw passing;
  if (errors.length && errors.length === sources.length) throw errors[0];
  return repositories;
}
