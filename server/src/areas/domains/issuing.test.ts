import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { selfSigned } from '../../../test/rig/certificate.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { certificateOf, dataOf, projectWith, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { has } from '../../../test/rig/parts.ts';
import { type Pebble, startPebble } from '../../../test/rig/pebble.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';
import { until } from '../../../test/rig/until.ts';
import { selectOrder } from './certificates/order-store.ts';

type Status = {
  stored: { fingerprint: string; source: string } | null;
  served: { fingerprint: string | null };
  order: { status: string } | null;
  action: { required: boolean; message: string };
};

describe.runIf(has('pebble')).each(databaseKindsInFull)('issued certificates on %s', (kind) => {
  let edge: SmallEdge;
  let pebble: Pebble;
  let app: TestApp;
  /** Error of the edge for new certificates, if set. */
  let trouble: string | undefined;
  const apps: TestApp[] = [];

  beforeAll(async () => {
    edge = await startSmallEdge();
    pebble = await startPebble({ httpPort: edge.port });
    app = await start();
  });
  afterEach(() => void (trouble = undefined));
  afterAll(async () => {
    for (const each of apps) await each.close();
    await pebble.stop();
    await edge.close();
  });

  async function start(more: Parameters<typeof startDomainsApp>[3] = {}): Promise<TestApp> {
    const moody: SmallEdge['edge'] = {
      ...edge.edge,
      async useCertificate(certificate) {
        if (trouble !== undefined) throw new Error(trouble);
        await edge.edge.useCertificate(certificate);
      },
    };
    const started = await startDomainsApp(kind, pebble, { ...edge, edge: moody }, more);
    apps.push(started);
    return started;
  }
  const statusOf = async (name: string, of = app) => dataOf(await ssl(of, 'status', name)) as Status;
  const listed = async (projectId: string) => {
    const answer = await app.call('GET', `/api/projects/${projectId}/domains`, { token: ownerToken });
    return (dataOf(answer) as { url: string; certificate: object | null; action: { required: boolean } }[])[0]!;
  };
  const rowsOf = (name: string) =>
    app.database.db.selectFrom('certificates').selectAll().where('name', '=', name).execute();

  it('are limited per week and name; joining an order does not count', async () => {
    const name = `often.${kind}.example.com`;
    await projectWith(app, [name]);
    for (let i = 0; i < 4; i++) {
      const all = await Promise.all([1, 2, 3].map(() => ssl(app, 'renew', name)));
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    const before = [pebble.orders(), (await statusOf(name)).order, await rowsOf(name)];
    const refused = await ssl(app, 'renew', name);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        code: 'certificate_failed',
        error: `${name} got 4 certificates within a week`,
        message: expect.stringMatching(/can be ordered at \d{4}-/),
      },
    });
    expect([pebble.orders(), (await statusOf(name)).order, await rowsOf(name)]).toEqual(before);
    const other = `seldom.${kind}.example.com`;
    await projectWith(app, [other]);
    expect((await ssl(app, 'renew', other)).status).toBe(200);
  });

  it('are still limited when the domain is removed and added again', async () => {
    const name = `cycle.${kind}.example.com`;
    const projectId = await projectWith(app, []);
    const at = `/api/projects/${projectId}/domains`;
    for (let i = 0; i < 5; i++) {
      expect((await app.call('POST', at, { token: ownerToken, body: { name } })).status).toBe(201);
      expect((await ssl(app, 'renew', name)).status).toBe(i < 4 ? 200 : 400);
      await app.call('DELETE', `${at}/${name}`, { token: ownerToken });
    }
  });

  it('are reported once the edge has them; the previous one serves until then', async () => {
    const name = `slow.${kind}.example.com`;
    const projectId = await projectWith(app, [name]);
    trouble = 'it is somewhere else';
    const first = await ssl(app, 'renew', name);
    expect(first).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('the edge does not have it yet: it is somewhere else') },
    });
    expect(await statusOf(name)).toMatchObject({
      stored: null,
      order: { status: 'running' },
      action: { required: false, message: expect.stringContaining('serves in a moment') },
    });
    expect(await listed(projectId)).toMatchObject({ certificate: null, url: expect.stringMatching(/^http:/) });
    trouble = undefined;
    const orders = pebble.orders();
    app.domains.start();
    await until('it is served', async () => (await statusOf(name)).stored);
    const { stored, served } = await statusOf(name);
    expect(served.fingerprint).toBe(stored!.fingerprint);
    expect(await listed(projectId)).toMatchObject({ url: expect.stringMatching(/^https:/) });
    expect(pebble.orders(), 'what is there is not ordered again').toBe(orders);

    trouble = 'it is full';
    expect((await ssl(app, 'renew', name)).status).toBe(400);
    expect(await statusOf(name)).toMatchObject({ stored, served: { fingerprint: stored!.fingerprint } });
    trouble = undefined;
    app.domains.soon();
    await until('the next one is served', async () => {
      const now = await statusOf(name);
      return now.stored!.fingerprint !== stored!.fingerprint && now.served.fingerprint === now.stored!.fingerprint;
    });
    expect(await rowsOf(name)).toMatchObject([{ isCurrent: 1, isNext: 0 }]);
  });

  it('are loaded into the edge after a crash in between', async () => {
    const [lost, loaded] = [`lost.${kind}.example.com`, `loaded.${kind}.example.com`];
    await projectWith(app, [lost, loaded]);
    for (const name of [lost, loaded]) expect((await ssl(app, 'renew', name)).status).toBe(200);
    // The state right after the order has ended: the edge has not loaded it, or that is not stored yet.
    await app.database.db
      .updateTable('certificates')
      .set({ isCurrent: 0, isNext: 1 })
      .where('name', 'in', [lost, loaded])
      .execute();
    await edge.edge.removeCertificate(lost);
    expect((await statusOf(lost)).stored).toBeNull();
    const orders = pebble.orders();
    const next = await start({ replica: { of: app, name: `next ${kind}` } });
    next.domains.start();
    for (const name of [lost, loaded]) {
      await until(`${name} is served`, async () => {
        const { stored, served } = await statusOf(name);
        return stored && served.fingerprint === stored.fingerprint;
      });
    }
    expect(pebble.orders()).toBe(orders);
    edge.answerBy(app);
  });

  it('belong to an account whose contact is updated once when it changes', async () => {
    const { db } = app.database;
    const name = `told.${kind}.example.com`;
    await projectWith(app, [name]);
    expect((await ssl(app, 'renew', name)).status).toBe(200);
    const noted = async () => (await db.selectFrom('acme_accounts').selectAll().execute())[0]!;
    const before = await noted();
    expect(before).toMatchObject({ contact: null, url: expect.stringContaining('https://') });
    const env = { MOORING_ACME_EMAIL: 'ops@example.com' };
    const renamed = await start({ replica: { of: app, name: `renamed ${kind}` }, env });
    renamed.domains.start();
    await until('it is told', async () => (await noted()).contact === 'ops@example.com');
    expect((await noted()).url).toBe(before.url);
    expect((await ssl(renamed, 'renew', name)).status).toBe(200);

    // A failing contact update does not block certificates.
    await db
      .updateTable('acme_accounts')
      .set({ url: `${before.url}999` })
      .execute();
    const unheard = await start({
      replica: { of: app, name: `unheard ${kind}` },
      env: { MOORING_ACME_EMAIL: 'other@example.com' },
    });
    unheard.domains.start();
    expect((await ssl(unheard, 'renew', name)).status).toBe(200);
    expect(await noted()).toMatchObject({ url: before.url, contact: 'other@example.com' });
    edge.answerBy(app);
  });

  it('can be replaced by concurrent uploads, of which one becomes current', async () => {
    const name = `twice.${kind}.example.com`;
    const projectId = await projectWith(app, [name]);
    const [ours, other] = [app, kind === 'postgres' ? await start({ replica: { of: app, name: `up ${kind}` } }) : app];
    edge.answerBy(app);
    for (let round = 0; round < 5; round++) {
      const made = Array.from({ length: 6 }, () => selfSigned(name, 60));
      const answers = await Promise.all(
        made.map((each, i) => certificateOf(i % 2 ? ours : other, projectId, name).put(each)),
      );
      expect(answers.map(({ status }) => status)).toEqual(made.map(() => 200));
      // The authority may have issued one meanwhile, which is kept.
      const uploaded = (await rowsOf(name)).filter(({ source }) => source === 'uploaded');
      expect(uploaded).toMatchObject([{ isCurrent: 1, isNext: 0 }]);
    }
    await until('it is served', async () => {
      const { stored, served } = await statusOf(name);
      return stored!.fingerprint === served.fingerprint;
    });
  });

  it('serve again when the uploaded one is deleted, including newer ones', async () => {
    const name = `back.${kind}.example.com`;
    const projectId = await projectWith(app, [name]);
    const { fingerprint } = dataOf(await ssl(app, 'renew', name)) as { fingerprint: string };
    const certificate = certificateOf(app, projectId, name);
    trouble = 'it is away';
    const uploaded = dataOf(await certificate.put(selfSigned(name, 60))) as { warnings: string[] };
    expect(uploaded.warnings).toContainEqual(expect.stringContaining('the edge does not have it yet'));
    expect((await statusOf(name)).stored!.fingerprint).toBe(fingerprint);
    expect((await ssl(app, 'renew', name)).body).toMatchObject({ error: expect.stringContaining('was uploaded') });
    expect((await certificate.delete()).status).toBe(200);
    expect(await rowsOf(name)).toMatchObject([{ fingerprint, isCurrent: 1, isNext: 0 }]);
    trouble = undefined;
    await certificate.put(selfSigned(name, 60));
    expect((await statusOf(name)).stored).toMatchObject({ source: 'uploaded' });
    await certificate.delete();
    expect((await statusOf(name)).stored).toMatchObject({ source: 'acme', fingerprint });
    expect((await statusOf(name)).served.fingerprint).toBe(fingerprint);
    expect((await selectOrder(app.database.db, name))!.status).toBe('done');
  });
});
