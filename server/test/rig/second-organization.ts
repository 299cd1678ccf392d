import { ownerEmail, ownerPassword } from './app.ts';
import { json } from './deploy.ts';
import type { Service } from './service.ts';
import { joinService, sessionHeaders } from './service-people.ts';

/** Creates another organization on the same service; requests with the result run as its owner. */
export async function secondOrganization(service: Service): Promise<Service> {
  const origin = service.url;
  const signedIn = await service.post('/api/auth/sign-in', { email: ownerEmail, password: ownerPassword }, { origin });
  const session = { origin, ...(await sessionHeaders(signedIn)) };
  type Created = { data: { id: string } };
  const { data } = await json<Created>(service.post('/api/organizations', { name: 'Second' }, session));
  const as = { ...session, 'x-organization-id': data.id };
  const headers = await joinService(service, 'stranger@example.com', 'owner', as);
  return {
    ...service,
    get: (path, more) => service.get(path, more ?? headers),
    post: (path, body, more) => service.post(path, body, more ?? headers),
  };
}
