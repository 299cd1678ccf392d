import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  ownerEmail,
  ownerPassword,
  ownerToken,
  proofOf,
  startApp,
  type TestApp,
} from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { foreignOrganization, join, newToken, signIn, signInOwner } from '../../../test/rig/people.ts';
import { until } from '../../../test/rig/until.ts';

const dataOf = (answer: Answer) => (answer.body as unknown as { data: Record<string, string> }).data;

describe.each(databaseKinds)('attackers, on %s', (kind) => {
  let app: TestApp;
  let owner: { cookie: string };
  beforeEach(async () => {
    app = await startApp(kind, { env: { MOORING_TRUSTED_PROXIES: '127.0.0.1' } });
    owner = { cookie: await signInOwner(app) };
  });
  afterEach(() => app.close());

  const post = (path: string, body: object, who: object = {}) => app.call('POST', path, { ...who, body });

  it('cannot act after removal by delaying the body of a request', async () => {
    const second = await join(app, 'second@example.com', 'owner');
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    const body = JSON.stringify({ email: 'backdoor@example.com', role: 'owner' });
    const head = `POST /api/invitations HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: ${second.cookie}\r\nx-session-proof: ${proofOf(second.cookie)}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    let answer = '';
    const socket = connect((app.server.server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(head));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await app.call('DELETE', `/api/members/${second.memberId}`, owner)).status).toBe(200);
    socket.write(body);
    await until('it is answered', () => answer.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 40[34]/);
    expect((await app.call('GET', '/api/invitations', owner)).text).not.toContain('backdoor');
    socket.destroy();
  });

  it('cannot use a session cookie alone, which other ports of the host receive as well', async () => {
    const [other, guest] = [await signInOwner(app), await join(app, 'guest@example.com', 'member')];
    const proof = (value: string) => ({ ...owner, headers: { 'x-session-proof': value } });
    const thieves = ['', 'x', 'z'.repeat(43), proofOf(other)!, proofOf(guest.cookie)!].map(proof);
    const rows = () => app.database.db.selectFrom('tokens').select('id').execute();
    const before = await rows();
    for (const thief of thieves) {
      const answers = [
        await app.call('GET', '/api/me', thief),
        await app.call('GET', '/api/projects', thief),
        await app.call('GET', '/api/deployments/dep_x/stream', thief),
        await post('/api/tokens', { name: 'mine', permissions: '*' }, thief),
        await post('/api/auth/sign-out', {}, thief),
      ];
      expect(answers.map(({ status, body }) => [status, body['code']])).toEqual(
        answers.map(() => [401, 'unauthenticated']),
      );
      expect(answers[0]!.body['error']).toContain('X-Session-Proof');
    }
    expect(await rows()).toEqual(before);
    expect((await app.call('GET', '/api/me', owner)).status, 'the page itself goes on').toBe(200);
    const { db } = app.database;
    expect(JSON.stringify(await db.selectFrom('sessions').selectAll().execute())).not.toContain(proofOf(other));
    // Sessions of an earlier version have no proof and are invalid.
    await db.updateTable('sessions').set({ proofHash: null }).execute();
    for (const who of [owner, ...thieves]) expect((await app.call('GET', '/api/me', who)).status).toBe(401);
  });

  it('cannot turn a narrow token into a session or a role', async () => {
    const token = await newToken(app, owner.cookie, ['member:admin']);
    const members = (await app.call('GET', '/api/members', { token })).body as unknown as { data: { id: string }[] };
    expect((await post(`/api/members/${members.data[0]!.id}/password-reset`, {}, { token })).status).toBe(403);
    for (const role of ['owner', 'admin', 'member', 'viewer'])
      expect((await post('/api/invitations', { email: 'x@example.com', role }, { token })).status).toBe(403);
    const person = await join(app, 'person@example.com', 'viewer');
    const promote = await app.call('PATCH', `/api/members/${person.memberId}`, { token, body: { role: 'owner' } });
    expect(promote.status).toBe(403);
    const grants = [{ resource: 'project', id: 'prj_x', actions: ['admin'] }];
    expect((await app.call('PUT', `/api/members/${person.memberId}/grants`, { token, body: { grants } })).status).toBe(
      403,
    );
  });

  it('cannot create a token that outlives its parent, by expiry or revocation', async () => {
    const short = dataOf(await post('/api/tokens', { name: 'short', permissions: '*', expiresInDays: 1 }, owner));
    const child = dataOf(
      await post('/api/tokens', { name: 'child', permissions: '*', expiresInDays: 99 }, { token: short['token'] }),
    );
    expect(child['expiresAt']).toBe(short['expiresAt']);
    await app.call('DELETE', `/api/tokens/${short['id']}`, owner);
    expect((await app.call('GET', '/api/me', { token: child['token']! })).status).toBe(401);
  });

  it('cannot leave an organization with a read-only token', async () => {
    const member = await join(app, 'member@example.com', 'member');
    const token = await newToken(app, member.cookie, ['organization:read']);
    const { organizationId } = member;
    expect((await post('/api/organizations/leave', { organizationId }, { token })).status).toBe(403);
  });

  it('cannot use a reset link after the user joined another organization', async () => {
    const victim = await join(app, 'victim@example.com', 'member');
    const link = async () => dataOf(await post(`/api/members/${victim.memberId}/password-reset`, {}, owner))['token'];
    const use = async (token: string | undefined) =>
      (await post('/api/auth/reset-password', { token, password: 'taken over' })).status;
    const beforeChange = await link();
    await post(
      '/api/auth/password',
      { currentPassword: ownerPassword, newPassword: 'my own choice' },
      { cookie: victim.cookie },
    );
    expect(await use(beforeChange)).toBe(404);
    const beforeJoining = await link();
    const stranger = await foreignOrganization(app);
    const { token } = dataOf(
      await post('/api/invitations', { email: victim.email, role: 'owner' }, { token: stranger.token }),
    );
    await post('/api/invitations/accept', { token, password: 'my own choice' });
    expect(await use(beforeJoining)).toBe(404);
    const beforeCreating = await link();
    await post('/api/organizations', { name: 'Mine' }, { cookie: await signIn(app, victim.email, 'my own choice') });
    expect(await use(beforeCreating)).toBe(404);
  });

  it('get one valid reset link per member, also for concurrent requests', async () => {
    const { memberId } = await join(app, 'person@example.com', 'member');
    const offers = await Promise.all(
      Array.from({ length: 8 }, () => post(`/api/members/${memberId}/password-reset`, {}, owner)),
    );
    const uses = [];
    for (const offer of offers)
      uses.push(
        (await post('/api/auth/reset-password', { token: dataOf(offer)['token'], password: 'long enough' })).status,
      );
    expect(uses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('leave no invitation behind after removal or demotion', async () => {
    for (const change of ['remove', 'demote']) {
      const second = await join(app, `${change}@example.com`, 'owner');
      const { token } = dataOf(
        await post('/api/invitations', { email: 'backdoor@example.com', role: 'owner' }, { cookie: second.cookie }),
      );
      if (change === 'remove') await app.call('DELETE', `/api/members/${second.memberId}`, owner);
      else await app.call('PATCH', `/api/members/${second.memberId}`, { ...owner, body: { role: 'viewer' } });
      expect((await post('/api/invitations/look', { token })).status).toBe(404);
    }
  });

  it('get ten password guesses, also for concurrent requests', async () => {
    const guess = (i: number) =>
      post('/api/auth/sign-in', { email: ownerEmail, password: i === 20 ? ownerPassword : `wrong ${i}` });
    const statuses = (await Promise.all(Array.from({ length: 30 }, (_, i) => guess(i)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(19);
    expect(statuses.every((status) => [200, 401, 429].includes(status))).toBe(true);
  });

  it('from one IPv6 network count together and do not lock out an owner who signed in before', async () => {
    const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
    const guess = async (ip: string, password = 'wrong') =>
      (await post('/api/auth/sign-in', { email: ownerEmail, password }, from(ip))).status;
    for (let i = 0; i < 10; i++) expect(await guess(`2001:db8::${i + 1}`)).toBe(401);
    expect(await guess('2001:db8::ffff')).toBe(429);
    await app.database.db
      .updateTable('sign_in_failures')
      .set({ failures: 100 })
      .where('key', '=', `account ${ownerEmail}`)
      .execute();
    expect(await guess('198.51.100.7', ownerPassword), 'from an address that nobody knows').toBe(429);
    expect(await guess('127.0.0.1', ownerPassword), 'from where the owner signed in before').toBe(200);
  });

  it('cannot lock out the instance owner by removing the membership', async () => {
    const second = await join(app, 'second@example.com', 'owner');
    const me = dataOf(await app.call('GET', '/api/me', owner))['organization'] as unknown as { memberId: string };
    expect((await app.call('DELETE', `/api/members/${me.memberId}`, { cookie: second.cookie })).status).toBe(200);
    expect((await post('/api/organizations', { name: 'Again' }, owner)).status).toBe(201);
    const other = await join(app, 'other@example.com', 'member', { cookie: second.cookie });
    await app.call('DELETE', `/api/members/${other.memberId}`, { cookie: second.cookie });
    expect((await post('/api/organizations', { name: 'Mine' }, { cookie: other.cookie })).status).toBe(403);
    expect((await app.call('GET', '/api/me', { token: ownerToken })).status).toBe(401);
  });
});
