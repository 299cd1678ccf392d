import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { dataOf, projectWith, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { has } from '../../../test/rig/parts.ts';
import { type Pebble, startPebble } from '../../../test/rig/pebble.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';
import { until } from '../../../test/rig/until.ts';
import { selectOrder } from './certificates/order-store.ts';
import { rotateKey } from '../../db/sealed-columns.ts';
import { fileKeyRing } from '../../lib/key-ring.ts';
import { sealedWith } from '../../lib/seal.ts';

type Status = {
  isOurs: boolean;
  stored: { fingerprint: string; source: string; renewsAt: string; validTo: string } | null;
  served: Record<string, unknown>;
  order: { status: string; attempts: number; nextAttemptAt: string; error: Record<string, string> | null } | null;
  action: { required: boolean; message: string; fix: string | null };
};

let pebble: Pebble;
let edge: SmallEdge;
beforeAll(async () => {
  if (!has('pebble')) return;
  edge = await startSmallEdge();
  pebble = await startPebble({ httpPort: edge.port });
});
afterAll(async () => {
  await pebble?.stop();
  await edge?.close();
});

describe.runIf(has('pebble')).each(databaseKindsInFull)('ACME certificates on %s', (kind) => {
  let app: TestApp;
  const apps: TestApp[] = [];

  beforeAll(async () => {
    app = await start();
  });
  afterAll(async () => {
    for (const each of apps) await each.close();
  });
  afterEach(() => edge.answerBy(app));

  async function start(more: Parameters<typeof startDomainsApp>[3] = {}, at = pebble): Promise<TestApp> {
    const started = await startDomainsApp(kind, at, edge, more);
    apps.push(started);
    return started;
  }
  const statusOf = async (name: string, of = app) =>
    ((await ssl(of, 'status', name)).body as unknown as { data: Status }).data;
  const fingerprintOf = (answer: { body: object }) =>
    (answer.body as { data: { fingerprint: string } }).data.fingerprint;

  it('are issued automatically, served at once and renewed in time', async () => {
    app.domains.start();
    const name = `own.${kind}.example.com`;
    await projectWith(app, [name]);
    app.domains.soon();
    await until('it is served', async () => (await statusOf(name)).served['reachable']);
    const first = await statusOf(name);
    expect(first).toMatchObject({
      isOurs: true,
      stored: { source: 'acme' },
      order: { status: 'done', attempts: 0, error: null },
      action: { required: false },
      served: {
        reachable: true,
        matches: true,
        subjectNames: [name],
        chain: 'untrusted',
        protocol: 'TLSv1.3',
        daysLeft: 89,
      },
    });
    expect(first.served['issuer']).toMatch(/^Pebble Intermediate CA/);
    expect(first.served['fingerprint']).toBe(first.stored!.fingerprint);
    const thirtyDays = 30 * 86_400_000;
    const before = Date.parse(first.stored!.validTo) - Date.parse(first.stored!.renewsAt);
    expect(before).toBeLessThanOrEqual(thirtyDays);
    expect(before).toBeGreaterThanOrEqual(thirtyDays * 0.89);

    const { db } = app.database;
    const almostOver = { notBefore: Date.now() - thirtyDays, notAfter: Date.now() + 60_000 };
    await db.updateTable('certificates').set(almostOver).where('name', '=', name).execute();
    app.domains.soon();
    await until('the next one is served', async () => {
      const { stored, served } = await statusOf(name);
      return stored!.fingerprint !== first.stored!.fingerprint && served['fingerprint'] === stored!.fingerprint;
    });
    const rows = await db.selectFrom('certificates').selectAll().where('name', '=', name).execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]!.privateKey).toMatch(/^s1\./);
    expect((await db.selectFrom('acme_accounts').selectAll().execute())[0]!.privateKey).toMatch(/^s1\./);

    await db.deleteFrom('domains').where('name', '=', name).execute();
    await db.updateTable('certificates').set({ name: 'moved.example.com' }).where('name', '=', name).execute();
    app.domains.soon();
    await until(
      'the edge has forgotten it',
      async () => !(await edge.edge.certificates()).some((c) => c.host === name),
    );
  });

  it('are reissued on request, with one order for concurrent requests', async () => {
    const name = `again.${kind}.example.com`;
    await projectWith(app, [name]);
    const first = await ssl(app, 'renew', ` ${name.toUpperCase()}. `);
    expect(first.status, first.text).toBe(200);
    expect(first.text).not.toMatch(/PRIVATE KEY|s1\./);
    // The worker orders for other names meanwhile: count only the order of this name.
    const fenceOf = async () => (await selectOrder(app.database.db, name))!.fence;
    const before = await fenceOf();
    const replica = kind === 'postgres' ? await start({ replica: { of: app, name: 'second' } }) : app;
    const answers = await Promise.all([app, replica, app, replica].map((each) => ssl(each, 'renew', name)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(fingerprintOf)).size).toBe(1);
    expect(fingerprintOf(answers[0]!)).not.toBe(fingerprintOf(first));
    expect((await fenceOf()) - before).toBe(1);
    const audit = await app.call('GET', '/api/audit', { token: ownerToken });
    expect(audit.text).toContain('domain.certificate_ordered');
  });

  it('are not ordered for a domain that points elsewhere', async () => {
    const [away, gone] = [`away.${kind}.example.com`, `gone.${kind}.example.com`];
    const projectId = await projectWith(app, [away, gone]);
    await pebble.lead(away, ['127.0.0.9']);
    await pebble.lead(gone, []);
    const before = pebble.orders();
    for (const name of [away, gone]) {
      const answer = await ssl(app, 'renew', name);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        code: 'certificate_failed',
        message: expect.stringMatching(/A record|port/),
      });
      const { order, action } = await statusOf(name);
      expect(order).toMatchObject({ status: 'failed', error: { code: 'not_pointing' } });
      expect(action).toEqual({ required: true, message: order!.error!['message'], fix: order!.error!['hint'] });
    }
    expect(pebble.orders()).toBe(before);
    // A check that finds the domain pointing here triggers the order at once.
    await pebble.lead(away, ['127.0.0.1']);
    const path = `/api/projects/${projectId}/domains/${away}/check`;
    expect(dataOf(await app.call('POST', path, { token: ownerToken }))).toMatchObject({
      pointing: { status: 'here' },
      action: { required: false },
    });
    await until('it has a certificate', async () => (await statusOf(away)).stored !== null);
  });

  it('are not issued if another server answers the challenge', async () => {
    const name = `wrong.${kind}.example.com`;
    await projectWith(app, [name]);
    edge.spoilAfter(name, 1);
    const answer = await ssl(app, 'renew', name);
    expect([answer.status, answer.body['error']]).toEqual([
      400,
      expect.stringMatching(/a response from another server/),
    ]);
    expect((await statusOf(name)).order).toMatchObject({ attempts: 1, error: { code: 'unauthorized' } });
    edge.spoilAfter(name, 99);
    expect((await ssl(app, 'renew', name)).status).toBe(200);
    expect((await statusOf(name)).order).toMatchObject({ status: 'done', attempts: 0, error: null });
  });

  it('are finished after a crash, and taken over from a dead worker', async () => {
    const [mine, theirs] = [`mine.${kind}.example.com`, `theirs.${kind}.example.com`];
    const projectId = await projectWith(app, [mine, theirs]);
    const { db } = app.database;
    const { organizationId } = await db.selectFrom('projects').selectAll().executeTakeFirstOrThrow();
    const now = Date.now();
    const running = { organizationId, projectId, attempts: 0, nextAt: 0, error: null };
    const leases = [
      { name: mine, owner: 'third', leaseUntil: now + 60_000 },
      { name: theirs, owner: 'dead', leaseUntil: now - 1 },
    ];
    for (const lease of leases)
      await db
        .insertInto('certificate_orders')
        .values({ status: 'running', ...running, ...lease, fence: 7, updatedAt: now })
        .execute();
    const answer = await ssl(app, 'renew', theirs);
    expect(answer.status, answer.text).toBe(200);
    const third = await start({ replica: { of: app, name: 'third' } });
    third.domains.start();
    await until('the order is finished', async () => (await statusOf(mine)).stored);
    expect((await statusOf(mine)).order).toMatchObject({ status: 'done' });
    await until("what is nobody's is gone", async () => {
      const rows = await db.selectFrom('certificates').select('name').execute();
      return rows.every(({ name }) => name !== 'moved.example.com');
    });
  });

  it('are sealed again when the instance key is rotated', async () => {
    const name = `sealed.${kind}.example.com`;
    await projectWith(app, [name]);
    expect((await ssl(app, 'renew', name)).status).toBe(200);
    const { sealer, keyPath } = app.instance;
    const before = sealer.activeKeyId();
    const { keyId } = await rotateKey(app.database.db, fileKeyRing(keyPath), sealer);
    expect(keyId).not.toBe(before);
    for (const table of ['certificates', 'acme_accounts'] as const)
      for (const row of await app.database.db.selectFrom(table).select('privateKey').execute())
        expect([table, sealedWith(row.privateKey)]).toEqual([table, keyId]);
    await edge.edge.removeCertificate(name);
    expect((await ssl(app, 'renew', name)).status).toBe(200);
    expect((await statusOf(name)).served['reachable']).toBe(true);
  });

  it('are retried while the authority is unreachable, with the reason in the status', async () => {
    const name = `later.${kind}.example.com`;
    const alone = await start({}, { ...pebble, directory: 'https://127.0.0.1:1/dir' });
    await projectWith(alone, [name]);
    const answer = await ssl(alone, 'renew', name);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/cannot be reached/) } });
    const { order, action } = await statusOf(name, alone);
    expect(order).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'unreachable' } });
    expect(Date.parse(order!.nextAttemptAt) - Date.now()).toBeGreaterThan(40_000);
    expect(action.required).toBe(true);
  });
});
