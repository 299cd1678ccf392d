import type { TestApp } from './app.ts';
import { ownerEmail, ownerPassword, ownerToken } from './app.ts';

export type Person = { email: string; cookie: string; memberId: string; organizationId: string };

/** Signs in and returns the cookie. */
export async function signIn(app: TestApp, email: string, password: string): Promise<string> {
  const { headers, status, text } = await app.call('POST', '/api/auth/sign-in', { body: { email, password } });
  if (status !== 200) throw new Error(`sign-in as ${email}: ${status} ${text}`);
  return cookieOf(headers);
}

export const signInOwner = (app: TestApp) => signIn(app, ownerEmail, ownerPassword);

export const cookieOf = (headers: Record<string, string | string[] | undefined>): string =>
  String(headers['set-cookie']).split(';')[0]!;

/** Invites a new person into the organization that `as` acts in, and accepts for them. */
export async function join(
  app: TestApp,
  email: string,
  role: string,
  as: { token?: string; cookie?: string; headers?: Record<string, string> } = { token: ownerToken },
): Promise<Person> {
  const invited = await app.call('POST', '/api/invitations', { ...as, body: { email, role } });
  const { token } = (invited.body as unknown as { data: { token: string } }).data;
  const accepted = await app.call('POST', '/api/invitations/accept', {
    body: { token, name: email.split('@')[0], password: ownerPassword },
  });
  if (accepted.status !== 200) throw new Error(`accepting for ${email}: ${accepted.status} ${accepted.text}`);
  const cookie = cookieOf(accepted.headers);
  const { data } = (await app.call('GET', '/api/me', { cookie })).body as unknown as {
    data: { organization: { id: string; memberId: string } };
  };
  return { email, cookie, memberId: data.organization.memberId, organizationId: data.organization.id };
}

/** Creates a second organization with its own owner, unrelated to the first. */
export async function foreignOrganization(app: TestApp): Promise<Person & { token: string }> {
  const cookie = await signInOwner(app);
  const created = await app.call('POST', '/api/organizations', { cookie, body: { name: 'Second' } });
  const organizationId = (created.body as unknown as { data: { id: string } }).data.id;
  const inSecond = { cookie, headers: { 'x-organization-id': organizationId } };
  const stranger = await join(app, 'stranger@example.com', 'owner', inSecond);
  const token = await newToken(app, stranger.cookie, '*');
  return { ...stranger, token };
}

export async function newToken(app: TestApp, cookie: string, permissions: string[] | '*'): Promise<string> {
  const { body, status, text } = await app.call('POST', '/api/tokens', { cookie, body: { name: 'test', permissions } });
  if (status !== 201) throw new Error(`new token: ${status} ${text}`);
  return (body as unknown as { data: { token: string } }).data.token;
}
