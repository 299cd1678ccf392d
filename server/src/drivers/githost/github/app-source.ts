import { limitConcurrency } from '../../../lib/concurrency.ts';
import { GitHostError, isGitHostError } from '../errors.ts';
import type {
  Account,
  GitHostCallOptions,
  CloneCredential,
  GitSource,
  Repository,
  RepositoryName,
  SourceState,
} from '../githost.ts';
import type { GitHubClient } from './client.ts';
import type { GitHubCredential } from './credential.ts';
import type { InstallationTokens } from './installation-tokens.ts';
import { allPages } from './pages.ts';
import { apiPath, checkName, isSameName } from './path.ts';
import { RepositoryCalls } from './repository-calls.ts';
import { cloneAddress, type GitHubInstallation } from './shapes.ts';

/** Installation that belongs to the calling organization. */
export interface OwnInstallation {
  id: number;
  /** Login of the account that the app is installed on. */
  account: string;
}

export interface AppSourceOptions {
  client: GitHubClient;
  app: InstallationTokens;
  /** Only these are used: the same app may be installed for unrelated organizations. */
  installations: OwnInstallation[];
  /** Called when the host reports that an installation is deleted or suspended, or its account renamed. */
  onChanged?: (installationId: number, how: 'deleted' | 'suspended' | 'renamed') => void;
}

/** Reported lifetime of a clone token, slightly below the host's one hour. */
const cloneTokenMs = 55 * 60_000;
const listsAgeMs = 10_000;
const atOnce = 4;

/** Source that uses the installations of the GitHub App. */
export class AppSource extends RepositoryCalls implements GitSource {
  readonly kind = 'app';
  readonly #app: InstallationTokens;
  readonly #installations: OwnInstallation[];
  readonly #onChanged: NonNullable<AppSourceOptions['onChanged']>;

  constructor({ client, app, installations, onChanged = () => {} }: AppSourceOptions) {
    super(client);
    this.#app = app;
    this.#installations = installations;
    this.#onChanged = onChanged;
  }

  async state(options: GitHostCallOptions = {}): Promise<SourceState> {
    try {
      const found = await this.#found(options);
      const usable = found.find(({ suspendedAt, account }) => !suspendedAt && account);
      if (usable) return { isUsable: true, login: usable.account!.login };
      return found.length
        ? { isUsable: false, reason: 'suspended', message: 'the app is suspended; resume it on the git host' }
        : { isUsable: false, reason: 'not_connected', message: 'the app is not installed for any account' };
    } catch (error) {
      const reason = isGitHostError(error, 'unauthorized') ? 'signed_out' : 'unavailable';
      return { isUsable: false, reason, message: (error as Error).message };
    }
  }

  async accounts(options: GitHostCallOptions = {}): Promise<Account[]> {
    const found = await this.#found(options);
    return found.flatMap(({ account, suspendedAt }) => (account && !suspendedAt ? [account] : []));
  }

  async repositories({ owner, signal }: GitHostCallOptions & { owner?: string } = {}): Promise<Repository[]> {
    const asked = this.#installations.filter(({ account }) => owner === undefined || isSameName(account, owner));
    const limit = limitConcurrency(atOnce);
    const lists = await Promise.all(
      asked.map((each) => limit(() => this.#repositoriesOf(each, signal).catch((error: unknown) => lostIsNone(error)))),
    );
    return lists.flat();
  }

  override async repository(name: RepositoryName, options: GitHostCallOptions = {}): Promise<Repository> {
    const found = await super.repository(name, options);
    // The repository was transferred, or its owner renamed.
    if (!isSameName(found.owner, name.owner)) this.#onChanged(this.#installationOf(name.owner).id, 'renamed');
    return found;
  }

  async organizationRepositories(organization: string, { signal }: GitHostCallOptions = {}): Promise<Repository[]> {
    return this.#repositoriesOf(this.#installationOf(organization), signal);
  }

  async createRepository(
    { name, isPrivate, owner }: { name: string; isPrivate: boolean; owner?: string },
    { signal }: GitHostCallOptions = {},
  ): Promise<Repository> {
    const { id, account } = this.#installationOf(owner ?? this.#onlyAccount());
    const { account: found } = await this.#app.installation(id, { signal });
    if (found?.type !== 'organization')
      throw new GitHostError(
        'forbidden',
        `the app cannot create repositories of a person; connect the account of ${account}`,
      );
    const call = { method: 'POST', path: apiPath`/orgs/${account}/repos`, body: { name, private: isPrivate } } as const;
    return this.with(account, signal, (by) => this.client.json({ ...call, ...by }, this.client.shapes.repository));
  }

  /** Issues a separate token, so that `endCredential` can revoke it after the fetch. */
  async cloneCredential(name: RepositoryName, options: GitHostCallOptions = {}): Promise<CloneCredential> {
    return this.cloneToken(name, options);
  }

  async cloneToken(
    name: RepositoryName,
    { signal }: GitHostCallOptions = {},
  ): Promise<CloneCredential & { expiresAt: number }> {
    checkName(name);
    const own = this.#installationOf(name.owner, 'conflict');
    const narrowing = { repositories: [name.name], permissions: { contents: 'read' } };
    const token = await this.#watched(own, () => this.#app.mint(own.id, narrowing, signal)).catch((error: unknown) => {
      if (!isGitHostError(error, 'invalid')) throw error;
      throw /permission/i.test(error.message)
        ? new GitHostError('forbidden', 'the app may not read contents; grant it that permission at the git host', {
            cause: error,
          })
        : new GitHostError('not_found', `the app has no access to ${name.owner}/${name.name}`, { cause: error });
    });
    const url = cloneAddress(this.client.addresses.webUrl, name);
    const expiresAt = Math.min(token.expiresAt, Date.now() + cloneTokenMs);
    return { url, username: 'x-access-token', password: token.value, expiresAt };
  }

  async endCredential(
    { password }: Pick<CloneCredential, 'password'>,
    { signal }: GitHostCallOptions = {},
  ): Promise<void> {
    await this.#app.endToken(password, signal);
  }

  /** The app stays installed; users uninstall it on the host. */
  async revoke({ signal }: GitHostCallOptions = {}): Promise<void> {
    for (const { id } of this.#installations) await this.#app.end(id, signal);
  }

  protected async credential(owner: string, signal: AbortSignal | undefined): Promise<GitHubCredential> {
    const own = this.#installationOf(owner);
    return this.#watched(own, () => this.#app.credential(own.id, signal));
  }

  protected async renewed(owner: string, rejected: GitHubCredential, signal?: AbortSignal): Promise<GitHubCredential> {
    this.#app.forget(this.#installationOf(owner).id, rejected);
    return this.credential(owner, signal);
  }

  #repositoriesOf({ account }: OwnInstallation, signal: AbortSignal | undefined): Promise<Repository[]> {
    const call = { path: '/installation/repositories', maxAgeMs: listsAgeMs };
    return this.with(account, signal, (by) =>
      allPages(this.client, { ...call, ...by }, this.client.shapes.repository, 'repositories'),
    );
  }

  async #found({ signal }: GitHostCallOptions): Promise<GitHubInstallation[]> {
    const limit = limitConcurrency(atOnce);
    const look = async (own: OwnInstallation) => {
      const found = await this.#watched(own, () => this.#app.installation(own.id, { signal }));
      if (found.account && found.account.login !== own.account) this.#onChanged(own.id, 'renamed');
      return found;
    };
    const all = await Promise.all(
      this.#installations.map((own) =>
        limit(() =>
          look(own)
            .then((it) => [it])
            .catch((error: unknown) => lostIsNone(error)),
        ),
      ),
    );
    return all.flat();
  }

  #installationOf(owner: string, code: 'not_found' | 'conflict' = 'not_found'): OwnInstallation {
    const own = this.#installations.find(({ account }) => isSameName(account, owner));
    if (!own) throw new GitHostError(code, `the app is not installed for ${owner}`);
    return own;
  }

  #onlyAccount(): string {
    if (this.#installations.length === 1) return this.#installations[0]!.account;
    throw new GitHostError('invalid', 'owner is required: the app is installed for several accounts, or for none');
  }

  /** Runs a call and reports through `onChanged` when the installation itself is deleted or suspended. */
  async #watched<T>({ id, account }: OwnInstallation, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (isGitHostError(error, 'not_found')) {
        this.#onChanged(id, 'deleted');
        throw new GitHostError('not_found', `the app is no longer installed for ${account}`, { cause: error });
      }
      if (isGitHostError(error, 'forbidden') && /suspended/i.test(error.message)) this.#onChanged(id, 'suspended');
      throw error;
    }
  }
}

/** Treats a deleted or suspended installation as empty, so that the other accounts are still listed. */
function lostIsNone(error: unknown): never[] {
  if (isGitHostError(error, 'not_found') || (isGitHostError(error, 'forbidden') && /suspended/i.test(error.message)))
    return [];
  throw error;
}
