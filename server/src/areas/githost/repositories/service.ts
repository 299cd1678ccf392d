import { type Db, inTransaction } from '../../../db/database.ts';
import { GitHostError, isGitHostError } from '../../../drivers/githost/errors.ts';
import type {
  Branch,
  DirectoryEntry,
  GitSource,
  Place,
  Repository,
  RepositoryName,
} from '../../../drivers/githost/githost.ts';
import { badRequest, conflict, forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { recordAudit } from '../../access/audit/service.ts';
import { withdrawGrants } from '../../access/grant-targets.ts';
import { mayOn } from '../../access/grants.ts';
import { inTime } from '../deadline.ts';
import { atGitHost } from '../refusals.ts';
import { type GitHostSources, notConnected, type Reached } from '../sources.ts';
import { cloneCommand } from './clone-command.ts';
import type { CloneTokens } from './clone-tokens.ts';
import { type FileContent, fileContent } from './file-content.ts';
import { type ListedRepository, listFrom, wholeList } from './lists.ts';
import { fullName, isRestricted, listsRepository, seesAccount, visibleRepository } from './visible.ts';

type Options = { db: Db; sources: GitHostSources; cloneTokens: CloneTokens; callMs: number };
export type NewRepository = { name: string; isPrivate: boolean; owner?: string | undefined };

/** Repositories of the git host, as far as the caller's organization reaches them and the caller may see them. */
export class Repositories {
  readonly #on: Options;

  constructor(options: Options) {
    this.#on = options;
  }

  async list(caller: Caller, owner?: string): Promise<ListedRepository[]> {
    const all = await this.#listed(caller, (source, signal) =>
      source.repositories({ signal, ...(owner !== undefined && { owner }) }),
    );
    return all.filter((each) => listsRepository(caller, each));
  }

  async ofOrganization(caller: Caller, organization: string): Promise<ListedRepository[]> {
    const all = await this.#listed(caller, (source, signal) => {
      // After the question whether there is any source: without one, that is what is wrong.
      if (!seesAccount(caller, organization)) throw new GitHostError('not_found', 'organization not found');
      return source.organizationRepositories(organization, { signal });
    });
    return all.filter((each) => listsRepository(caller, each));
  }

  async create(caller: Caller, { name, isPrivate, owner }: NewRepository): Promise<Repository> {
    requireMayCreate(caller, owner);
    const made = await this.#at(async (signal) => {
      const sources = await this.#sources(caller);
      return firstThat(sources, (source) =>
        source.createRepository({ name, isPrivate, ...(owner !== undefined && { owner }) }, { signal }),
      );
    });
    await this.#note(caller, 'repository.created', made);
    return made;
  }

  get = (caller: Caller, name: RepositoryName): Promise<Reached> =>
    this.#with(caller, name, 'read', (reached) => Promise.resolve(reached));

  async withBranches(caller: Caller, name: RepositoryName): Promise<Reached & { branches: Branch[] }> {
    return this.#with(caller, name, 'read', async (reached, canonical, signal) => ({
      ...reached,
      branches: await reached.source.branches(canonical, { signal }),
    }));
  }

  branches = (caller: Caller, name: RepositoryName): Promise<Branch[]> =>
    this.#with(caller, name, 'list', ({ source }, canonical, signal) => source.branches(canonical, { signal }));

  directory = (caller: Caller, name: RepositoryName, place: Place): Promise<DirectoryEntry[]> =>
    this.#with(caller, name, 'list', ({ source }, canonical, signal) => source.directory(canonical, place, { signal }));

  async file(caller: Caller, name: RepositoryName, place: Place): Promise<FileContent & { bytes: number }> {
    const bytes = await this.#with(caller, name, 'read', ({ source }, canonical, signal) =>
      source.file(canonical, place, { signal }),
    );
    return { ...fileContent(place.path, bytes), bytes: bytes.length };
  }

  async delete(caller: Caller, name: RepositoryName): Promise<void> {
    const gone = await this.#with(caller, name, 'admin', async ({ source }, canonical, signal) => {
      await source.deleteRepository(canonical, { signal });
      return canonical;
    });
    await this.#note(caller, 'repository.deleted', gone);
  }

  async cloneToken(caller: Caller, name: RepositoryName) {
    const sources = await this.#on.sources.of(caller.organization.id);
    if (!sources.length) throw conflict(`clone tokens need the app; ${notConnected}`);
    const app = sources.find(({ kind }) => kind === 'app');
    return this.#with(caller, name, 'read', async (_, canonical, signal) => {
      if (!app) throw conflict('clone tokens need the app; it is not installed for this owner');
      const token = await app.cloneToken(canonical, { signal });
      await this.#on.cloneTokens.keep(caller, canonical, token);
      const { password, url: cloneUrl, expiresAt } = token;
      return { token: password, cloneUrl, command: cloneCommand(token), expiresAt };
    });
  }

  /** For pages that show whatever there is: sources that fail are left out. */
  async whatThereIs(sources: GitSource[]): Promise<ListedRepository[]> {
    const { callMs } = this.#on;
    const { repositories } = await listFrom(sources, (source) =>
      inTime(callMs, (signal) => source.repositories({ signal })),
    );
    return repositories;
  }

  async #listed(
    caller: Caller,
    list: (source: GitSource, signal: AbortSignal) => Promise<Repository[]>,
  ): Promise<ListedRepository[]> {
    return this.#at(async (signal) => {
      const sources = await this.#sources(caller);
      return wholeList(sources, await listFrom(sources, async (source) => list(source, signal)));
    });
  }

  async #sources(caller: Caller): Promise<GitSource[]> {
    const sources = await this.#on.sources.of(caller.organization.id);
    if (!sources.length) throw new GitHostError('unauthorized', notConnected);
    return sources;
  }

  /** Does something to a repository that the caller may do it to, by the name that the host gives it. */
  #with<T>(
    caller: Caller,
    name: RepositoryName,
    action: Action,
    act: (reached: Reached, canonical: RepositoryName, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#at(async (signal) => {
      const reached = await visibleRepository(this.#on.sources, caller, name, action, signal);
      const { owner, name: repository } = reached.repository;
      return act(reached, { owner, name: repository }, signal);
    });
  }

  #at<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return atGitHost(() => inTime(this.#on.callMs, act));
  }

  async #note(
    caller: Caller,
    action: `repository.${'created' | 'deleted'}`,
    repository: RepositoryName,
  ): Promise<void> {
    const organizationId = caller.organization.id;
    const name = fullName(repository);
    await inTransaction(this.#on.db, async (trx) => {
      if (action === 'repository.deleted') await withdrawGrants(trx, organizationId, 'repository', name);
      await recordAudit(trx, organizationId, caller, { action, target: { id: name, name } });
    });
  }
}

/** Whoever was granted single repositories adds none; who was granted all of an owner's may. */
function requireMayCreate(caller: Caller, owner: string | undefined): void {
  if (!isRestricted(caller)) return;
  if (owner === undefined) throw badRequest('owner is required', 'owner');
  if (!seesAccount(caller, owner)) throw notFound('owner');
  if (!mayOn(caller, 'repository', `${owner}/*`, 'write'))
    throw forbidden(`you were not granted write on all repositories of ${owner}`);
}

/** The first source that does it. What one may not do, the next one may. */
async function firstThat<T>(sources: GitSource[], act: (source: GitSource) => Promise<T>): Promise<T> {
  const refusals: unknown[] = [];
  for (const source of sources) {
    try {
      return await act(source);
    } catch (error) {
      if (!isGitHostError(error, 'not_found', 'unauthorized', 'forbidden', 'invalid')) throw error;
      refusals.push(error);
    }
  }
  throw refusals.find((error) => !isGitHostError(error, 'not_found')) ?? refusals[0];
}
