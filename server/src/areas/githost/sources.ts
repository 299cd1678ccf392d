import type { Db } from '../../db/database.ts';
import { GitHostError, isGitHostError } from '../../drivers/githost/errors.ts';
import type { GitHub } from '../../drivers/githost/github/github.ts';
import { type GitSource, type Repository, type RepositoryName, sourceKinds } from '../../drivers/githost/githost.ts';
import type { Sealer } from '../../lib/seal.ts';
import { withDeadline } from './deadline.ts';
import { selectWays, type Way } from './connections/store.ts';
import type { LentApps } from './lent/service.ts';
import { vaultOf } from './connections/vault.ts';

type Options = {
  db: Db;
  sealer: Sealer;
  gitHost: GitHub;
  /** For installations that are the cloud's app's. */
  lent: Pick<LentApps, 'appOf'>;
  /** The host says that an installation is not there any more, sleeps, or that its account has another name. */
  onChanged: (installationId: number) => void;
  /** How long the host may take for what somebody waits for. */
  callMs: number;
};

/** A repository together with the way to it. */
export type Reached = { source: GitSource; repository: Repository };

/** The ways to the git host that each organization has. Nobody gets at a source of another organization. */
export class GitHostSources {
  readonly #options: Options;
  /** By connection: two refreshes of one account must not meet. */
  readonly #accounts = new Map<string, GitSource>();
  #machine: GitSource | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Those that are connected, the preferred one first. Whether the host agrees shows when they are used. */
  async of(organizationId: string): Promise<GitSource[]> {
    return this.from(organizationId, await selectWays(this.#options.db, organizationId));
  }

  from(organizationId: string, ways: Way[]): GitSource[] {
    const app = this.#app(organizationId, ways);
    const others = ways
      .filter(({ kind }) => kind !== 'app')
      .map(({ kind, id }) => (kind === 'cli' ? this.machine() : this.#account(organizationId, id)));
    return [app, ...others]
      .filter((each) => each !== undefined)
      .toSorted((a, b) => sourceKinds.indexOf(a.kind) - sourceKinds.indexOf(b.kind));
  }

  /** The sign-in of the host's program on this machine, whoever may use it. */
  machine(): GitSource | undefined {
    return (this.#machine ??= this.#options.gitHost.cliSource());
  }

  /** The first source that sees the repository, with the repository as the host names it. */
  async reach(organizationId: string, name: RepositoryName, signal?: AbortSignal): Promise<Reached> {
    const sources = await this.of(organizationId);
    if (!sources.length) throw new GitHostError('unauthorized', notConnected);
    let refusal: unknown;
    for (const source of sources) {
      try {
        return { source, repository: await source.repository(name, { signal }) };
      } catch (error) {
        // The next one may see it, or be let in.
        if (!isGitHostError(error, 'not_found', 'unauthorized', 'forbidden')) throw error;
        if (!isGitHostError(error, 'not_found')) refusal ??= error;
      }
    }
    throw refusal ?? new GitHostError('not_found', 'repository not found');
  }

  /** Whether an organization sees it still, under whatever name; another one of that name is another one. */
  async sees(organizationId: string, { id, ...name }: RepositoryName & { id: number }): Promise<boolean> {
    try {
      return (await this.inTime((signal) => this.reach(organizationId, name, signal))).repository.id === id;
    } catch (error) {
      if (isGitHostError(error, 'not_found', 'unauthorized', 'forbidden')) return false;
      throw error;
    }
  }

  /** Does something at the host that is over in time. */
  inTime<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#options.callMs, act);
  }

  /** What was kept of a connection that is gone. */
  forget(connectionId: string): void {
    this.#accounts.delete(connectionId);
  }

  /** Our own app, or the cloud's where there is none. */
  #app(organizationId: string, ways: Way[]): GitSource | undefined {
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
