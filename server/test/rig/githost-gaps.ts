import { randomUUID } from 'node:crypto';
import { signatureOf } from '../../src/drivers/githost/github/webhooks/signature.ts';
import type { GitServer } from './git-server.ts';
import { realAnswer } from './githost-branches.ts';
import { installations, memberOf, oauthApp, repositories, userTokens } from './githost-seed.ts';
import { SignIns } from './githost-sign-in.ts';
import { type Holder, TokenBook } from './githost-tokens.ts';

export type Asked = { method: string; path: string; headers: Record<string, string>; body: Buffer };
export type Answer = { status: number; headers: Record<string, string>; text: string };

const answer = (value: unknown, status = 200, headers = {}): Answer => ({
  status,
  headers,
  text: JSON.stringify(value),
});
const refused = (status: number, message: string) => answer({ message }, status);

/** Features that the emulator lacks: lists of organizations, members and installations, statuses, pings, invalid
 * tokens, installations that end, and parts of the sign-in. */
export class Gaps {
  readonly tokens = new TokenBook();
  readonly signIns: SignIns;
  /** Members of an organization who are not admins, as `octo team`. */
  readonly plainMembers = new Set<string>();
  /** Former names of repositories, as `/repos/team/old`, with their new paths. */
  readonly renamed = new Map<string, string>();
  readonly statuses: { path: string; body: object }[] = [];
  /** Current logins of renamed accounts, by installation. */
  readonly logins = new Map<number, string>();
  /** Webhook secrets by URL. */
  readonly secrets = new Map<string, string>();
  /** The real repositories. */
  git: GitServer | undefined;
  /** Returned for every request while it is set. */
  trouble: Answer | undefined;
  readonly #lost = new Map<number, 'deleted' | 'suspended'>();
  readonly #names = repositories.map(({ owner, name }) => `${owner}/${name}`);
  readonly #webUrl: string;
  readonly #forward: (asked: Asked) => Promise<Answer>;

  constructor(webUrl: string, forward: (asked: Asked) => Promise<Answer>) {
    this.#webUrl = webUrl;
    this.#forward = forward;
    this.signIns = new SignIns(webUrl, this.tokens, forward);
    for (const [token, login] of Object.entries(userTokens)) this.tokens.give(token, { real: token, login });
  }

  /** Deletes or suspends the installation. */
  lose(installationId: number, how: 'deleted' | 'suspended' | undefined): void {
    if (how) this.#lost.set(installationId, how);
    else this.#lost.delete(installationId);
    if (how === 'deleted') this.tokens.endInstallation(installationId);
  }

  mayClone(repository: string, password: string): boolean {
    const holder = this.tokens.holder(password);
    const [owner, name] = repository.split('/') as [string, string];
    const { installation } = holder ?? {};
    if (installation) return installation.account === owner && (installation.repositories?.includes(name) ?? true);
    return Boolean(holder && memberOf[holder.login!]!.includes(owner));
  }

  async answer(asked: Asked): Promise<Answer> {
    const { method, body } = asked;
    const { pathname: path, searchParams: query } = new URL(asked.path, 'http://x');
    const read = () => JSON.parse(body.toString() || '{}') as Record<string, string>;
    if (path.startsWith('/login/')) return this.signIns.answer(asked, path);
    if (path === `/applications/${oauthApp.clientId}/token`) return this.signIns.revoke(asked);
    if (path.startsWith('/app')) return this.#asApp(asked, path, read);
    if (this.trouble) return this.trouble;
    const { token, holder } = this.tokens.of(asked.headers['authorization']);
    if (!holder) return refused(401, 'Bad credentials');
    const { installation } = holder;
    const lost = installation && this.#lost.get(installation.id);
    if (lost) return refused(403, 'This installation has been suspended');
    if (path === '/installation/token' && method === 'DELETE') return answer(null, this.tokens.end(token) ? 204 : 401);
    if (path === '/user/installations') return this.#installationsOf(holder);
    if (path === '/user/memberships/orgs') return this.#membershipsOf(holder);
    const now = this.renamed.get(path);
    if (now) return answer({ message: 'Moved Permanently' }, 301, { location: `${this.#webUrl}/api/v3${now}` });
    const list = method === 'GET' ? this.#ownersOf(path, holder) : undefined;
    if (list) return this.#list(holder, list, asked.path, query);
    if (/\/statuses\/\w+$/.test(path) && method === 'POST') {
      this.statuses.push({ path, body: read() });
      return answer({}, 201);
    }
    return this.#passOn(asked, path, holder, read);
  }

  async #passOn(asked: Asked, path: string, holder: Holder, read: () => Record<string, unknown>): Promise<Answer> {
    const { method } = asked;
    // The emulator lets only users make changes, so the request runs as a user of the installation's organization.
    const isNarrow = holder.installation?.permissions !== undefined;
    const isPersons = holder.installation && !isNarrow && (method !== 'GET' || path.includes('/hooks'));
    const real = isPersons ? Object.keys(userTokens)[holder.installation!.account === 'rivals' ? 1 : 0]! : holder.real;
    const as = { ...asked.headers, authorization: `Bearer ${real}` };
    const repository = /^\/repos\/[^/]+\/[^/]+/.exec(path)?.[0];
    const look = () => this.#forward({ method: 'GET', path: repository!, headers: as, body: Buffer.alloc(0) });
    const actual = method === 'GET' && repository && this.git && realAnswer(this.git, path);
    if (actual && (await look()).status === 200) return actual;
    const given = await this.#forward({ ...asked, headers: as });
    if (given.status === 403 && method === 'GET' && given.text.includes('"Forbidden"'))
      return refused(404, 'Not Found');
    if (given.status === 201 && path.endsWith('/repos'))
      this.#names.push((JSON.parse(given.text) as { full_name: string }).full_name);
    const { config } = (/\/hooks(\/\d+)?$/.test(path) ? read() : {}) as { config?: { url: string; secret: string } };
    if (config && given.status < 300) this.secrets.set(config.url, config.secret);
    if (given.status === 201 && path.endsWith('/hooks'))
      await this.#ping(JSON.parse(given.text) as { id: number }, read(), JSON.parse((await look()).text));
    return given;
  }

  async #ping(
    hook: { id: number },
    { config }: { config?: { url: string; secret: string } },
    repository: unknown,
  ): Promise<void> {
    const body = Buffer.from(JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: hook.id, hook, repository }));
    const headers = {
      'x-github-event': 'ping',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': signatureOf(body, config!.secret),
      'content-type': 'application/json',
    };
    // The host ignores delivery errors.
    await fetch(config!.url, { method: 'POST', headers, body }).catch(() => undefined);
  }

  /** The owners of a list that the emulator does not implement or truncates. */
  #ownersOf(path: string, { login, installation }: Holder): string[] | undefined {
    if (path === '/installation/repositories') return [installation!.account];
    if (path === '/user/repos') return memberOf[login!];
    const organization = /^\/orgs\/([^/]+)\/repos$/.exec(path)?.[1];
    return organization === undefined ? undefined : [organization];
  }

  async #list({ real }: Holder, owners: string[], path: string, query: URLSearchParams): Promise<Answer> {
    const known = Object.values(memberOf).flat();
    if (owners.some((owner) => !known.includes(owner))) return refused(404, 'Not Found');
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
    const [headers, body] = [{ authorization: `Bearer ${real}` }, Buffer.alloc(0)];
    const look = (name: string) => this.#forward({ method: 'GET', path: `/repos/${name}`, headers, body });
    const found = await Promise.all(this.#names.filter((name) => owners.includes(name.split('/')[0]!)).map(look));
    const all = found.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text) as object);
    const part = all.slice((page - 1) * size, page * size);
    const next = new URL(`${this.#webUrl}/api/v3${path}`);
    next.searchParams.set('page', String(page + 1));
    const links = page * size < all.length ? { link: `<${next.href}>; rel="next"` } : {};
    return answer(
      path.startsWith('/installation/') ? { total_count: all.length, repositories: part } : part,
      200,
      links,
    );
  }

  #installationsOf({ login }: Holder): Answer {
    const own = installations.filter(({ account }) => memberOf[login!]!.includes(account));
    return answer({
      total_count: own.length,
      installations: own.map(({ id, account, type }) => ({
        id,
        account: { id, login: account, type },
        repository_selection: 'all',
        suspended_at: null,
      })),
    });
  }

  #membershipsOf({ login }: Holder): Answer {
    const organizations = memberOf[login!]!.filter((account) => account !== login);
    return answer(
      organizations.map((account, id) => ({
        state: 'active',
        role: this.plainMembers.has(`${login} ${account}`) ? 'member' : 'admin',
        organization: { id, login: account },
      })),
    );
  }

  async #asApp(asked: Asked, path: string, read: () => Record<string, unknown>): Promise<Answer> {
    const id = Number(/^\/app\/installations\/(\d+)/.exec(path)?.[1]);
    const lost = this.#lost.get(id);
    const isMint = path.endsWith('/access_tokens');
    if (lost === 'deleted') return refused(404, 'Not Found');
    if (lost && isMint) return refused(403, 'This installation has been suspended');
    const given = await this.#forward(asked);
    if (isMint && given.status === 201) {
      const { token } = JSON.parse(given.text) as { token: string };
      const { account } = installations.find((each) => each.id === id)!;
      const { repositories: names, permissions } = read() as { repositories?: string[]; permissions?: object };
      this.tokens.give(token, { real: token, installation: { id, account, repositories: names, permissions } });
    }
    const login = this.logins.get(id);
    if (isMint || given.status !== 200 || !(lost || login)) return given;
    const it = JSON.parse(given.text) as { account: object };
    const account = { ...it.account, ...(login && { login }) };
    return answer({ ...it, account, ...(lost && { suspended_at: new Date().toISOString() }) });
  }
}
