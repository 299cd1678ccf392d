import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAuthority, type ScriptedAuthority } from '../../../test/rig/acme-script.ts';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { selfSigned, signedBy } from '../../../test/rig/certificate.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { projectWith, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { foreignOrganization, join } from '../../../test/rig/people.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';

const problem = (type: string, detail = 'because') => ({ type: `urn:ietf:params:acme:error:${type}`, detail });
/** Fields of both routes that the tests use. */
type Data = {
  stored: { fingerprint: string };
  served: { fingerprint: string };
  order: { nextAttemptAt: string; error: { code: string } };
  action: { required: boolean };
  warnings: string[];
};
const dataOf = ({ body }: { body: object }) => (body as { data: Data }).data;
const fieldOf = ({ body }: { body: object }) => (body as { details?: { field: string }[] }).details?.[0]?.field;

describe.each(databaseKindsInFull)('SSL routes on %s', (kind) => {
  let edge: SmallEdge;
  let app: TestApp;
  let authority: ScriptedAuthority;
  let refusal: Parameters<typeof scriptedAuthority>[0];
  const apps: TestApp[] = [];
  const statements: string[] = [];

  beforeAll(async () => {
    edge = await startSmallEdge();
    authority = await scriptedAuthority(() => refusal());
    app = await start();
  });
  afterAll(async () => {
    for (const each of apps) await each.close();
    await authority.close();
    await edge.close();
  });
  async function start(env: Record<string, string> = {}): Promise<TestApp> {
    const onStatement = (sql: string) => void statements.push(sql);
    const started = await startDomainsApp(kind, authority, edge, {
      env: { MOORING_BASE_DOMAIN: 'apps.example', ...env },
      onStatement,
    });
    apps.push(started);
    return started;
  }
  const certificatePath = (projectId: string, name: string) => `/api/projects/${projectId}/domains/${name}/certificate`;
  const upload = (projectId: string, name: string, { cert, key }: { cert: string; key: string }, token = ownerToken) =>
    app.call('PUT', certificatePath(projectId, name), { token, body: { certificate: cert, privateKey: key } });

  it('require a valid domain', async () => {
    for (const what of ['status', 'renew'] as const) {
      const bare = await app.call('POST', `/api/deployments/ssl/${what}`, { token: ownerToken });
      expect([bare.status, bare.body['error']]).toEqual([400, 'domain is required']);
      for (const domain of ['', '  '])
        expect((await ssl(app, what, domain)).body).toMatchObject({ error: 'domain is required' });
      for (const domain of [
        5,
        null,
        {},
        'x',
        'https://a.example.com/',
        'a b.example.com',
        '10.0.0.1',
        '::1',
        '*.example.com',
        'a..b',
        `${'a'.repeat(64)}.com`,
        'a.example.com:443',
        'a.0x7f',
        'x.1',
      ]) {
        const answer = await ssl(app, what, domain);
        expect([domain, answer.status, fieldOf(answer)]).toEqual([domain, 400, 'domain']);
      }
    }
  });

  it('do not reveal domains of other organizations', async () => {
    const stranger = await foreignOrganization(app);
    const theirs = `theirs.${kind}.localhost`;
    await projectWith(app, [theirs], { token: stranger.token });
    const unknown = await ssl(app, 'renew', `nobody.${kind}.localhost`);
    const foreign = await ssl(app, 'renew', theirs);
    expect([unknown.status, foreign.status]).toEqual([400, 400]);
    expect(foreign.text.replaceAll('theirs', 'nobody')).toBe(unknown.text);
    expect(dataOf(await ssl(app, 'status', theirs))).toMatchObject({
      isOurs: false,
      stored: null,
      order: null,
      action: { required: false },
    });
    expect(dataOf(await ssl(app, 'status', theirs, stranger.token))).toMatchObject({ isOurs: true });
  });

  it('order nothing for free names without a release, or made-up names below one', async () => {
    const project = await projectWith(app, []);
    const { db } = app.database;
    const { slug, organizationId } = await db
      .selectFrom('projects')
      .select(['slug', 'organizationId'])
      .where('id', '=', project)
      .executeTakeFirstOrThrow();
    const row = { name: slug, organizationId, projectId: project, environment: 'production' };
    await db
      .insertInto('host_names')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const name = `x1.${slug}.apps.example`;
    const refused = await ssl(app, 'renew', name);
    expect([refused.status, refused.body['error']]).toEqual([400, `nothing is deployed under ${name}`]);
    expect(await db.selectFrom('certificate_orders').selectAll().where('name', '=', name).execute()).toEqual([]);
  });

  it('respect the grants of restricted members', async () => {
    const [granted, hidden] = [`granted.${kind}.localhost`, `hidden.${kind}.localhost`];
    const projectId = await projectWith(app, [granted]);
    await projectWith(app, [hidden]);
    const member = await join(app, `restricted-${kind}@example.com`, 'restricted');
    const grants = [{ resource: 'project', id: projectId, actions: ['read'] }];
    await app.call('PUT', `/api/members/${member.memberId}/grants`, { token: ownerToken, body: { grants } });
    const ask = (what: string, domain: string) =>
      app.call('POST', `/api/deployments/ssl/${what}`, { cookie: member.cookie, body: { domain } });
    expect(dataOf(await ask('status', granted))).toMatchObject({ isOurs: true });
    expect(dataOf(await ask('status', hidden))).toMatchObject({ isOurs: false, stored: null, order: null });
    expect((await ask('renew', granted)).status).toBe(403);
  });

  it('report the status without writing', async () => {
    const name = `look.${kind}.localhost`;
    const projectId = await projectWith(app, [name]);
    await upload(projectId, name, selfSigned(name, 60));
    statements.length = 0;
    const { served, stored, action } = dataOf(await ssl(app, 'status', name));
    expect(statements.filter((sql) => !sql.startsWith('select '))).toEqual([]);
    expect(stored).toMatchObject({ source: 'uploaded', subjectNames: [name], renewsAt: null, daysLeft: 59 });
    expect(served).toMatchObject({ reachable: true, chain: 'self_signed', matches: true, address: '127.0.0.1' });
    expect(served.fingerprint).toBe(stored.fingerprint);
    expect(action).toEqual({ required: false, message: 'no action is needed', fix: null });
    const unserved = dataOf(await ssl(app, 'status', `unserved.${kind}.localhost`));
    expect(unserved.served).toMatchObject({ reachable: false, code: 'unreachable', issuer: null });
  });

  it('do not connect to private addresses in cloud mode', async () => {
    const cloud = await start({ MOORING_MODE: 'cloud' });
    const { served } = dataOf(await ssl(cloud, 'status', `here.${kind}.localhost`));
    expect(served).toMatchObject({ reachable: false, code: 'refused' });
    edge.answerBy(app);
  });

  it('respect the rate limits of the authority', async () => {
    const name = `limited.${kind}.localhost`;
    await projectWith(app, [name]);
    refusal = () => ({
      status: 429,
      headers: { 'retry-after': '7200' },
      body: problem('rateLimited', 'too many already'),
    });
    const first = await ssl(app, 'renew', name);
    expect(first).toMatchObject({
      status: 400,
      body: { code: 'certificate_failed', error: expect.stringMatching(/too many already/) },
    });
    const asked = authority.orders();
    const { order, action } = dataOf(await ssl(app, 'status', name));
    expect(order).toMatchObject({ status: 'failed', error: { code: 'rate_limited' } });
    const waits = Date.parse(order.nextAttemptAt) - Date.now();
    expect(waits).toBeGreaterThan(7_190_000);
    expect(waits).toBeLessThan(7_210_000);
    expect(action.required).toBe(true);
    const second = await ssl(app, 'renew', name);
    expect(second).toMatchObject({ status: 400, body: { message: expect.stringContaining(order.nextAttemptAt) } });
    expect(authority.orders()).toBe(asked);
  });

  it('report the error of the authority', async () => {
    const expected: [object, string][] = [
      [problem('dns'), 'dns'],
      [problem('caa'), 'caa'],
      [problem('rejectedIdentifier'), 'rejected_identifier'],
      [problem('userActionRequired'), 'account'],
      [problem('serverInternal'), 'unreachable'],
      [problem('malformed', 'a\u0000\nb'), 'refused'],
      [[], 'refused'],
    ];
    for (const [i, [body, code]] of expected.entries()) {
      const name = `no${i}.${kind}.localhost`;
      await projectWith(app, [name]);
      refusal = () => ({ status: 403, body });
      const { status, text } = await ssl(app, 'renew', name);
      expect([code, status]).toEqual([code, 400]);
      expect(text).not.toContain(String.raw`\u0000`);
      expect(dataOf(await ssl(app, 'status', name)).order.error).toMatchObject({ code });
    }
    for (const answer of [
      { status: 201, headers: { location: 'http://example.com/1' }, body: {} },
      { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: {} },
      {
        status: 201,
        headers: { location: 'https://127.0.0.1/1' },
        body: { status: 'pending', authorizations: 'x'.repeat(300_000) },
      },
    ]) {
      const name = `odd${answer.status}${JSON.stringify(answer.body).length}.${kind}.localhost`;
      await projectWith(app, [name]);
      refusal = () => answer;
      expect((await ssl(app, 'renew', name)).status).toBe(400);
      expect(dataOf(await ssl(app, 'status', name)).order.error).toMatchObject({ code: 'bad_answer' });
    }
  });

  it('accept valid uploaded certificates only', async () => {
    const name = `up.${kind}.localhost`;
    const projectId = await projectWith(app, [name]);
    const good = selfSigned(name, 60);
    const ca = { ...selfSigned('ca', 60), host: 'ca' };
    const wrong: [string, { cert: string; key: string }, string][] = [
      ['certificate', { ...good, cert: 'x' }, 'PEM'],
      ['certificate', { ...good, cert: good.cert.replace(/\nM.{20}/, '\nM') }, 'cannot be read'],
      ['certificate', selfSigned('other.example.com', 60), 'is not for'],
      ['certificate', selfSigned(name, -1), 'expired on'],
      ['certificate', signedBy(ca, name, 60, { beginsInDays: 1 }), 'is not valid before'],
      ['certificate', signedBy(ca, name, 60, { rsaBits: 1024 }), 'too small'],
      ['privateKey', { ...good, key: 'MIIsecret' }, 'PEM'],
      ['privateKey', { ...good, key: selfSigned(name).key }, 'does not match'],
      ['privateKey', { ...good, key: good.key.replace('PRIVATE', 'ENCRYPTED PRIVATE') }, 'passphrase'],
    ];
    for (const [field, given, words] of wrong) {
      const answer = await upload(projectId, name, given);
      expect([words, answer.status, fieldOf(answer)]).toEqual([words, 400, field]);
      expect(answer.body['error']).toContain(words);
      expect(answer.text).not.toContain('MIIsecret');
    }
    const answer = await upload(projectId, name, good);
    expect(answer.status, answer.text).toBe(200);
    expect(dataOf(answer).warnings).toEqual([expect.stringContaining('is self-signed')]);
    const wild = signedBy(ca, `*.${kind}.localhost`, 60);
    const incomplete = await upload(projectId, name, wild);
    expect(dataOf(incomplete).warnings).toEqual([expect.stringContaining('rig ca')]);
    expect(dataOf(await upload(projectId, name, { ...wild, cert: wild.cert + good.cert })).warnings).toEqual([
      expect.stringContaining('not in order'),
    ]);
    expect(dataOf(await upload(projectId, name, { ...wild, cert: wild.cert + ca.cert })).warnings).toEqual([]);
    const status = await ssl(app, 'status', name);
    expect(dataOf(status)).toMatchObject({
      stored: { source: 'uploaded' },
      served: { chain: 'untrusted', matches: true },
      action: { required: false },
    });
    for (const each of [answer, incomplete, status]) expect(each.text).not.toMatch(/PRIVATE KEY|"s1\./);
    expect((await ssl(app, 'renew', name)).body).toMatchObject({
      code: 'certificate_failed',
      error: expect.stringMatching(/was uploaded/),
    });
    const gone = await app.call('DELETE', certificatePath(projectId, name), { token: ownerToken });
    expect(gone.status).toBe(200);
    expect(await edge.edge.certificates()).not.toContainEqual(expect.objectContaining({ host: name }));
    expect((await app.call('DELETE', certificatePath(projectId, name), { token: ownerToken })).status).toBe(404);
    expect((await upload(projectId, `nobody.${kind}.localhost`, good)).status).toBe(404);
  });

  it('warn before an uploaded certificate expires', async () => {
    const name = `soon.${kind}.localhost`;
    const projectId = await projectWith(app, [name]);
    await upload(projectId, name, selfSigned(name, 5));
    const { action } = dataOf(await ssl(app, 'status', name));
    expect(action).toMatchObject({ required: true, message: expect.stringContaining('expires in 4 days') });
  });

  it('answer challenges by token and host until they expire', async () => {
    const { db } = app.database;
    const rows = [
      { token: `tok-${kind}`, host: 'a.example.com', answer: 'yes', expiresAt: Date.now() + 60_000 },
      { token: `old-${kind}`, host: 'a.example.com', answer: 'yes', expiresAt: Date.now() - 1 },
    ];
    await db.insertInto('domain_proofs').values(rows).execute();
    const ask = (token: string, headers: Record<string, string>) =>
      app.call('GET', `/.well-known/acme-challenge/${token}`, { headers });
    const found = await ask(`tok-${kind}`, { host: 'A.example.com:80' });
    expect(found).toMatchObject({ status: 200, text: 'yes', headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect((await ask(`tok-${kind}`, { 'x-mooring-asked-host': 'a.example.com' })).text).toBe('yes');
    expect((await ask(`tok-${kind}`, { host: 'b.example.com' })).status).toBe(404);
    expect((await ask(`old-${kind}`, { host: 'a.example.com' })).status).toBe(404);
    expect((await ask('%2e%2e', { host: 'a.example.com' })).status).toBe(404);
  });
});
