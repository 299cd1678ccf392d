import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { memoryDrivers } from '../../../test/rig/drivers.ts';
import { appId, oauthApp } from '../../../test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../../../test/rig/githost.ts';
import { cookieOf, signInOwner } from '../../../test/rig/people.ts';
import type { DatabaseKind } from '../../db/database.ts';
import { sealTokens } from './connections/vault.ts';
import { createGitHub, type GitHubSettings } from '../../drivers/githost/github/github.ts';

export const publicUrl = 'http://mooring.test';
export const callbackPath = '/api/githost/connect/redirect';

export const startHost = (): Promise<GitHostRig> => startGitHost({ redirectUris: [publicUrl + callbackPath] });

type Options = {
  app?: boolean;
  client?: 'none' | 'id' | 'secret';
  cli?: GitHubSettings['cli'];
  reach?: GitHubSettings['reach'];
  env?: Record<string, string>;
  replica?: { of: TestApp; name: string };
  /** Whether the instance has only one organization. */
  alone?: boolean;
};

/** Starts the service with a test git host. */
export async function startWithHost(
  kind: DatabaseKind,
  host: Pick<GitHostRig, 'webUrl'> & Partial<Pick<GitHostRig, 'appKey'>>,
  { app = true, client = 'secret', cli, reach = 'private', env = {}, replica, alone = false }: Options = {},
): Promise<TestApp> {
  const { clientId, clientSecret } = oauthApp;
  const oauth = client === 'secret' ? { clientId, clientSecret } : { clientId };
  const gitHost = createGitHub({
    webUrl: host.webUrl,
    reach,
    ...(app && { app: { id: String(appId), privateKey: host.appKey! } }),
    ...(client !== 'none' && { oauth }),
    ...(cli && { cli }),
  });
  const drivers = { ...memoryDrivers(), gitHost };
  const started = await startApp(kind, {
    drivers,
    env: { MOORING_PUBLIC_URL: publicUrl, GITHOST_APP_SLUG: 'rig-app', ...env },
    ...(replica && { replica: { ...replica, of: { ...replica.of, instance: { ...replica.of.instance, drivers } } } }),
  });
  const other = { id: 'org_other', name: 'Other', createdAt: Date.now() };
  if (!alone && !replica) await started.database.db.insertInto('organizations').values(other).execute();
  return started;
}

export type RequestIdentity = { token?: string; cookie?: string; headers?: Record<string, string> };
export const owner: RequestIdentity = { token: ownerToken };

export type ConnectFlow = Record<'flow' | 'url' | 'userCode' | 'verificationUri' | 'command', string> & {
  connected: boolean;
};

export const connectFlowOf = (answer: Answer): ConnectFlow => answer.body as unknown as ConnectFlow;

export const connect = (app: TestApp, who: RequestIdentity, source?: string): Promise<Answer> =>
  app.call('POST', '/api/githost/connect', { ...who, body: source ? { source } : {} });

/** Opens the callback like a browser, with at most the nonce cookie. */
export const openCallback = (app: TestApp, url: URL | string, cookie?: string): Promise<Answer> => {
  const { pathname, search } = new URL(url, publicUrl);
  return app.call('GET', pathname + search, cookie ? { cookie } : {});
};

/** Connects the account `login`. */
export async function connectAccount(
  app: TestApp,
  host: GitHostRig,
  login = 'octo',
  who: RequestIdentity = owner,
): Promise<void> {
  const { url } = connectFlowOf(await connect(app, who, 'oauth'));
  const page = await openCallback(app, await host.gaps.signIns.agree(url, login));
  if (page.status !== 200) throw new Error(`connecting ${login}: ${page.status} ${page.text}`);
}

/** Starts connecting in a browser and returns the URL and the cookie. */
export async function beginInBrowser(app: TestApp, source?: string, session?: string) {
  const answer = await connect(app, { cookie: session ?? (await signInOwner(app)) }, source);
  return { answer, ...connectFlowOf(answer), nonce: cookieOf(answer.headers) };
}

export const get = (app: TestApp, path: string, who: RequestIdentity = owner): Promise<Answer> =>
  app.call('GET', `/api/githost${path}`, who);

type Account = { login: string; sources: string[] };
export type ConnectionStatusBody = {
  state: string;
  accounts: Account[];
  installUrl: string | null;
  cloudUnreachable: boolean;
};

export const statusOf = async (app: TestApp, who: RequestIdentity = owner): Promise<ConnectionStatusBody> =>
  (await get(app, '/status', who)).body as unknown as ConnectionStatusBody;

/** Returns accounts in the form `team app,oauth`. */
export const accountsOf = ({ accounts }: ConnectionStatusBody): string[] =>
  accounts.map(({ login, sources }) => `${login} ${sources.join()}`).toSorted();

export const namesOf = ({ body }: Answer): string[] =>
  (body as unknown as { data: { fullName: string }[] }).data.map(({ fullName }) => fullName).toSorted();

/** Returns all stored rows about the git host as text. */
export async function storedText({ database }: TestApp): Promise<string> {
  const tables = ['githost_connections', 'githost_installations', 'githost_sign_ins', 'githost_clone_tokens'] as const;
  const all = await Promise.all(
    [...tables, 'audit_entries' as const].map((table) => database.db.selectFrom(table).selectAll().execute()),
  );
  return JSON.stringify(all);
}

/** Stores a connected account for a scripted git host. */
export async function seedAccount({ database, instance }: TestApp): Promise<void> {
  const organization = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const id = 'ghc_seeded';
  const lasting = { expiresAt: null, refreshToken: null, refreshExpiresAt: null, scopes: [] };
  const tokens = sealTokens(instance.sealer, id, { accessToken: seededToken, ...lasting });
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  await database.db
    .insertInto('githost_connections')
    .values({
      id,
      organizationId: organization.id,
      kind: 'oauth',
      login: 'octo',
      tokens,
      connectedBy: 'usr',
      ...times,
    })
    .execute();
}

export const seededToken = 'gho_seeded_0123456789abcdef';
