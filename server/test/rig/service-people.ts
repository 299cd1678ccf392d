import { ownerPassword } from './app.ts';
import { json } from './deploy.ts';
import type { Service } from './service.ts';

type Made = { data: { token: string } };

/** The headers of our pages after a sign-in: the cookie and the proof. */
export async function sessionHeaders(answer: Response): Promise<Record<string, string>> {
  const { data } = (await answer.json()) as { data: { sessionProof: string } };
  const cookie = String(answer.headers.get('set-cookie')).split(';')[0]!;
  return { cookie, 'x-session-proof': data.sessionProof };
}

/** Invites a person into the organization that `as` acts in, accepts for them, and returns a token with all their
 * permissions. */
export async function joinService(
  service: Service,
  email: string,
  role: string,
  as?: Record<string, string>,
): Promise<{ authorization: string }> {
  const origin = service.url;
  const invited = await json<Made>(service.post('/api/invitations', { email, role }, as));
  const body = { token: invited.data.token, name: email.split('@')[0], password: ownerPassword };
  const session = await sessionHeaders(await service.post('/api/invitations/accept', body, { origin }));
  const tokens = service.post('/api/tokens', { name: 'test', permissions: '*' }, { origin, ...session });
  return { authorization: `Bearer ${(await json<Made>(tokens)).data.token}` };
}
