import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { projectWith } from '../../../test/rig/domains.ts';
import { type NameServer, startNameServer } from '../../../test/rig/name-server.ts';
import { foreignOrganization } from '../../../test/rig/people.ts';

type Entry = { action: string; actor: { id: string; name: string }; target: { name: string } | null; details: object };

describe.each(databaseKindsInFull)('domain of another organization, on %s', (kind) => {
  let app: TestApp;
  let dns: NameServer;
  let ours: string;
  let theirs: string;
  let stranger: { token: string; organizationId: string };
  beforeAll(async () => {
    dns = await startNameServer();
    const env = {
      MOORING_BASE_DOMAIN: 'apps.example.net',
      MOORING_PUBLIC_URL: 'https://mooring.example.com',
      MOORING_DNS_SERVERS: dns.address,
    };
    app = await startApp(kind, { env });
    stranger = await foreignOrganization(app);
    ours = await projectWith(app, []);
    theirs = await projectWith(app, [], { token: stranger.token });
  });
  afterAll(async () => {
    await app.close();
    await dns.stop();
  });

  const at = (id: string, name = '') => `/api/projects/${id}/domains${name && `/${name}`}`;
  const add = (name: string, { id = ours, token = ownerToken } = {}) =>
    app.call('POST', at(id), { token, body: { name } });
  const addTheirs = (name: string) => add(name, { id: theirs, token: stranger.token });
  const namesOf = async (id: string, token = ownerToken) => {
    const { data } = (await app.call('GET', at(id), { token })).body as unknown as { data: { name: string }[] };
    return data.map(({ name }) => name);
  };
  const messageOf = ({ body }: Answer) => (body as unknown as { message: string }).message;
  /** Returns the TXT record that the response asks for. */
  const recordIn = (answer: Answer) => {
    const [, record = '', value = ''] = /TXT record (\S+) with the value (\S+)/.exec(messageOf(answer)) ?? [];
    return { record, value };
  };
  const auditOf = async (token: string) =>
    (await app.call('GET', '/api/audit?limit=5', { token })).body['data'] as unknown as Entry[];

  it('is refused with the TXT record that proves ownership, without naming the holder', async () => {
    await addTheirs('shop.example.com');
    const refused = await add('Shop.example.com');
    expect(refused.status).toBe(409);
    expect(recordIn(refused)).toEqual({
      record: '_mooring.shop.example.com',
      value: expect.stringMatching(/^mooring-owner=[0-9a-f]{40}$/) as string,
    });
    expect(messageOf(refused)).toContain('there is no such record yet');
    for (const secret of [theirs, stranger.organizationId, 'Second', 'stranger'])
      expect(refused.text).not.toContain(secret);
    expect(recordIn(await add('shop.example.com')), 'the same each time').toEqual(recordIn(refused));
    const checked = await app.call('POST', `${at(ours, 'shop.example.com')}/check`, { token: ownerToken, body: {} });
    expect([checked.status, recordIn(checked)]).toEqual([409, recordIn(refused)]);
    expect(dns.asked).toContain('_mooring.shop.example.com');
  });

  it('causes no DNS lookup without a conflict, or for one within the organization', async () => {
    dns.asked.length = 0;
    expect((await addTheirs('quiet.example.com')).status).toBe(201);
    const again = await addTheirs('quiet.example.com');
    expect([again.status, messageOf(again)]).toEqual([409, undefined]);
    const other = await projectWith(app, [], { token: stranger.token });
    const beside = await add('quiet.example.com', { id: other, token: stranger.token });
    expect([beside.status, beside.text]).toEqual([
      409,
      expect.stringContaining('another project of this organization'),
    ]);
    for (const name of ['x.apps.example.net', 'mooring.example.com']) expect((await add(name)).status).toBe(400);
    expect(dns.asked).toEqual([]);
  });

  it('moves to the proven owner without its certificate and is audited on both sides', async () => {
    await addTheirs('next.example.com');
    const { record, value } = recordIn(await add('shop.example.com'));
    const { organizationId, projectId } = await app.database.db
      .selectFrom('domains')
      .selectAll()
      .where('name', '=', 'shop.example.com')
      .executeTakeFirstOrThrow();
    const certificate = {
      source: 'uploaded' as const,
      chain: 'c',
      privateKey: 'k',
      fingerprint: 'f',
      isCurrent: 1,
      isNext: 0,
    };
    await app.database.db
      .insertInto('certificates')
      .values({
        id: 'crt_x',
        organizationId,
        projectId,
        name: 'shop.example.com',
        notBefore: 0,
        notAfter: Date.now() + 1e9,
        createdAt: 0,
        ...certificate,
      })
      .execute();
    dns.texts.set(record, ['v=spf1 -all', value]);
    const checked = await app.call('POST', `${at(ours, 'shop.example.com')}/check`, { token: ownerToken, body: {} });
    expect([checked.status, messageOf(checked)]).toEqual([409, expect.stringContaining('add it to the project')]);
    const told: string[] = [];
    app.domains.domains.onChange(async ({ projectId }) => void told.push(projectId));
    expect((await add('shop.example.com')).status).toBe(201);
    expect(told, 'the edge lets go of it first').toEqual([theirs, ours]);
    expect(await namesOf(ours)).toEqual(['shop.example.com']);
    expect(await namesOf(theirs, stranger.token)).not.toContain('shop.example.com');
    const left = await app.database.db.selectFrom('certificates').selectAll().where('id', '=', 'crt_x').execute();
    expect(left).toEqual([]);
    const [won] = await auditOf(ownerToken);
    expect(won).toMatchObject({ action: 'domain.added', details: { provenBy: 'TXT record' } });
    const [lost] = await auditOf(stranger.token);
    expect(lost).toMatchObject({ action: 'domain.lost', target: { name: 'shop.example.com' } });
    expect(JSON.stringify(lost)).not.toMatch(new RegExp(`${ours}|owner@example.com|Olga`));
    // The previous owner gets a new primary domain.
    const rows = await app.database.db
      .selectFrom('domains')
      .select('name')
      .where('projectId', '=', theirs)
      .where('isPrimary', '=', 1)
      .execute();
    expect(rows).toHaveLength(1);
  });

  it('does not move while both prove it; a record is valid for one name and organization', async () => {
    const back = await addTheirs('shop.example.com');
    const { record, value } = recordIn(back);
    expect(dns.texts.get(record), 'not the value of the others').not.toContain(value);
    expect(messageOf(back)).toContain('another value');
    dns.texts.set(record, [...dns.texts.get(record)!, value]);
    const both = await addTheirs('shop.example.com');
    expect([both.status, messageOf(both)]).toEqual([409, expect.stringContaining('remove that value first')]);
    dns.texts.set('_mooring.next.example.com', dns.texts.get(record)!);
    expect((await add('next.example.com')).status, 'a record of another name').toBe(409);
    dns.texts.set(record, [value]);
    expect((await addTheirs('shop.example.com')).status).toBe(201);
    expect(await namesOf(ours)).toEqual([]);
  });

  it('goes to exactly one of several concurrent claims', async () => {
    await addTheirs('race.example.com');
    const { record, value } = recordIn(await add('race.example.com'));
    dns.texts.set(record, [value]);
    const projects = await Promise.all(Array.from({ length: 6 }, () => projectWith(app, [])));
    const answers = await Promise.all(projects.map((id) => add('race.example.com', { id })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
    const rows = await app.database.db
      .selectFrom('domains')
      .selectAll()
      .where('name', '=', 'race.example.com')
      .execute();
    expect(rows.map(({ projectId }) => projectId)).toEqual([
      projects[answers.findIndex(({ status }) => status === 201)],
    ]);
  });

  it('can be swapped concurrently without a deadlock', async () => {
    const pairs = ['one', 'two', 'three'].map((each) => [`${each}.a.example.com`, `${each}.b.example.com`] as const);
    for (const [mine, his] of pairs) {
      await add(mine);
      await addTheirs(his);
      for (const answer of [await addTheirs(mine), await add(his)]) {
        const { record, value } = recordIn(answer);
        dns.texts.set(record, [value]);
      }
    }
    const answers = await Promise.all(pairs.flatMap(([mine, his]) => [addTheirs(mine), add(his)]));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });

  it('stays with its holder if DNS times out, within a bounded time', async () => {
    await addTheirs('slow.example.com');
    dns.hang();
    const began = Date.now();
    const answer = await add('slow.example.com');
    expect([answer.status, messageOf(answer)]).toEqual([
      409,
      expect.stringContaining('the TXT records cannot be looked up'),
    ]);
    expect(Date.now() - began).toBeLessThan(10_000);
  }, 20_000);
});
