import { createServer, type Server } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAuthority, type ScriptedAuthority } from '../../../test/rig/acme-script.ts';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { selfSigned } from '../../../test/rig/certificate.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { certificateOf, dataOf, projectWith, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { startNameServer } from '../../../test/rig/name-server.ts';
import { foreignOrganization } from '../../../test/rig/people.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';

type Status = { domain: string; isOurs: boolean; served: { reachable: boolean; code: string | null; reason: string } };

describe.each(databaseKindsInFull)('SSL routes under attack, on %s', (kind) => {
  let edge: SmallEdge;
  let authority: ScriptedAuthority;
  let app: TestApp;
  /** Internal server that must not be reached, on the edge's TLS port. */
  let inside: Server;
  const reached: string[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    edge = await startSmallEdge();
    authority = await scriptedAuthority(() => ({ status: 403, body: {} }));
    app = await start();
    inside = createServer((socket) => {
      reached.push('inside');
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(edge.tlsPort, '127.0.0.3', resolve));
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
    await authority.close();
    await edge.close();
    await new Promise((resolve) => inside.close(resolve));
  });

  async function start(env: Record<string, string> = {}): Promise<TestApp> {
    const more = { env: { MOORING_BASE_DOMAIN: 'apps.example', ...env } };
    const started = await startDomainsApp(kind, authority, edge, more);
    closing.push(() => started.close());
    return started;
  }
  const status = async (name: string, of = app, token = ownerToken) =>
    dataOf(await ssl(of, 'status', name, token)) as Status;

  it('normalize every spelling of a name and reject everything else', async () => {
    const name = `bücher.${kind}.localhost`;
    const ascii = `xn--bcher-kva.${kind}.localhost`;
    await projectWith(app, [ascii]);
    for (const written of [name, name.toUpperCase(), ` ${name}. `, ascii.toUpperCase(), name.normalize('NFD')])
      expect(await status(written)).toMatchObject({ domain: ascii, isOurs: true });
    const none = [
      `*.${kind}.localhost`,
      `${'a'.repeat(64)}.example.com`,
      `${'a.'.repeat(125)}example`,
      'a.'.repeat(50_000),
      'x'.repeat(200_000),
      '169.254.169.254',
      '169.254.169.254.',
      '::ffff:169.254.169.254',
      '[::1]',
      '0xa9fea9fe',
      '2852039166',
      '0251.0376.0251.0376',
      '169。254。169。254',
      `www.example.com/../${ascii}`,
      `user@${ascii}`,
      `${ascii}:22`,
      `${ascii}%00.example.com`,
      `${ascii}\u0000.example.com`,
      `${ascii}\r\nhost: x`,
      '..',
      [ascii],
      { toString: ascii },
    ];
    for (const what of ['status', 'renew'] as const) {
      for (const domain of none) expect([domain, (await ssl(app, what, domain)).status]).toEqual([domain, 400]);
      for (const body of [{}, { domains: ascii }, [], 'null', undefined])
        expect((await app.call('POST', `/api/deployments/ssl/${what}`, { token: ownerToken, body })).status).toBe(400);
    }
    expect(await app.database.db.selectFrom('certificate_orders').selectAll().execute()).toEqual([]);
  });

  it('reveal and change nothing of another organization', async () => {
    const stranger = await foreignOrganization(app);
    const theirs = `theirs.${kind}.localhost`;
    const projectId = await projectWith(app, [theirs]);
    const { slug, organizationId } = await app.database.db
      .selectFrom('projects')
      .select(['slug', 'organizationId'])
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    await app.database.db
      .insertInto('host_names')
      .values({ name: slug, organizationId, projectId, environment: 'production' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await certificateOf(app, projectId, theirs).put(selfSigned(theirs, 60));
    const names = [theirs, `${slug}.apps.example`, `x.${slug}.apps.example`];
    for (const name of names) {
      expect(await status(name, app, stranger.token)).toMatchObject({ isOurs: false, stored: null, order: null });
      const renewed = await ssl(app, 'renew', name, stranger.token);
      expect([renewed.status, renewed.body['error']]).toEqual([400, `${name} is not a domain of your projects`]);
    }
    expect((await certificateOf(app, projectId, theirs, stranger.token).put(selfSigned(theirs))).status).toBe(404);
    expect((await certificateOf(app, projectId, theirs, stranger.token).delete()).status).toBe(404);
    const own = await projectWith(app, [], { token: stranger.token });
    expect((await certificateOf(app, own, theirs, stranger.token).put(selfSigned(theirs))).status).toBe(404);
    expect(authority.orders()).toBe(0);
  });

  it('leave every table unchanged after a status request', async () => {
    const ours = `look.${kind}.localhost`;
    const projectId = await projectWith(app, [ours, `bare.${kind}.localhost`]);
    await certificateOf(app, projectId, ours).put(selfSigned(ours, 60));
    // The token's last use is stored at most once a minute: trigger it before the snapshot.
    await status(ours);
    const before = await everything(app);
    for (const name of [ours, `bare.${kind}.localhost`, `nobody.${kind}.localhost`, 'x.apps.example', 'a.invalid'])
      await status(name);
    const after = await everything(app);
    expect(Object.keys(after).length).toBeGreaterThan(30);
    for (const [table, rows] of Object.entries(after)) expect([table, rows]).toEqual([table, before[table]]);
  });

  it('prevent DNS rebinding', async () => {
    for (const first of ['127.0.0.2', '127.0.0.3']) {
      let asked = 0;
      const names = await startNameServer((_, question) => [(asked = question) === 1 ? first : '127.0.0.3']);
      closing.push(() => names.stop());
      const careful = await start({
        MOORING_ALLOW_PRIVATE_TARGETS: '127.0.0.2',
        MOORING_DNS_SERVERS: names.address,
      });
      const name = `rebound-${first.at(-1)}.${kind}.example.com`;
      await projectWith(careful, [name]);
      const { served, isOurs } = await status(name, careful);
      expect(isOurs).toBe(true);
      const expected = first === '127.0.0.2' ? 'unreachable' : 'refused';
      expect(served).toMatchObject({ reachable: false, code: expected });
      expect(asked, 'it is asked once').toBe(1);
      expect((await ssl(careful, 'renew', name)).status).toBe(400);
      edge.answerBy(app);
    }
    expect(reached).toEqual([]);
    expect(authority.orders()).toBe(0);
  });

  it('reach no internal address', async () => {
    const places = [
      ['127.0.0.3'],
      ['169.254.169.254'],
      ['10.0.0.1'],
      ['100.64.0.1'],
      ['100.100.100.200'],
      ['192.168.1.1'],
      ['0.0.0.0'],
      ['::1'],
      ['::ffff:127.0.0.3'],
      ['::ffff:169.254.169.254'],
      ['fe80::1'],
      ['fd00:ec2::254'],
      ['64:ff9b::7f00:3'],
      ['198.51.100.7', '127.0.0.3'],
      ['198.51.100.7', '::ffff:127.0.0.3'],
    ];
    const names = await startNameServer((name) => places[Number(/^inside(\d+)/.exec(name)?.[1])] ?? []);
    closing.push(() => names.stop());
    const closed = await start({ MOORING_ALLOW_PRIVATE_TARGETS: 'none', MOORING_DNS_SERVERS: names.address });
    for (const [i, addresses] of places.entries()) {
      const name = `inside${i}.${kind}.example.com`;
      await projectWith(closed, [name]);
      const { served } = await status(name, closed);
      expect([addresses, served.reachable, served.code]).toEqual([addresses, false, 'refused']);
      for (const address of addresses) expect(served.reason).not.toContain(address);
      expect([addresses, (await ssl(closed, 'renew', name)).status]).toEqual([addresses, 400]);
    }
    edge.answerBy(app);
    expect(reached).toEqual([]);
    expect(authority.orders()).toBe(0);
  });
});

/** Returns every row of every table. */
async function everything({ database: { db, kind } }: TestApp): Promise<Record<string, unknown[]>> {
  const names =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`;
  const tables: Record<string, unknown[]> = {};
  for (const { name } of (await names.execute(db)).rows)
    tables[name] = (await sql`select * from ${sql.table(name)} order by 1, 2`.execute(db)).rows;
  return tables;
}
