import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, Repository, SourceKind } from '../../../drivers/githost/githost.ts';

/** A repository with the way to it. */
export type ListedRepository = Repository & { source: SourceKind };

/** What was found, and why something was not. */
export type Listed = { repositories: ListedRepository[]; errors: unknown[] };

/** Asks all of them at once. Each repository is there once, by the preferred way. */
export async function listFrom(
  sources: GitSource[],
  list: (source: GitSource) => Promise<Repository[]>,
): Promise<Listed> {
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

/** A list that lacks something is none, unless what it lacks is a source that is no good while another one is. */
export function wholeList(sources: GitSource[], { repositories, errors }: Listed): ListedRepository[] {
  const passing = errors.find((error) => !isGitHostError(error, 'unauthorized', 'forbidden', 'not_found'));
  if (passing) throw passing;
  if (errors.length && errors.length === sources.length) throw errors[0];
  return repositories;
}
