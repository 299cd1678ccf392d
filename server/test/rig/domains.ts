import type { DatabaseKind } from '../../src/db/database.ts';
import type { Drivers } from '../../src/app.ts';
import { newDomain } from '../../src/areas/domains/domains/rows.ts';
import { type Answer, ownerToken, startApp, type TestApp } from './app.ts';
import { newFolder } from './children.ts';
import { memoryDrivers } from './drivers.ts';
import type { SmallEdge } from './small-edge.ts';

type Authority = { directory: string; caFile?: string; dnsServer?: string };

/** An app that uses that edge and that certificate authority. */
export async function startDomainsApp(
  kind: DatabaseKind,
  { directory, caFile, dnsServer }: Authority,
  edge: SmallEdge,
  {
    env = {},
    onServer,
    ...more
  }: Pick<NonNullable<Parameters<typeof startApp>[1]>, 'env' | 'replica' | 'onStatement' | 'databaseUrl'> &
    Partial<Pick<Drivers, 'onServer'>> = {},
): Promise<TestApp> {
  const drivers = { ...memoryDrivers(), edge: edge.edge, ...(onServer && { onServer }) };
  const app = await startApp(kind, {
    drivers,
    ...more,
    env: {
      MOORING_ACME_DIRECTORY: directory,
      ...(caFile && { MOORING_ACME_CA_FILE: caFile }),
      ...(dnsServer && { MOORING_DNS_SERVERS: dnsServer }),
      ...env,
    },
  });
  edge.answerBy(app);
  return app;
}

let made = 0;

/** Creates a project with these domains. */
export async function projectWith(app: TestApp, names: string[], who: object = { token: ownerToken }): Promise<string> {
  const body = { name: `shop ${++made}`, source: { type: 'local', path: newFolder('source') } };
  const answer = await app.call('POST', '/api/projects', { ...who, body });
  const { id } = (answer.body as unknown as { data: { id: string } }).data;
  const { organizationId } = await app.database.db
    .selectFrom('projects')
    .select('organizationId')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  for (const name of names) await addDomain(app, { projectId: id, organizationId }, name);
  return id;
}

async function addDomain(app: TestApp, of: { projectId: string; organizationId: string }, name: string) {
  const row = newDomain({ id: of.projectId, organizationId: of.organizationId }, name, 'production', 'x');
  await app.database.db.insertInto('domains').values(row).execute();
}

export const ssl = (app: TestApp, what: 'status' | 'renew', domain: unknown, token = ownerToken): Promise<Answer> =>
  app.call('POST', `/api/deployments/ssl/${what}`, { token, body: { domain } });

export const dataOf = ({ body }: Answer): unknown => (body as unknown as { data: unknown }).data;

/** Uploads and removes a certificate of a domain. */
export function certificateOf(app: TestApp, projectId: string, name: string, token = ownerToken) {
  const path = `/api/projects/${projectId}/domains/${name}/certificate`;
  return {
    put: ({ cert, key }: { cert: string; key: string }): Promise<Answer> =>
      app.call('PUT', path, { token, body: { certificate: cert, privateKey: key } }),
    delete: (): Promise<Answer> => app.call('DELETE', path, { token }),
  };
}
