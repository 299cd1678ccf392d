import type { Db } from '../../db/database.ts';
import { GitHostError, isGitHostError } from '../../drivers/githost/errors.ts';
import type { GitHub } from '../../drivers/githost/github/github.ts';
import { type GitSource, type Repository, type RepositoryName, sourceKinds } from '../../drivers/githost/githost.ts';
import type { Sealer } from '../../lib/seal.ts';
import { selectConnections, selectInstallations } from './connections/store.ts';
import { vaultOf } from './connections/vault.ts';

type Options = {
  db: Db;
  sealer: Sealer;
  gitHost: GitHub;
  /** The host says that an installation is not there any more, or sleeps. */
  onLost: (installationId: number, how: 'deleted' | 'suspended') => void;
};

/** A repository together with the way to it. */
export type Reached = { source: GitSource; repository: Repository };

/** The ways to the git host that each organization has. Nobody gets at a source of another organization. */
export class GitHostSources {
  readonly #on: Options;
  /** By connection: two refreshes of one account must not meet. */
  readonly #accounts = new Map<string, GitSource>();
  #machine: GitSource | undefined;

  constructor(options: Options) {
    this.#on = options;
  }

  /** Those that are connected, the preferred one first. Whether the host agrees shows when they are used. */
  async of(organizationId: string): Promise<GitSource[]> {
    const { db, gitHost, onLost } = this.#on;
    const [connections, installed] = [
      await selectConnections(db, organizationId),
      await selectInstallations(db, organizationId),
    ];
    const installations = installed
      .filter(({ suspended_at }) => suspended_at === null)
      .map(({ installation_id, account_login }) => ({ id: installation_id, account: account_login }));
    const app = installations.length ? gitHost.appSource({ installations, onLost }) : undefined;
    const others = connections.map(({ id, kind }) =>
      kind === 'cli' ? (this.#machine ??= gitHost.cliSource()) : this.#account(organizationId, id),
    );
    const sources = [app, ...others].filter((each) => each !== undefined);
    return sources.toSorted((a, b) => sourceKinds.indexOf(a.kind) - sourceKinds.indexOf(b.kind));
  }

  /** The first source that sees the repository, with the repository as the host names it. */
  async reach(organizationId: string, name: RepositoryName, signal?: AbortSignal): Promise<Reached> {
    const sources = await this.of(organizationId);
    if (!sources.length) throw new GitHostError('unauthorized', 'no git host account is connected');
    for (const source of sources) {
      try {
        return { source, repository: await source.repository(name, { signal }) };
      } catch (error) {
        // The next one may see it.
        if (!isGitHostError(error, 'not_found')) throw error;
      }
    }
    throw new GitHostError('not_found', 'repository not found');
  }

  /** What was kept of a connection that is gone. */
  forget(connectionId: string): void {
    this.#accounts.delete(connectionId);
  }

  #account(organizationId: string, id: string): GitSource | undefined {
    const { db, sealer, gitHost } = this.#on;
    const kept = this.#accounts.get(id) ?? gitHost.oauthSource(vaultOf(db, sealer, organizationId, id));
    if (kept) this.#accounts.set(id, kept);
    return kept;
  }
}
