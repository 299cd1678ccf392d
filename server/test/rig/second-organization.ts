import { ownerEmail, ownerPassword } from './app.ts';
import { json } from './deploy.ts';
import type { Service } from './service.ts';

/** Another organization of the same service, seen by its owner: what is asked with the result is asked as them. */
export async function secondOrganization(service: Service): Promise<Service> {
  const origin = service.url;
  const call = (path: string, body: object, headers: Record<string, string> = {}) =>
    service.post(path, body, { origin, ...headers });
  const signedIn = await call('/api/auth/sign-in', { email: ownerEmail, password: ownerPassword });
  const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0]!;
  type Created = { data: { id: string } };
  const { data } = await json<Created>(call('/api/organizations', { name: 'Second' }, { cookie }));
  const invited = await json<{ data: { token: string } }>(
    call(
      '/api/invitations',
      { email: 'stranger@example.com', role: 'owner' },
      { cookie, 'x-organization-id': data.id },
    ),
  );
  const accepted = await call('/api/invitations/accept', {
    token: invited.data.token,
    name: 'stranger',
    password: ownerPassword,
  });
  const theirCookie = String(accepted.headers.get('set-cookie')).split(';')[0]!;
  const made = await json<{ data: { token: string } }>(
    call('/api/tokens', { name: 'test', permissions: '*' }, { cookie: theirCookie }),
  );
  const headers = { authorization: `Bearer ${made.data.token}` };
  return {
    ...service,
    get: (path, more) => service.get(path, more ?? headers),
    post: (path, body, more) => service.post(path, body, more ?? headers),
  };
}
