import { GitHostError, isGitHostError } from '../errors.ts';
import type {
  Account,
  GitHostCallOptions,
  CloneCredential,
  Repository,
  RepositoryName,
  SourceKind,
  SourceState,
} from '../githost.ts';
import { allPages } from './pages.ts';
import { apiPath, checkName, isGitHubName, isSameName } from './path.ts';
import { RepositoryCalls } from './repository-calls.ts';
import { cloneAddress, type GitHubInstallation, membershipOf } from './shapes.ts';

const listsAgeMs = 10_000;
const affiliation = 'owner,collaborator,organization_member';

/** Source that uses a user's own token. */
export abstract class UserSource extends RepositoryCalls {
  abstract readonly kind: SourceKind;

  async state({ signal }: GitHostCallOptions = {}): Promise<SourceState> {
    try {
      return { isUsable: true, login: (await this.#user(signal)).login };
    } catch (error) {
      const reason = isGitHostError(error, 'unauthorized') ? 'signed_out' : 'unavailable';
      return { isUsable: false, reason, message: (error as Error).message };
    }
  }

  async accounts({ signal }: GitHostCallOptions = {}): Promise<Account[]> {
    const [user, organizations] = await Promise.all([
      this.#user(signal),
      this.with('', signal, (by) => allPages(this.client, { path: '/user/orgs', ...by }, this.client.shapes.account)),
    ]);
    return [user, ...organizations.map((each): Account => ({ ...each, type: 'organization' }))];
  }

  /** Lists the app installations that this user has access to. The browser's own claim cannot be trusted. */
  async installations({ signal }: GitHostCallOptions = {}): Promise<GitHubInstallation[]> {
    const path = '/user/installations';
    const shape = this.client.shapes.installation;
    return this.with('', signal, (by) => allPages(this.client, { path, ...by }, shape, 'installations'));
  }

  /** Lists the user's own account and the organizations that they administer. */
  async administered({ signal }: GitHostCallOptions = {}): Promise<Account[]> {
    const call = { path: '/user/memberships/orgs', query: { state: 'active' } };
    const shape = membershipOf(this.client.shapes.account);
    const [user, memberships] = await Promise.all([
      this.#user(signal),
      this.with('', signal, (by) => allPages(this.client, { ...call, ...by }, shape)),
    ]);
    return [user, ...memberships.flatMap(({ isAdmin, organization }) => (isAdmin ? [organization] : []))];
  }

  async repositories({ owner, signal }: GitHostCallOptions & { owner?: string } = {}): Promise<Repository[]> {
    const call = { path: '/user/repos', query: { affiliation, sort: 'full_name' }, maxAgeMs: listsAgeMs };
    const all = await this.with('', signal, (by) =>
      allPages(this.client, { ...call, ...by }, this.client.shapes.repository),
    );
    return owner === undefined ? all : all.filter((each) => isSameName(each.owner, owner));
  }

  async organizationRepositories(organization: string, { signal }: GitHostCallOptions = {}): Promise<Repository[]> {
    if (!isGitHubName(organization))
      throw new GitHostError('not_found', 'this organization does not exist at the git host');
    const call = { path: apiPath`/orgs/${organization}/repos`, query: { type: 'all' }, maxAgeMs: listsAgeMs };
    return this.with(organization, signal, (by) =>
      allPages(this.client, { ...call, ...by }, this.client.shapes.repository),
    );
  }

  async createRepository(
    { name, isPrivate, owner }: { name: string; isPrivate: boolean; owner?: string },
    { signal }: GitHostCallOptions = {},
  ): Promise<Repository> {
    const isOwn = owner === undefined || isSameName((await this.#user(signal)).login, owner);
    const path = isOwn ? '/user/repos' : apiPath`/orgs/${owner}/repos`;
    const call = { method: 'POST', path, body: { name, private: isPrivate } } as const;
    return this.with(owner ?? '', signal, (by) => this.client.json({ ...call, ...by }, this.client.shapes.repository));
  }

  async cloneCredential(name: RepositoryName, { signal }: GitHostCallOptions = {}): Promise<CloneCredential> {
    checkName(name);
    const { secret } = await this.credential(name.owner, signal);
    const url = cloneAddress(this.client.addresses.webUrl, name);
    return { url, username: 'x-access-token', password: secret, expiresAt: await this.tokenExpiresAt() };
  }

  /** Always rejects: the token would carry all permissions of the user. */
  async cloneToken(): Promise<never> {
    throw new GitHostError('conflict', 'clone tokens need the app; it is not installed for this owner');
  }

  /** Does nothing: the credential is the connection's own token, which `revoke` ends. */
  async endCredential(): Promise<void> {}

  protected tokenExpiresAt(): Promise<number | null> {
    return Promise.resolve(null);
  }

  #user(signal: AbortSignal | undefined): Promise<Account> {
    return this.with('', signal, (by) => this.client.json({ path: '/user', ...by }, this.client.shapes.account));
  }
}
