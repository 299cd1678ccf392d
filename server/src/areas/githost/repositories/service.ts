import { GitHostError } from '../../../drivers/githost/errors.ts';
import type {
  Branch,
  DirectoryEntry,
  GitSource,
  RepositoryPath,
  Repository,
  RepositoryName,
} from '../../../drivers/githost/githost.ts';
import { conflict } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { withDeadline } from '../deadline.ts';
import { type GitHostSources, notConnected, type ReachedRepository } from '../sources.ts';
import { cloneCommand } from './clone-command.ts';
import type { CloneTokens } from './clone-tokens.ts';
import { type RepositoryFile, fileContent } from './file-content.ts';
import type { HostCalls } from './host-calls.ts';
import { type RepositoryList, type ListedRepository, listRepositories, requireCompleteList } from './lists.ts';
import { listsRepository, seesAccount } from './visible.ts';

type Options = { sources: GitHostSources; calls: HostCalls; cloneTokens: CloneTokens; callMs: number };
type List = (source: GitSource, signal: AbortSignal) => Promise<Repository[]>;

/** Repositories that the organization can access and the caller may see. */
export class Repositories {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  list = (caller: Caller, owner?: string): Promise<ListedRepository[]> =>
    this.#listed(caller, (source, signal) => source.repositories({ signal, ...(owner !== undefined && { owner }) }));

  ofOrganization = (caller: Caller, organization: string): Promise<ListedRepository[]> =>
    this.#listed(caller, (source, signal) => {
      // Checked after `sources`, so that a missing connection is reported first.
      if (!seesAccount(caller, organization)) throw new GitHostError('not_found', 'organization not found');
      return source.organizationRepositories(organization, { signal });
    });

  get = (caller: Caller, name: RepositoryName): Promise<ReachedRepository> =>
    this.#options.calls.with(caller, name, 'read', (reached) => Promise.resolve(reached));

  withBranches = (caller: Caller, name: RepositoryName): Promise<ReachedRepository & { branches: Branch[] }> =>
    this.#options.calls.with(caller, name, 'read', async (reached, canonical, signal) => ({
      ...reached,
      branches: await reached.source.branches(canonical, { signal }),
    }));

  branches = (caller: Caller, name: RepositoryName): Promise<Branch[]> =>
    this.#options.calls.with(caller, name, 'list', ({ source }, canonical, signal) =>
      source.branches(canonical, { signal }),
    );

  directory = (caller: Caller, name: RepositoryName, place: RepositoryPath): Promise<DirectoryEntry[]> =>
    this.#options.calls.with(caller, name, 'list', ({ source }, canonical, signal) =>
      source.directory(canonical, place, { signal }),
    );

  async file(caller: Caller, name: RepositoryName, place: RepositoryPath): Promise<RepositoryFile & { bytes: number }> {
    const bytes = await this.#options.calls.with(caller, name, 'read', ({ source }, canonical, signal) =>
      source.file(canonical, place, { signal }),
    );
    return { ...fileContent(place.path, bytes), bytes: bytes.length };
  }

  /** Only the app issues tokens limited to one repository; others would grant everything that their user may do. */
  async cloneToken(caller: Caller, name: RepositoryName) {
    const { sources, calls, cloneTokens } = this.#options;
    const all = await sources.of(caller.organization.id);
    if (!all.length) throw conflict(`clone tokens need the app; ${notConnected}`);
    const app = all.find(({ kind }) => kind === 'app');
    return calls.with(caller, name, 'read', async (_, canonical, signal) => {
      if (!app) throw conflict('clone tokens need the app; it is not installed for this owner');
      const token = await app.cloneToken(canonical, { signal });
      await cloneTokens.keep(caller, canonical, token);
      const { password, url: cloneUrl, expiresAt } = token;
      return { token: password, cloneUrl, command: cloneCommand(token), expiresAt };
    });
  }

  /** Lists what is available, skipping sources that fail. */
  whatThereIs(sources: GitSource[]): Promise<RepositoryList> {
    const { callMs } = this.#options;
    return listRepositories(sources, (source) => withDeadline(callMs, (signal) => source.repositories({ signal })));
  }

  async #listed(caller: Caller, list: List): Promise<ListedRepository[]> {
    const { calls } = this.#options;
    const all = await calls.at(async (signal) => {
      const sources = await calls.sources(caller);
      return requireCompleteList(sources, await listRepositories(sources, async (source) => list(source, signal)));
    });
    return all.filter((each) => listsRepository(caller, each));
  }
}
