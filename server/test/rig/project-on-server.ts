import type { Drivers } from '../../src/app.ts';
import type { ContainerParts } from '../../src/areas/deployments/model/parts.ts';
import type { Edge } from '../../src/drivers/edge/edge.ts';
import { createMemoryRuntime } from '../../src/drivers/runtime/memory.ts';
import { ownerToken, type TestApp } from './app.ts';
import { dataOf, projectWith } from './domains.ts';

/** Servers with just these edges, by name. */
export const serversWith =
  (edges: Record<string, Edge>): Drivers['onServer'] =>
  async ({ name }) => ({
    runtime: createMemoryRuntime(),
    containers: {} as ContainerParts,
    edge: edges[name]!,
    homeFolder: async () => '/root',
    openPort: () => Promise.reject(new Error('nothing runs there')),
    close: async () => {},
    dismantle: async () => {},
  });

type Ports = { port: number; tlsPort: number };

export async function addServer(
  app: TestApp,
  name: string,
  { port: edgePort, tlsPort: edgeTlsPort }: Ports,
  { baseDomain, token = ownerToken }: { baseDomain?: string; token?: string } = {},
): Promise<string> {
  const body = { name, host: '203.0.113.7', user: 'root', password: 'x', edgePort, edgeTlsPort, baseDomain };
  const made = await app.call('POST', '/api/servers', { token, body });
  return (dataOf(made) as { id: string }).id;
}

/** A project with these domains on a server, as if it was deployed there. */
export async function projectOn(
  app: TestApp,
  serverId: string,
  names: string[],
  { token = ownerToken, urlsOf = () => [] }: { token?: string; urlsOf?: (slug: string) => string[] } = {},
) {
  const { db } = app.database;
  const id = await projectWith(app, names, { token });
  const answer = await app.call('POST', '/api/deployments/build/access', {
    token,
    body: { projectId: id, autoStart: false },
  });
  const { deployment_id } = answer.body as unknown as { deployment_id: string };
  await db.updateTable('projects').set({ serverId }).where('id', '=', id).execute();
  const { slug } = await db.selectFrom('projects').select('slug').where('id', '=', id).executeTakeFirstOrThrow();
  const deployed = { active: 1, serverId, urls: JSON.stringify(urlsOf(slug)) };
  await db.updateTable('deployments').set(deployed).where('id', '=', deployment_id).execute();
  return { id, slug, deploymentId: deployment_id };
}
