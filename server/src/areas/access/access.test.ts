import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, ownerEmail, ownerPassword, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { cookieOf, foreignOrganization, join, newToken, signIn, signInOwner } from '../../../test/rig/people.ts';
import { hashSecret } from '../../lib/secrets.ts';

type Data = Record<string, never> & { data: Record<string, string> & Record<string, string>[] };
const dataOf = (answer: Answer) => (answer.body as unknown as Data).data;

describe.each(databaseKindsInFull)('access on %s', (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
  });
  afterEach(() => app.close());

  const as = (cookie: string) => ({ cookie });
  const owner = { token: ownerToken };

  describe('setup', () => {
    const body = { name: 'Ada', email: 'Ada@Example.com', password: 'long enough' };

    it('works once, with the code of the link', async () => {
      const fresh = await startApp(kind, { withoutOwner: true });
      expect(dataOf(await fresh.call('GET', '/api/auth/setup'))).toEqual({ needed: true });
      const code = await fresh.access.setup.offerCode();
      expect(await fresh.call('POST', '/api/auth/setup', { body: { ...body, code: 'guess' } })).toMatchObject({
        status: 403,
      });
      const created = await fresh.call('POST', '/api/auth/setup', { body: { ...body, code } });
      expect(created).toMatchObject({
        status: 201,
        body: { data: { user: { email: 'ada@example.com', isInstanceOwner: true } } },
      });
      expect((await fresh.call('GET', '/api/me', as(cookieOf(created.headers)))).status).toBe(200);
      expect(await fresh.call('POST', '/api/auth/setup', { body: { ...body, code } })).toMatchObject({
        status: 409,
        body: { code: 'already_set_up' },
      });
      expect(dataOf(await fresh.call('GET', '/api/auth/setup'))).toEqual({ needed: false });
      await fresh.close();
    });

    it('has one winner for concurrent requests', async () => {
      const fresh = await startApp(kind, { withoutOwner: true });
      const codes = [await fresh.access.setup.offerCode(), await fresh.access.setup.offerCode()];
      const answers = await Promise.all(
        codes.map((code, i) => fresh.call('POST', '/api/auth/setup', { body: { ...body, email: `${i}@x.co`, code } })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
      expect(await fresh.database.db.selectFrom('users').select('id').execute()).toHaveLength(1);
      await fresh.close();
    });
  });

  describe('sessions', () => {
    it('start with the password and end with sign-out', async () => {
      const cookie = await signInOwner(app);
      expect(dataOf(await app.call('GET', '/api/me', as(cookie)))).toMatchObject({
        via: 'session',
        user: { email: ownerEmail },
        organization: { role: 'owner' },
      });
      expect((await app.call('POST', '/api/auth/sign-out', as(cookie))).headers['set-cookie']).toContain('Max-Age=0');
      expect(await app.call('GET', '/api/me', as(cookie))).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      });
    });

    it('are stored as a hash only', async () => {
      const [, secret = ''] = (await signInOwner(app)).split('=');
      const rows = await app.database.db.selectFrom('sessions').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(rows[0]!.hash).toBe(hashSecret(secret));
    });

    it('expire', async () => {
      const cookie = await signInOwner(app);
      await app.database.db
        .updateTable('sessions')
        .set({ expiresAt: Date.now() - 1 })
        .execute();
      expect((await app.call('GET', '/api/me', as(cookie))).status).toBe(401);
    });

    it('do not reveal whether an account exists', async () => {
      const wrong = await app.call('POST', '/api/auth/sign-in', { body: { email: ownerEmail, password: 'wrong' } });
      const nobody = await app.call('POST', '/api/auth/sign-in', {
        body: { email: 'nobody@example.com', password: 'wrong' },
      });
      expect(wrong.status).toBe(401);
      expect(nobody.text).toBe(wrong.text);
    });

    it('are rate-limited after ten failures, even with the right password, but not for other accounts', async () => {
      const attempt = (email: string, password: string) =>
        app.call('POST', '/api/auth/sign-in', { body: { email, password } });
      const other = await join(app, 'other@example.com', 'member');
      for (let i = 0; i < 10; i++) expect((await attempt(ownerEmail, 'wrong')).status).toBe(401);
      const refused = await attempt(ownerEmail, ownerPassword);
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
      expect((await attempt(other.email, ownerPassword)).status).toBe(200);
      await app.database.db
        .updateTable('sign_in_failures')
        .set({ until: Date.now() - 1 })
        .execute();
      expect((await attempt(ownerEmail, ownerPassword)).status).toBe(200);
    });

    it('reset the failures after a successful sign-in', async () => {
      const attempt = (password: string) =>
        app.call('POST', '/api/auth/sign-in', { body: { email: ownerEmail, password } });
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < 9; i++) await attempt('wrong');
        expect((await attempt(ownerPassword)).status).toBe(200);
      }
    });
  });

  describe('tokens', () => {
    it('are shown once and stored as a hash', async () => {
      const created = await app.call('POST', '/api/tokens', {
        ...owner,
        body: { name: 'ci', permissions: ['deployment:read'], expiresInDays: 7 },
      });
      const { token = '', prefix = '' } = dataOf(created);
      expect(created.status).toBe(201);
      expect(token).toMatch(/^mrg_pat_[A-Za-z0-9_-]{43}$/);
      expect(token.startsWith(prefix)).toBe(true);
      const list = await app.call('GET', '/api/tokens', owner);
      expect(list.text).not.toContain(token);
      expect(JSON.stringify(await app.database.db.selectFrom('tokens').selectAll().execute())).not.toContain(token);
    });

    it('have only their own permissions', async () => {
      const token = await newToken(app, await signInOwner(app), ['member:list']);
      expect((await app.call('GET', '/api/members', { token })).status).toBe(200);
      expect(await app.call('GET', '/api/tokens', { token })).toMatchObject({
        status: 403,
        body: { error: 'this needs the permission token:list' },
      });
    });

    it('never have more permissions than their creator', async () => {
      const viewer = await join(app, 'viewer@example.com', 'viewer');
      const wanted = { name: 'x', permissions: ['deployment:write'] };
      expect((await app.call('POST', '/api/tokens', { ...as(viewer.cookie), body: wanted })).status).toBe(403);
      const narrow = await newToken(app, await signInOwner(app), ['token:write', 'deployment:read']);
      expect(
        (
          await app.call('POST', '/api/tokens', {
            token: narrow,
            body: { name: 'x', permissions: ['deployment:write'] },
          })
        ).status,
      ).toBe(403);
      const all = dataOf(
        await app.call('POST', '/api/tokens', { token: narrow, body: { name: 'x', permissions: '*' } }),
      );
      expect([...(all['permissions'] as unknown as string[])].toSorted()).toEqual([
        'deployment:read',
        'token:list',
        'token:read',
        'token:write',
      ]);
    });

    it('lose the permissions that their member loses', async () => {
      const member = await join(app, 'member@example.com', 'member');
      const token = await newToken(app, member.cookie, '*');
      expect((await app.call('POST', '/api/organizations', { token, body: { name: 'Mine' } })).status).toBe(201);
      await app.call('PATCH', `/api/members/${member.memberId}`, { ...owner, body: { role: 'viewer' } });
      expect((await app.call('POST', '/api/organizations', { token, body: { name: 'Mine' } })).status).toBe(403);
      await app.call('DELETE', `/api/members/${member.memberId}`, owner);
      expect((await app.call('GET', '/api/me', { token })).status).toBe(401);
    });

    it('end by expiry and revocation', async () => {
      const token = await newToken(app, await signInOwner(app), '*');
      await app.database.db
        .updateTable('tokens')
        .set({ expiresAt: Date.now() - 1 })
        .where('hash', '=', hashSecret(token))
        .execute();
      expect((await app.call('GET', '/api/me', { token })).status).toBe(401);
      const created = dataOf(
        await app.call('POST', '/api/tokens', { ...owner, body: { name: 'x', permissions: '*' } }),
      );
      expect((await app.call('DELETE', `/api/tokens/${created['id']}`, owner)).status).toBe(200);
      expect((await app.call('GET', '/api/me', { token: created['token']! })).status).toBe(401);
      expect((await app.call('DELETE', `/api/tokens/${created['id']}`, owner)).status).toBe(404);
    });

    it('of other members require token:admin', async () => {
      const member = await join(app, 'member@example.com', 'member');
      const created = dataOf(
        await app.call('POST', '/api/tokens', { ...owner, body: { name: 'x', permissions: '*' } }),
      );
      expect(dataOf(await app.call('GET', '/api/tokens', as(member.cookie)))).toEqual([]);
      expect((await app.call('DELETE', `/api/tokens/${created['id']}`, as(member.cookie))).status).toBe(404);
      const own = dataOf(
        await app.call('POST', '/api/tokens', { ...as(member.cookie), body: { name: 'mine', permissions: '*' } }),
      );
      expect((await app.call('DELETE', `/api/tokens/${own['id']}`, owner)).status).toBe(200);
    });

    it('for another organization can be created by a session of a member of both, not by a token', async () => {
      const stranger = await foreignOrganization(app);
      const cookie = await signInOwner(app);
      const body = { name: 'x', permissions: '*', organizationId: stranger.organizationId };
      const made = dataOf(await app.call('POST', '/api/tokens', { cookie, body }));
      expect(dataOf(await app.call('GET', '/api/me', { token: made['token']! }))).toMatchObject({
        organization: { id: stranger.organizationId },
      });
      expect((await app.call('POST', '/api/tokens', { ...owner, body })).status).toBe(404);
      const member = await join(app, 'member@example.com', 'member');
      expect((await app.call('POST', '/api/tokens', { ...as(member.cookie), body })).status).toBe(404);
    });

    it('record their last use', async () => {
      await app.call('GET', '/api/me', owner);
      await app.access.stop();
      const [token] = dataOf(await app.call('GET', '/api/tokens', owner));
      expect(Date.parse(token!['lastUsedAt']!)).toBeGreaterThan(Date.now() - 60_000);
    });

    it.each([
      'Bearer',
      'Basic abc',
      'Bearer nonsense',
      `Bearer mrg_pat_${'x'.repeat(43)}`,
      `Bearer ${ownerToken} extra`,
    ])('are rejected as %j', async (authorization) => {
      expect(await app.call('GET', '/api/me', { headers: { authorization } })).toMatchObject({
        status: 401,
        body: { success: false, code: 'unauthenticated' },
      });
    });
  });

  describe('invitations', () => {
    const invite = (body: object, who: object = owner) => app.call('POST', '/api/invitations', { ...who, body });

    it('add a new user once', async () => {
      const invited = await invite({ email: 'New@Example.com', role: 'viewer' });
      const { token = '', url } = dataOf(invited);
      expect(invited.status).toBe(201);
      expect(url).toBe(`http://mooring.test/invitation#token=${token}`);
      expect(dataOf(await app.call('POST', '/api/invitations/look', { body: { token } }))).toEqual({
        organizationName: 'First',
        email: 'new@example.com',
        role: 'viewer',
        hasAccount: false,
      });
      const accept = () =>
        app.call('POST', '/api/invitations/accept', { body: { token, name: 'New', password: 'long enough' } });
      const accepted = await accept();
      expect(accepted.status).toBe(200);
      expect(dataOf(await app.call('GET', '/api/me', as(cookieOf(accepted.headers))))).toMatchObject({
        organization: { role: 'viewer' },
      });
      expect((await accept()).status).toBe(404);
      expect((await app.call('GET', '/api/invitations', owner)).text).not.toContain('new@example.com');
    });

    it('are accepted once by concurrent requests', async () => {
      const { token } = dataOf(await invite({ email: 'new@example.com', role: 'viewer' }));
      const accept = () =>
        app.call('POST', '/api/invitations/accept', { body: { token, name: 'New', password: 'long enough' } });
      const statuses = (await Promise.all([accept(), accept()])).map(({ status }) => status);
      expect(statuses).toContain(200);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.find((status) => status !== 200)).toBeGreaterThanOrEqual(400);
    });

    it('of an existing user require their password', async () => {
      const stranger = await foreignOrganization(app);
      const { token } = dataOf(await invite({ email: stranger.email, role: 'member' }));
      const accept = (password: string) => app.call('POST', '/api/invitations/accept', { body: { token, password } });
      expect((await accept('a new password')).status).toBe(401);
      const accepted = await accept(ownerPassword);
      expect(accepted.status).toBe(200);
      const me = dataOf(await app.call('GET', '/api/me', as(cookieOf(accepted.headers))));
      expect(me['organizations']).toHaveLength(2);
    });

    it('are replaced by a second one and can be withdrawn', async () => {
      const first = dataOf(await invite({ email: 'new@example.com', role: 'viewer' }));
      const second = dataOf(await invite({ email: 'new@example.com', role: 'member' }));
      const look = async (token: string) =>
        (await app.call('POST', '/api/invitations/look', { body: { token } })).status;
      expect(await look(first['token']!)).toBe(404);
      expect(await look(second['token']!)).toBe(200);
      expect((await app.call('DELETE', `/api/invitations/${second['id']}`, owner)).status).toBe(200);
      expect(await look(second['token']!)).toBe(404);
    });

    it("give no role above the inviter's, and none to members", async () => {
      const admin = await join(app, 'admin@example.com', 'admin');
      expect((await invite({ email: 'x@example.com', role: 'owner' }, as(admin.cookie))).status).toBe(403);
      expect((await invite({ email: 'x@example.com', role: 'admin' }, as(admin.cookie))).status).toBe(201);
      expect((await invite({ email: admin.email, role: 'viewer' })).status).toBe(409);
    });

    it('expire after a week', async () => {
      const { token } = dataOf(await invite({ email: 'new@example.com', role: 'viewer' }));
      await app.database.db
        .updateTable('invitations')
        .set({ expiresAt: Date.now() - 1 })
        .execute();
      expect((await app.call('POST', '/api/invitations/look', { body: { token } })).status).toBe(404);
    });
  });

  describe('members', () => {
    it('change role, except the last owner', async () => {
      const second = await join(app, 'second@example.com', 'owner');
      const [first] = dataOf(await app.call('GET', '/api/members', owner));
      const change = (id: string, role: string, who: object = owner) =>
        app.call('PATCH', `/api/members/${id}`, { ...who, body: { role } });
      const both = await Promise.all([
        change(first!['id']!, 'member', as(second.cookie)),
        change(second.memberId, 'member'),
      ]);
      expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      const owners = dataOf(await app.call('GET', '/api/members', owner)).filter(({ role }) => role === 'owner');
      expect(owners).toHaveLength(1);
      const remover = owners[0]!['email'] === ownerEmail ? owner : as(second.cookie);
      expect(await app.call('DELETE', `/api/members/${owners[0]!['id']}`, remover)).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
      expect((await change(owners[0]!['id']!, 'admin', remover)).status).toBe(409);
    });

    it('with the owner role can be changed by owners only', async () => {
      const admin = await join(app, 'admin@example.com', 'admin');
      const [first] = dataOf(await app.call('GET', '/api/members', owner));
      expect(
        (await app.call('PATCH', `/api/members/${first!['id']}`, { ...as(admin.cookie), body: { role: 'viewer' } }))
          .status,
      ).toBe(403);
      expect((await app.call('DELETE', `/api/members/${first!['id']}`, as(admin.cookie))).status).toBe(403);
      expect(
        (await app.call('PATCH', `/api/members/${admin.memberId}`, { ...as(admin.cookie), body: { role: 'owner' } }))
          .status,
      ).toBe(403);
    });

    it('can leave, except the last owner', async () => {
      const person = await join(app, 'person@example.com', 'restricted');
      const leave = (who: object, organizationId: string) =>
        app.call('POST', '/api/organizations/leave', { ...who, body: { organizationId } });
      expect((await leave(as(person.cookie), 'org_other')).status).toBe(404);
      expect((await leave(as(person.cookie), person.organizationId)).status).toBe(200);
      expect((await app.call('GET', '/api/members', owner)).text).not.toContain('person@example.com');
      expect((await leave(as(await signInOwner(app)), person.organizationId)).status).toBe(409);
    });

    it('with the restricted role get grants', async () => {
      const person = await join(app, 'person@example.com', 'restricted');
      expect((await app.call('GET', '/api/members', as(person.cookie))).status).toBe(403);
      const project = dataOf(await app.call('POST', '/api/projects', { ...owner, body: { name: 'Shop' } }));
      const grants = [{ resource: 'project', id: project['id'], actions: ['read'] }];
      const put = await app.call('PUT', `/api/members/${person.memberId}/grants`, { ...owner, body: { grants } });
      expect(dataOf(put)['grants']).toEqual(grants);
      const me = dataOf(await app.call('GET', '/api/me', as(person.cookie)))['organization'] as unknown as {
        permissions: string[];
        grants: object[];
      };
      expect(me.grants).toEqual(grants);
      expect(me.permissions).toContain('deployment:read');
      expect(me.permissions).not.toContain('deployment:write');
      const bad = [{ resource: 'repository', id: 'no-slash', actions: ['read'] }];
      expect(
        await app.call('PUT', `/api/members/${person.memberId}/grants`, { ...owner, body: { grants: bad } }),
      ).toMatchObject({ status: 400, body: { error: 'grants.0.id must be owner/repo or owner/*' } });
    });
  });

  describe('passwords', () => {
    it('are changed with the current one, which ends other sessions', async () => {
      const [here, there] = [await signInOwner(app), await signInOwner(app)];
      const change = (currentPassword: string) =>
        app.call('POST', '/api/auth/password', {
          ...as(here),
          body: { currentPassword, newPassword: 'another long one' },
        });
      expect(await change('wrong')).toMatchObject({ status: 400, body: { details: [{ field: 'currentPassword' }] } });
      expect((await change(ownerPassword)).status).toBe(200);
      expect((await app.call('GET', '/api/me', as(here))).status).toBe(200);
      expect((await app.call('GET', '/api/me', as(there))).status).toBe(401);
      await signIn(app, ownerEmail, 'another long one');
      expect(
        (
          await app.call('POST', '/api/auth/password', {
            ...owner,
            body: { currentPassword: ownerPassword, newPassword: 'another long one' },
          })
        ).status,
      ).toBe(403);
    });

    it('revoke tokens when reset, and on request when changed', async () => {
      const [person, other] = [
        await join(app, 'tokens@example.com', 'member'),
        await join(app, 'o@example.com', 'member'),
      ];
      const stranger = await foreignOrganization(app);
      const elsewhere = { token: stranger.token, body: { email: person.email, role: 'member' } };
      const { token: invitation } = dataOf(await app.call('POST', '/api/invitations', elsewhere));
      const accept = { body: { token: invitation, password: ownerPassword } };
      expect((await app.call('POST', '/api/invitations/accept', accept)).status).toBe(200);
      const theirs = await newToken(app, other.cookie, '*');
      const newTokens = async () => {
        const headers = { 'x-organization-id': stranger.organizationId };
        const body = { name: 'second', permissions: '*' };
        const second = await app.call('POST', '/api/tokens', { ...as(person.cookie), headers, body });
        return [await newToken(app, person.cookie, '*'), dataOf(second).token as unknown as string];
      };
      const statuses = (tokens: string[]) =>
        Promise.all(tokens.map(async (token) => (await app.call('GET', '/api/me', { token })).status));
      const change = async (currentPassword: string, newPassword: string, more: object = {}) =>
        (
          await app.call('POST', '/api/auth/password', {
            ...as(person.cookie),
            body: { currentPassword, newPassword, ...more },
          })
        ).status;
      const tokens = await newTokens();
      expect(await change(ownerPassword, 'the second password')).toBe(200);
      expect(await statuses(tokens)).toEqual([200, 200]);
      expect(await change('the second password', 'the third password', { revokeTokens: true })).toBe(200);
      expect(await statuses(tokens)).toEqual([401, 401]);
      const again = await newTokens();
      const { token } = dataOf(
        await app.call('POST', `/api/members/${person.memberId}/password-reset`, as(await signInOwner(app))),
      );
      await app.call('POST', '/api/auth/reset-password', { body: { token, password: 'the fourth password' } });
      expect(await statuses([...again, theirs])).toEqual([401, 401, 200]);
    });

    it("are reset once by an owner's link", async () => {
      const person = await join(app, 'person@example.com', 'member');
      const { token, url } = dataOf(
        await app.call('POST', `/api/members/${person.memberId}/password-reset`, as(await signInOwner(app))),
      );
      expect(url).toBe(`http://mooring.test/reset-password#token=${token}`);
      const reset = () => app.call('POST', '/api/auth/reset-password', { body: { token, password: 'brand new one' } });
      expect((await reset()).status).toBe(200);
      expect((await reset()).status).toBe(404);
      expect((await app.call('GET', '/api/me', as(person.cookie))).status).toBe(401);
      await signIn(app, person.email, 'brand new one');
    });

    it('of the instance owner and members of other organizations cannot be reset by an owner', async () => {
      const stranger = await foreignOrganization(app);
      const shared = await join(app, 'shared@example.com', 'member');
      const { token } = dataOf(
        await app.call('POST', '/api/invitations', {
          token: stranger.token,
          body: { email: shared.email, role: 'member' },
        }),
      );
      await app.call('POST', '/api/invitations/accept', { body: { token, password: ownerPassword } });
      const inSecond = dataOf(await app.call('GET', '/api/members', { token: stranger.token }));
      for (const email of [shared.email, ownerEmail]) {
        const { id } = inSecond.find((each) => each['email'] === email)!;
        expect((await app.call('POST', `/api/members/${id}/password-reset`, as(stranger.cookie))).status).toBe(403);
      }
      expect(
        (await app.call('POST', `/api/members/${shared.memberId}/password-reset`, as(await signInOwner(app)))).status,
      ).toBe(201);
    });
  });

  describe('organizations', () => {
    it('are selected by a header; others are not found', async () => {
      const stranger = await foreignOrganization(app);
      const cookie = await signInOwner(app);
      const me = (id: string, who: object) =>
        app.call('GET', '/api/me', { ...who, headers: { 'x-organization-id': id } });
      expect(dataOf(await me(stranger.organizationId, { cookie }))).toMatchObject({ organization: { name: 'Second' } });
      const member = await join(app, 'member@example.com', 'member');
      const list = await app.call('GET', '/api/members', {
        ...as(member.cookie),
        headers: { 'x-organization-id': stranger.organizationId },
      });
      expect(list).toMatchObject({ status: 404, body: { error: 'organization not found' } });
    });

    it('are renamed by their admins', async () => {
      const renamed = await app.call('PATCH', '/api/organizations/current', { ...owner, body: { name: 'Harbour' } });
      expect(dataOf(renamed)).toMatchObject({ name: 'Harbour' });
      const member = await join(app, 'member@example.com', 'member');
      expect(
        (await app.call('PATCH', '/api/organizations/current', { ...as(member.cookie), body: { name: 'Mine' } }))
          .status,
      ).toBe(403);
    });

    it('are gone after removal, while the account stays', async () => {
      const person = await join(app, 'person@example.com', 'member');
      await app.call('DELETE', `/api/members/${person.memberId}`, owner);
      expect(dataOf(await app.call('GET', '/api/me', as(person.cookie)))).toMatchObject({
        organization: null,
        organizations: [],
      });
      expect((await app.call('GET', '/api/members', as(person.cookie))).status).toBe(403);
    });
  });

  describe('audit log', () => {
    it('records who did what, when and from where, with paging and filters', async () => {
      await app.call('POST', '/api/tokens', { ...owner, body: { name: 'ci', permissions: '*' } });
      for (let i = 0; i < 3; i++)
        await app.call('PATCH', '/api/organizations/current', { ...owner, body: { name: `Name ${i}` } });
      const list = async (query: string) =>
        (await app.call('GET', `/api/audit?${query}`, owner)).body as unknown as {
          data: Record<string, never>[];
          nextCursor: string | null;
        };
      const first = await list('limit=2');
      expect(first.data[0]).toMatchObject({
        action: 'organization.renamed',
        actor: { name: ownerEmail, tokenId: expect.stringMatching(/^tok_/) },
        ip: '127.0.0.1',
        details: { before: 'Name 1' },
      });
      const second = await list(`limit=2&cursor=${first.nextCursor}`);
      expect(second.data.map((entry) => entry['id'])).not.toContain(first.data[1]!['id']);
      expect((await list('action=token.')).data.map((entry) => entry['action'])).toEqual(['token.created']);
      expect((await list('action=organization.renamed')).data).toHaveLength(3);
      expect((await list('targetId=nothing')).data).toEqual([]);
      expect((await list(`from=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).data).toEqual([]);
      expect(
        (await list(`to=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}&limit=100`)).nextCursor,
      ).toBeNull();
      expect((await app.call('GET', '/api/audit?limit=101', owner)).status).toBe(400);
    });

    it('is separate for each organization', async () => {
      const stranger = await foreignOrganization(app);
      const { text } = await app.call('GET', '/api/audit', { token: stranger.token });
      expect(text).toContain('organization.created');
      expect(text).not.toContain('instance.set_up');
    });
  });
});
