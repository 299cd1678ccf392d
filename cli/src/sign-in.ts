import { hostname } from 'node:os';
import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { Failure } from './errors.ts';
import { clientOf } from './instance.ts';

type Organization = { id: string; name: string; role: string };

export type MadeToken = { token: string; tokenId: string };

/** Exchanges e-mail and password for a token. The session ends right after. */
export async function tokenByPassword(
  url: string,
  account: { email: string; password: string },
  choose: (organizations: Organization[]) => Promise<Organization>,
): Promise<MadeToken> {
  const client = await signIn(url, account);
  try {
    const { data: me } = await unwrap(client.GET('/api/me'));
    const organization = await choose(me.organizations);
    return await makeToken(client, organization.id);
  } finally {
    await signOut(client);
  }
}

async function signIn(url: string, account: { email: string; password: string }): Promise<Client> {
  const answer = await clientOf({ url }).POST('/api/auth/sign-in', { body: account });
  const { data } = await tellingOnly401(unwrap(Promise.resolve(answer)));
  const cookies = answer.response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  return clientOf({ url, session: { cookie: cookies.join('; '), proof: data.sessionProof } });
}

async function makeToken(client: Client, organizationId: string): Promise<MadeToken> {
  const name = `CLI on ${hostname()}`.slice(0, 100);
  const { data } = await unwrap(client.POST('/api/tokens', { body: { name, permissions: '*', organizationId } }));
  return { token: data.token, tokenId: data.id };
}

/** A leftover session expires eventually, which is no reason to fail the login. */
async function signOut(client: Client): Promise<void> {
  await unwrap(client.POST('/api/auth/sign-out')).catch((error: Error) => {
    process.stderr.write(`The session of this login could not be closed: ${error.message}\n`);
  });
}

/** Returns the owner of a token; fails if it is invalid. */
export async function holderOf(url: string, token: string): Promise<Schemas['Me']> {
  const { data } = await tellingOnly401(unwrap(clientOf({ url, token }).GET('/api/me')));
  return data;
}

/** Sends passwords and tokens only to a server that identifies as Mooring. */
export async function requireMooring(url: string): Promise<void> {
  const health = await unwrap(clientOf({ url }).GET('/api/health')).catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    return undefined;
  });
  if (health?.status !== 'ok') throw new Failure(`${url} responds, but it is not Mooring`);
}

/** Without an owner every password is wrong, so the login says how to create one. */
export async function requireSetUp(url: string): Promise<void> {
  const { data } = await unwrap(clientOf({ url }).GET('/api/auth/setup'));
  if (data.needed)
    throw new Failure(
      `${url} is not set up yet; create its owner with the link that the service printed ` +
        '(.../setup#code=..., in the output of npm start or in journalctl -u mooring; a restart prints a new one)',
    );
}

/** During a login, the hint "run: mooring login" would be useless. */
async function tellingOnly401<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ApiError && error.status === 401 ? new Failure(error.message) : error;
  }
}
