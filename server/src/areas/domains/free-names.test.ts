import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAuthority, type ScriptedAuthority } from '../../../test/rig/acme-script.ts';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { dataOf, projectWith, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { startNameServer, type NameServer } from '../../../test/rig/name-server.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';
import { until } from '../../../test/rig/until.ts';
import { selectOrder } from './certificates/order-store.ts';

describe.each(databaseKindsInFull)('free names below the base domain on %s', (kind) => {
  let edge: SmallEdge;
  let names: NameServer;
  let authority: ScriptedAuthority;
  let app: TestApp;
  beforeAll(async () => {
    edge = await startSmallEdge();
    names = await startNameServer(() => ['127.0.0.1']);
    authority = await scriptedAuthority(() => ({ status: 403, body: {} }));
    const env = { MOORING_BASE_DOMAIN: 'apps.example.com' };
    app = await startDomainsApp(kind, { ...authority, dnsServer: names.address }, edge, { env });
  });
  afterAll(async () => {
    await app.close();
    await authority.close();
    await names.stop();
    await edge.close();
  });

  /** Creates a project whose name the edge serves, and a switch for its release. */
  async function release() {
    const projectId = await projectWith(app, []);
    const { db } = app.database;
    const body = { projectId, autoStart: false };
    const made = await app.call('POST', '/api/deployments/build/access', { token: ownerToken, body });
    const id = (made.body as unknown as { deployment_id: string }).deployment_id;
    const { slug, organizationId } = await db
      .selectFrom('projects')
      .select(['slug', 'organizationId'])
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('host_names')
      .values({ name: slug, organizationId, projectId, environment: 'production' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const name = `${slug}.apps.example.com`;
    const target = { type: 'upstream' as const, host: '127.0.0.1', port: 1 };
    const routes = [{ host: name, path: '/', deploymentId: id, target }];
    await edge.edge.point({ key: `${projectId}/production`, fence: 1, routes });
    const setActive = (active: 0 | 1) => db.updateTable('deployments').set({ active }).where('id', '=', id).execute();
    return { name, setActive };
  }
  const orderOf = (name: string) => selectOrder(app.database.db, name);
  const dueNow = (name: string) =>
    app.database.db.updateTable('certificate_orders').set({ nextAt: 0 }).where('name', '=', name).execute();

  it('get certificates only while a release is active', async () => {
    const { name, setActive } = await release();
    app.domains.start();
    expect((await ssl(app, 'renew', name)).body).toMatchObject({ error: `nothing is deployed under ${name}` });
    expect(await orderOf(name)).toBeUndefined();

    await setActive(1);
    app.domains.soon();
    await until('it was tried', async () => (await orderOf(name))?.status === 'failed');
    expect(authority.orders()).toBe(1);

    await setActive(0);
    await dueNow(name);
    app.domains.soon();
    await until('nobody tries any more', async () => !(await orderOf(name)));
    expect(authority.orders()).toBe(1);
    expect((dataOf(await ssl(app, 'status', name)) as { action: object }).action).toMatchObject({ required: false });

    await setActive(1);
    app.domains.soon();
    await until('it is tried again', async () => (await orderOf(name))?.status === 'failed');
    expect(authority.orders()).toBe(2);
  });

  it('can be retried manually a few times, then only after the pause', async () => {
    const { name, setActive } = await release();
    await setActive(1);
    const before = authority.orders();
    for (let i = 0; i < 5; i++) expect((await ssl(app, 'renew', name)).status).toBe(400);
    expect(authority.orders() - before).toBe(3);
    const refused = await ssl(app, 'renew', name);
    const { nextAt, attempts } = (await orderOf(name))!;
    expect(attempts).toBe(3);
    expect(refused.body).toMatchObject({ message: expect.stringContaining(new Date(nextAt).toISOString()) });
    await dueNow(name);
    expect((await ssl(app, 'renew', name)).status).toBe(400);
    expect(authority.orders() - before).toBe(4);
  });

  it('do not wait a day for the authority after a long time of pointing elsewhere', async () => {
    const { name, setActive } = await release();
    await setActive(1);
    const error = JSON.stringify({ code: 'not_pointing', message: '', hint: '' });
    await ssl(app, 'renew', name);
    await app.database.db
      .updateTable('certificate_orders')
      .set({ attempts: 300, error })
      .where('name', '=', name)
      .execute();
    await ssl(app, 'renew', name);
    const { nextAt, attempts } = (await orderOf(name))!;
    expect(attempts).toBe(1);
    expect(nextAt - Date.now()).toBeLessThan(80_000);
  });
});
