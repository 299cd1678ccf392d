import type { Sql, Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { Repository } from '../../../drivers/githost/githost.ts';
import { AppError, badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { withGitHostErrors, type GitHostSources, selectHooksOf, visibleRepository } from '../../githost/port.ts';
import type { ProjectSource } from '../projects/source.ts';
import { deleteLink, insertLink, type LinkRow, selectLink, updateLink } from './store.ts';

type Wanted = Extract<ProjectSource, { type: 'githost' }>;

export type FoundRepository = {
  repository: Repository;
  /** Head commit of the branch; null if there is none yet. */
  head: string | null;
};

/** A repository, or the reason for rejecting it. Neither if the git host cannot be queried now. */
export type RepositoryLookup = { found?: FoundRepository; refusal?: AppError };

/** Links between projects and repositories, updated by every change of a source. */
export class ProjectLinks {
  readonly #sources: GitHostSources;

  constructor(sources: GitHostSources) {
    this.#sources = sources;
  }

  /** Queries the git host, so it must run outside the transaction. */
  async look(caller: Caller, wanted: Wanted): Promise<RepositoryLookup> {
    try {
      return { found: await this.find(caller, wanted) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A project may be created before the git host is connected, or while it is unreachable.
      const isLater = ['not_connected', 'git_host_unavailable', 'rate_limited'].includes(error.code);
      return isLater ? {} : { refusal: error };
    }
  }

  /** Returns the repository if the caller may read it. */
  async find(caller: Caller, wanted: Wanted): Promise<FoundRepository> {
    const name = { owner: wanted.owner, name: wanted.repo };
    return withGitHostErrors(() =>
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

  /** Like `find`, but requires the branch to exist unless the repository is empty. */
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

  /**
   * Stores the link in the transaction that sets the source. The current head counts as seen: only later pushes are
   * deployed.
   */
  async follow(
    trx: Trx,
    project: ProjectTable,
    source: ProjectSource,
    found: FoundRepository | undefined,
  ): Promise<void> {
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

  /** Resets the link: commits pushed while auto-deploy was off are not deployed later. */
  async beginAnew(trx: Trx, { id, organizationId }: ProjectTable): Promise<void> {
    const link = await selectLink(trx, organizationId, id);
    if (link) await updateLink(trx, link, { seenBranch: null, seenCommit: null, nextCheckAt: 0 });
  }
}
