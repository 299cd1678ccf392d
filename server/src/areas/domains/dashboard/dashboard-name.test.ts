import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../../test/rig/databases.ts';
import { dataOf, projectWith, ssl, startDomainsApp } from '../../../../test/rig/domains.ts';
import { has } from '../../../../test/rig/parts.ts';
import { type Pebble, startPebble } from '../../../../test/rig/pebble.ts';
import { join as invite } from '../../../../test/rig/people.ts';
import { type SmallEdge, startSmallEdge } from '../../../../test/rig/small-edge.ts';
import { until } from '../../../../test/rig/until.ts';
import { instanceKey } from '../../../drivers/edge/edge.ts';
import { deleteOrphans } from '../certificates/store.ts';
import { withdrawDashboard } from './dashboard-name.ts';

type Status = { isOurs: boolean; stored: { fingerprint: string } | null; served: { fingerprint: string } };

describe.runIf(has('pebble')).each(databaseKindsInFull)("the dashboard's name on %s", (kind) => {
  const name = `mooring.${kind}.example.com`;
  let edge: SmallEdge;
  let pebble: Pebble;
  let app: TestApp;
  const apps: TestApp[] = [];

  beforeAll(async () => {
    edge = await startSmallEdge();
    pebble = await startPebble({ httpPort: edge.port });
    await pebble.lead(name, ['127.0.0.77']);
    app = await start(edge);
  });
  afterAll(async () => {
    for (const each of apps) await each.close();
    await pebble.stop();
    await edge.close();
  });

  async function start(at: SmallEdge, more: Parameters<typeof startDomainsApp>[3] = {}): Promise<TestApp> {
    const env = {
      MOORING_PUBLIC_URL: `https://${name}:${edge.tlsPort}`,
      MOORING_EDGE_TLS_PORT: String(edge.tlsPort),
      MOORING_PUBLIC_ADDRESSES: '203.0.113.7,2001:DB8::7',
    };
    const started = await startDomainsApp(kind, pebble, at, { env, ...more });
    apps.push(started);
    return started;
  }
  const statusOf = async (of = app) => dataOf(await ssl(of, 'status', name)) as Status;
  const rows = () => app.database.db.selectFrom('certificates').selectAll().where('name', '=', name).execute();

  it('is routed to the service, with the addresses of the machine, and no project gets it', async () => {
    const dashboard = app.domains.dashboard!;
    const service = { host: '127.0.0.1', port: 4600, socketPath: '/x/service.sock' };
    await dashboard.route(service);
    const [pointed] = await edge.edge.list();
    const target = { type: 'upstream', ...service };
    expect(pointed).toMatchObject({
      key: instanceKey,
      routes: expect.arrayContaining([
        expect.objectContaining({ host: name, https: 'redirect', hstsSeconds: 31_536_000, target }),
        expect.objectContaining({ host: '203.0.113.7', target }),
        expect.objectContaining({ host: '[2001:db8::7]', target }),
      ]),
    });
    expect(pointed!.routes.filter(({ https }) => https).map(({ host }) => host)).toEqual([name]);
    expect(dashboard.plainUrls()).toEqual([`http://203.0.113.7:${edge.port}`, `http://${name}:${edge.port}`]);
    const projectId = await projectWith(app, []);
    const taken = await app.call('POST', `/api/projects/${projectId}/domains`, { token: ownerToken, body: { name } });
    expect([taken.status, taken.text]).toEqual([400, expect.stringContaining('the domain of this instance itself')]);
    await withdrawDashboard(edge.edge);
    expect(await edge.edge.list()).toEqual([]);
  });

  it('says why there is no certificate yet', async () => {
    const dashboard = app.domains.dashboard!;
    expect(await dashboard.progress()).toMatchObject({ domain: name, error: null });
    app.domains.start();
    const { error } = (await until('the order fails', async () => {
      const progress = await dashboard.progress();
      return progress?.error ? progress : undefined;
    }))!;
    expect(error).toMatchObject({
      message: expect.stringContaining('127.0.0.77'),
      fix: expect.stringMatching(/port|records/),
    });
    expect(pebble.orders()).toBe(0);
    expect(dashboard.hasCertificate).toBe(false);
  });

  it('gets a certificate, which the instance owner can renew and others cannot see', async () => {
    await pebble.lead(name, ['127.0.0.1']);
    expect((await ssl(app, 'renew', name)).status).toBe(200);
    await app.domains.dashboard!.issued;
    expect(await app.domains.dashboard!.progress()).toBeNull();
    const first = await statusOf();
    expect(first).toMatchObject({ isOurs: true, served: { fingerprint: first.stored!.fingerprint } });
    expect(await rows()).toMatchObject([{ organizationId: null, projectId: null, isCurrent: 1 }]);
    const entries = await app.call('GET', '/api/audit?action=domain.certificate_ordered', { token: ownerToken });
    expect(dataOf(entries)).toMatchObject([{ target: { name } }]);
    const { cookie } = await invite(app, `other.${kind}@example.com`, 'owner');
    const body = { domain: name };
    const seen = await app.call('POST', '/api/deployments/ssl/status', { cookie, body });
    expect(dataOf(seen)).toMatchObject({ isOurs: false, stored: null, order: null });
    expect((await app.call('POST', '/api/deployments/ssl/renew', { cookie, body })).status).toBe(400);
  });

  it('is renewed when the certificate expires soon', async () => {
    const [before] = await rows();
    const soon = { notBefore: Date.now() - 80 * 86_400_000, notAfter: Date.now() + 86_400_000 };
    await app.database.db.updateTable('certificates').set(soon).where('name', '=', name).execute();
    app.domains.soon();
    await until('the next one is served', async () => {
      const { stored, served } = await statusOf();
      return stored!.fingerprint !== before!.fingerprint && served.fingerprint === stored!.fingerprint;
    });
    expect(await rows()).toHaveLength(1);
  });

  it('is served by the edge of every replica', async () => {
    const other = await startSmallEdge();
    const drivers = { ...app.instance.drivers, edge: other.edge };
    const replica = { of: { ...app, instance: { ...app.instance, drivers } }, name: `second ${kind}` };
    const orders = pebble.orders();
    const second = await start(other, { replica });
    second.domains.start();
    await second.domains.dashboard!.issued;
    const [row] = await rows();
    await until('the other edge has it', async () =>
      (await other.edge.certificates()).some(
        ({ host, fingerprint }) => host === name && fingerprint === row!.fingerprint,
      ),
    );
    expect(pebble.orders()).toBe(orders);
    edge.answerBy(app);
    await second.domains.stop();
    await other.close();
  });

  it('loses its certificate when the instance has another name', async () => {
    const { db } = app.database;
    await deleteOrphans(db, 'localhost', name);
    expect(await rows()).toHaveLength(1);
    await deleteOrphans(db, 'localhost', 'new.example.com');
    expect(await rows()).toEqual([]);
  });
});
