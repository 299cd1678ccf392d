import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { foreignOrganization } from '../../../../test/rig/people.ts';
import { until } from '../../../../test/rig/until.ts';
import { CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { newId } from '../../../lib/ids.ts';
import { createLog } from '../../../lib/log.ts';
import type { CloudLinks } from '../link/service.ts';
import { type CloudDeployment, LastSeenDeployments } from './last-seen.ts';
import { CloudRefresh } from './refresh.ts';

let app: TestApp;
const servers: Server[] = [];
const client = new CloudClient({ reach: 'private', ca: undefined });
beforeAll(async () => {
  app = await startApp('sqlite');
});
afterAll(async () => {
  client.close();
  for (const each of servers) each.close();
  await app?.close();
});

const cloud = async (listener: RequestListener) => {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret' };
};

/** Creates a project that is marked as promoted, and a deployment of it. */
const projectThere = async (token: string, name: string) => {
  const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
  const made = await app.call('POST', '/api/projects', { token, body: { name, source } });
  const { id } = made.body['data'] as unknown as { id: string };
  const begun = await app.call('POST', '/api/deployments', { token, body: { projectId: id, autoStart: false } });
  const shown = begun.body['data'] as unknown as CloudDeployment;
  const { organizationId } = await app.database.db
    .updateTable('projects')
    .set({ cloudState: 'there' })
    .where('id', '=', id)
    .returning('organizationId')
    .executeTakeFirstOrThrow();
  return { id, organizationId, shown };
};

it('refreshes other clouds while one hangs, and drops invalid deployments', async () => {
  const first = await projectThere(ownerToken, 'first');
  const { token } = await foreignOrganization(app);
  const second = await projectThere(token, 'second');
  const good = { ...second.shown, id: newId('dep') };
  const odd = [
    { ...good, id: 'dep_\0' },
    { ...good, id: newId('dep'), urls: ['x'.repeat(200_000)] },
    { ...good, id: newId('dep'), projectId: first.id },
    { ...good, id: newId('dep'), urls: ['https://a.example.com', 'javascript:alert(1)'] },
  ];
  const silent = await cloud(() => {});
  const speaking = await cloud((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: [good, ...odd], nextCursor: null }));
  });
  const of = async (id: string) => (id === first.organizationId ? silent : speaking);
  const known = new LastSeenDeployments(app.database.db, client);
  const links = { of } as unknown as CloudLinks;
  const refresh = new CloudRefresh({ db: app.database.db, client, links, known, log: createLog('silent', 'json') });

  const round = refresh.round().catch((error: Error) => error.message);
  const filter = { projectIds: 'all' as const, limit: 10 };
  const seen = await until(
    'the second is looked at',
    async () => {
      const found = await known.list(second.organizationId, filter as Parameters<typeof known.list>[1]);
      return found.length ? found : undefined;
    },
    3000,
  );
  expect(seen?.map(({ id }) => id)).toEqual([good.id]);
  for (const each of servers) each.closeAllConnections();
  expect(await round).toContain('the cloud');
});
