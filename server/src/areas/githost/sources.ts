import type { Db } from '../../db/database.ts';
import { GitHostError, isGitHostError } from '../../drivers/githost/errors.ts';
import type { GitHub } from '../../drivers/githost/github/github.ts';
import { type GitSource, type Repository, type RepositoryName, sourceKinds } from '../../drivers/githost/githost.ts';
import type { Sealer } from '../../lib/seal.ts';
import { withDeadline } from './deadline.ts';
import { selectConnectedSources, type ConnectedSource } from './connections/store.ts';
import type { LentApps } from './lent/service.ts';
import { vaultOf } from './connections/vault.ts';

type Options = {
  db: Db;
  sealer: Sealer;
  gitHost: GitHub;
  /** For installations of the cloud's app. */
  lent: Pick<LentApps, 'appOf'>;
  /** Called when an installation seems deleted, suspended or renamed. */
  onChanged: (installationId: number) => void;
  /** Timeout of calls to the git host. */
  callMs: number;
};

/** A repository and the source that reached it. */
export type ReachedRepository = { source: GitSource; repository: Repository };

/** Sources of the git host by organization. */
export class GitHostSources {
  readonly #options: Options;
  /** By connection, so that refreshes of one account never run concurrently. */
  readonly #accounts = new Map<string, GitSource>();
  #machine: GitSource | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns the connected sources, the preferred one first, without checking them at the git host. */
  async of(organizationId: string): Promise<GitSource[]> {
    return this.from(organizationId, await selectConnectedSources(this.#options.db, organizationId));
  }

  from(organizationId: string, ways: ConnectedSource[]): GitSource[] {
    const app = this.#app(organizationId, ways);
    const others = ways
      .filter(({ kind }) => kind !== 'app')
      .map(({ kind, id }) => (kind === 'cli' ? this.machine() : this.#account(organizationId, id)));
    return [app, ...others]
      .filter((each) => each !== undefined)
      .toSorted((a, b) => sourceKinds.indexOf(a.kind) - sourceKinds.indexOf(b.kind));
  }

  /** Returns the gh sign-in of this machine; callers check the permission. */
  machine(): GitSource | undefined {
    return (this.#machine ??= this.#options.gitHost.cliSource());
  }

  /** Returns the first source that sees the repository, and the repository with its canonical name. */
  async reach(organizationId: string, name: RepositoryName, signal?: AbortSignal): Promise<ReachedRepository> {
    const sources = await this.of(organizationId);
    if (!sources.length) throw new GitHostError('unauthorized', notConnected);
    let refusal: unknown;
    for (const source of sources) {
      try {
        return { source, repository: await source.repository(name, { signal }) };
      } catch (error) {
        // Another source may have access.
        if (!isGitHostError(error, 'not_found', 'unauthorized', 'forbidden')) throw error;
        if (!isGitHostError(error, 'not_found')) refusal ??= error;
      }
    }
    throw refusal ?? new GitHostError('not_found', 'repository not found');
  }

  /** Whether an organization still sees the repository by its id, under whatever name. */
  async sees(organizationId: string, { id, ...name }: RepositoryName & { id: number }): Promise<boolean> {
    try {
      return (await this.inTime((signal) => this.reach(organizationId, name, signal))).repository.id === id;
    } catch (error) {
      if (isGitHostError(error, 'not_found', 'unauthorized', 'forbidden')) return false;
      throw error;
    }
  }

  /** Runs a call to the git host with a timeout. */
  inTime<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#options.callMs, act);
  }

  /** Drops the cached source of a deleted connection. */
  forget(connectionId: string): void {
    this.#accounts.delete(connectionId);
  }

  /** Returns our own app, or the cloud's if there is none. */
  #app(organizationId: string, ways: ConnectedSource[]): GitSource | undefined {
    const { gitHost, lent, onChanged } = this.#options;
    const installations = ways.flatMap(({ installationId: id, suspendedAt, login: account, proof }) =>
      id !== null && suspendedAt === null && (gitHost.app || proof === 'cloud') ? [{ id, account }] : [],
    );
    if (!installations.length) return undefined;
    return gitHost.appSource({ installations, onChanged, ...(!gitHost.app && { app: lent.appOf(organizationId) }) });
  }

  #account(organizationId: string, id: string): GitSource | undefined {
    const { db, sealer, gitHost } = this.#options;
    const kept = this.#accounts.get(id) ?? gitHost.oauthSource(vaultOf(db, sealer, organizationId, id));
    if (kept) this.#accounts.set(id, kept);
    return kept;
  }
}

export const notConnected = 'no account of the git host is connected; connect one first';
