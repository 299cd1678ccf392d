import type { Sql, Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { Repository } from '../../../drivers/githost/githost.ts';
import { AppError, badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { atGitHost, type GitHostSources, selectHooksOf, visibleRepository } from '../../githost/port.ts';
import type { Source } from '../projects/source.ts';
import { deleteLink, insertLink, type LinkRow, selectLink, updateLink } from './store.ts';

type Wanted = Extract<Source, { type: 'githost' }>;

/** What the host says about a repository that is to be followed. */
export type FoundRepository = {
  repository: Repository;
  /** The commit at the head of the branch; null where there is none yet. */
  head: string | null;
};

/** A repository, or why somebody may not follow it. Neither: the host could not be asked, and is asked later. */
export type RepositoryLookup = { found?: FoundRepository; refusal?: AppError };

/** Which project follows which repository. Whatever sets the source of a project comes through here. */
export class ProjectLinks {
  readonly #sources: GitHostSources;

  constructor(sources: GitHostSources) {
    this.#sources = sources;
  }

  /** Asks the host, so it happens before the transaction. */
  async look(caller: Caller, wanted: Wanted): Promise<RepositoryLookup> {
    try {
      return { found: await this.find(caller, wanted) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A project may be set up before the host is connected, or while it is away.
      const isLater = ['not_connected', 'git_host_unavailable', 'rate_limited'].includes(error.code);
      return isLater ? {} : { refusal: error };
    }
  }

  /** The repository as the caller may read it now. */
  async find(caller: Caller, wanted: Wanted): Promise<FoundRepository> {
    const name = { owner: wanted.owner, name: wanted.repo };
    return atGitHost(() =>
      this.#sources.inTime(async (signal) => {
        const { source, repository } = await visibleRepository(this.#sources, caller, name, 'read', signal);
        const branch = wanted.branch ?? repository.defaultBranch;
        if (branch === null) return { repository, head: null };
        try {
          return { repository, head: (await source.branch(repository, branch, { signal })).commitSha };
        } catch (error) {
          if (isGitHostError(error, 'not_found')) return { repository, head: null };
          throw error;
        }
      }),
    );
  }

  /** The same, of a branch that is there, unless nothing is there yet. */
  async findBranch(caller: Caller, wanted: Wanted): Promise<FoundRepository> {
    const found = await this.find(caller, wanted);
    if (wanted.branch === undefined || found.head !== null) return found;
    const { head } = await this.find(caller, { ...wanted, branch: undefined });
    if (head !== null) throw badRequest('branch does not exist in the repository', 'branch');
    return found;
  }

  get(sql: Sql, organizationId: string, projectId: string): Promise<LinkRow | undefined> {
    return selectLink(sql, organizationId, projectId);
  }

  /** Writes down what the project follows now, in the transaction that sets its source. What is there at this moment counts
   * as seen: only what is pushed from now on is deployed by itself. */
  async follow(trx: Trx, project: ProjectTable, source: Source, found: FoundRepository | undefined): Promise<void> {
    const { id, organizationId } = project;
    await deleteLink(trx, organizationId, id);
    if (source.type !== 'githost') return;
    const { repository, head } = found ?? {};
    const branch = source.branch ?? null;
    const hooks = repository ? await selectHooksOf(trx, repository.id) : [];
    const now = Date.now();
    await insertLink(trx, {
      projectId: id,
      organizationId,
      repositoryId: repository?.id ?? null,
      owner: repository?.owner ?? source.owner,
      name: repository?.name ?? source.repo,
      branch,
      defaultBranch: repository?.defaultBranch ?? null,
      seenBranch: (repository && (branch ?? repository.defaultBranch)) ?? null,
      seenCommit: head ?? null,
      seenAt: null,
      heardAt: hooks.some(({ hookId }) => hookId !== null) ? now : null,
      checkedAt: repository ? now : null,
      nextCheckAt: now,
      trouble: null,
      createdAt: now,
    });
  }

  /** Begins anew with what is there now: what was pushed while nobody wanted it deployed is not deployed later. */
  async beginAnew(trx: Trx, { id, organizationId }: ProjectTable): Promise<void> {
    const link = await selectLink(trx, organizationId, id);
    if (link) await updateLink(trx, link, { seenBranch: null, seenCommit: null, nextCheckAt: 0 });
  }
}
