import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAuthority, type ScriptedAuthority } from '../../../test/rig/acme-script.ts';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { dataOf, projectWith, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { startNameServer, type NameServer } from '../../../test/rig/name-server.ts';
import { foreignOrganization } from '../../../test/rig/people.ts';
import { addServer, projectOn, serversWith } from '../../../test/rig/project-on-server.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';
import { until } from '../../../test/rig/until.ts';
import { createMemoryEdge } from '../../drivers/edge/memory.ts';
import { selectOrder } from './certificates/order-store.ts';
import { holdersOf } from './free-names.ts';

describe.each(databaseKindsInFull)('free names below the domain of a server, on %s', (kind) => {
  let here: SmallEdge;
  let there: SmallEdge;
  let names: NameServer;
  let authority: ScriptedAuthority;
  let app: TestApp;
  let server: string;
  let stranger: string;
  let theirs: string;
  beforeAll(async () => {
    [here, there] = [await startSmallEdge(), await startSmallEdge()];
    names = await startNameServer(() => ['127.0.0.1']);
    authority = await scriptedAuthority(() => ({ status: 403, body: {} }));
    // DNS points to the first server; the other one has the same domain but gets no requests.
    const onServer = serversWith({ web: there.edge, rogue: createMemoryEdge() });
    app = await startDomainsApp(kind, { ...authority, dnsServer: names.address }, here, { onServer });
    server = await addServer(app, 'web', there, { baseDomain: 'apps.example.com' });
    stranger = (await foreignOrganization(app)).token;
    theirs = await addServer(app, 'rogue', there, { baseDomain: 'apps.example.com', token: stranger });
  });
  afterAll(async () => {
    await app.close();
    await authority.close();
    await names.stop();
    await here.close();
    await there.close();
  });

  const urlsOf = (slug: string) => [`http://${slug}.apps.example.com`, `http://api.${slug}.apps.example.com`];
  const orderOf = (name: string) => selectOrder(app.database.db, name);
  const add = (project: string, name: string, token = ownerToken) =>
    app.call('POST', `/api/projects/${project}/domains`, { token, body: { name } });
  const isOurs = async (name: string, token?: string) =>
    (dataOf(await ssl(app, 'status', name, token)) as { isOurs: boolean }).isOurs;
  const failedWith = async (name: string) => {
    const order = await until('it was tried', async () => {
      const found = await orderOf(name);
      return found?.status === 'failed' ? found : undefined;
    });
    return (JSON.parse(order!.error!) as { code: string }).code;
  };

  it('get certificates where the server serves, including those of single services', async () => {
    const { slug, id } = await projectOn(app, server, [], { urlsOf });
    app.domains.start();
    app.domains.soon();
    for (const name of [`${slug}.apps.example.com`, `api.${slug}.apps.example.com`]) {
      // The authority rejects the order, so the DNS check passed.
      expect(await failedWith(name)).not.toBe('not_pointing');
      expect(await isOurs(name)).toBe(true);
    }
    expect(here.asked).toEqual([]);
    expect((await ssl(app, 'renew', `made-up.${slug}.apps.example.com`)).status).toBe(400);
    expect(await orderOf(`made-up.${slug}.apps.example.com`)).toBeUndefined();
    await app.database.db.updateTable('projects').set({ serverId: null }).where('id', '=', id).execute();
    expect(await isOurs(`${slug}.apps.example.com`)).toBe(false);
  });

  it('do not go to another organization whose server has the same domain', async () => {
    const { slug } = await projectOn(app, server, [], { urlsOf });
    const name = `${slug}.apps.example.com`;
    const body = { name: 'Other', slug, source: { type: 'local', path: newFolder('source') } };
    expect((await app.call('POST', '/api/projects', { token: stranger, body })).status).toBe(409);
    const rogue = await projectOn(app, theirs, [], { token: stranger });
    expect(await isOurs(name, stranger)).toBe(false);
    const refused = await add(rogue.id, name, stranger);
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(`_mooring.${name}`) } });
    expect(refused.text).not.toContain('prj_');
    expect((await add(await projectWith(app, []), name)).status).toBe(409);

    // The zone's owner gets the name, but a certificate only once it points to their server.
    const [, value = ''] = /with the value (\S+)/.exec(refused.text) ?? [];
    names.texts.set(`_mooring.${name}`, [value]);
    const taken = await add(rogue.id, name, stranger);
    expect(taken.status, taken.text).toBe(201);
    expect([await isOurs(name), await isOurs(name, stranger)]).toEqual([false, true]);
    expect((await ssl(app, 'renew', name, stranger)).status).toBe(400);
    expect(await failedWith(name)).toBe('not_pointing');
    const audit = await app.call('GET', '/api/audit', { token: ownerToken });
    expect(audit.text).toContain('domain.lost');
  });

  it('are rejected for a deployment if the address is already a domain of the organization', async () => {
    const { id, slug } = await projectOn(app, server, []);
    const other = await projectWith(app, []);
    await app.database.db
      .updateTable('projects')
      .set({ slug: `docs-${kind}` })
      .where('id', '=', id)
      .execute();
    expect((await add(other, `docs-${kind}.apps.example.com`)).status).toBe(201);
    const body = { projectId: id, autoStart: false };
    const refused = await app.call('POST', '/api/deployments/build/access', { token: ownerToken, body });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(`docs-${kind}.apps.example.com`)]);
    expect(slug).not.toBe(`docs-${kind}`);
  });
});

describe('owner of a free name with nested server domains', () => {
  const row = (label: string, baseDomain: string | null, createdAt = 1) => ({
    label,
    baseDomain,
    createdAt,
    organizationId: 'o',
    projectId: `${label} at ${baseDomain ?? 'the instance'}`,
    environment: 'production',
    serverId: baseDomain && 's',
  });
  const whose = (name: string, ...rows: ReturnType<typeof row>[]) =>
    holdersOf(name, rows, 'apps.example.com').map(({ projectId }) => projectId);

  it('is the instance first, then an exact label, then a parent label', () => {
    expect(
      whose(
        'api.shop.apps.example.com',
        row('api', 'shop.apps.example.com', 0),
        row('shop', null),
        row('apps', 'example.com'),
      ),
    ).toEqual(['shop at the instance', 'api at shop.apps.example.com', 'apps at example.com']);
    expect(whose('api.example.com', row('example', 'com', 0), row('api', 'example.com'))).toEqual([
      'api at example.com',
      'example at com',
    ]);
    expect(whose('shop.example.net', row('shop', null), row('shop', 'other.example.net'))).toEqual([]);
  });
});
