import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken } from '../../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../../test/rig/databases.ts';
import { appSecret, type GitHostApp, hookUrl, startGitHostApp } from '../../../../test/rig/githost-app.ts';
import { announcedRepository, pushBody, signedBy } from '../../../../test/rig/githost-pushes.ts';
import { userTokens } from '../../../../test/rig/githost-seed.ts';
import { foreignOrganization, join, type Person } from '../../../../test/rig/people.ts';
import { until } from '../../../../test/rig/until.ts';

const sha = (digit: string) => digit.repeat(40);
const owner = { token: ownerToken };
const dataOf = <T>(answer: Answer): Readonly<T> => (answer.body as unknown as { data: T }).data;

type Hook = { id: number; url: string; ours: boolean };
type Delivery = {
  id: string;
  guid: string;
  event: string;
  status: string;
  why: string | null;
  repository: string;
  commitSha: string | null;
};

describe.each(databaseKindsInFull)('webhooks on %s', { timeout: 30_000 }, (kind) => {
  let rig: GitHostApp;
  beforeAll(async () => {
    rig = await startGitHostApp(kind);
    await rig.app.deployments.start();
  });
  afterAll(() => rig?.close());

  const call = (method: string, path: string, who: object = owner, body?: object) =>
    rig.app.call(method, path, { ...who, ...(body && { body }) });
  const hooks = '/api/githost/repos/team/shop/webhooks';
  const rows = () => rig.app.database.db.selectFrom('githost_deliveries').selectAll().orderBy('id').execute();
  const secretOfHook = () => rig.host.gaps.secrets.get(hookUrl)!;

  describe('of a repository', () => {
    it('are registered once, listed and deleted without exposing the secret', async () => {
      const made = await call('POST', hooks);
      expect([made.status, dataOf<Hook>(made)]).toEqual([
        201,
        { id: expect.any(Number), url: hookUrl, events: ['push'], active: true, ours: true },
      ]);
      const secret = secretOfHook();
      expect(secret).toHaveLength(43);
      const again = await call('POST', hooks);
      expect([again.status, dataOf<Hook>(again).id]).toEqual([200, dataOf<Hook>(made).id]);
      expect(secretOfHook()).toBe(secret);
      const list = await call('GET', hooks);
      expect(dataOf<Hook[]>(list)).toEqual([dataOf<Hook>(made)]);
      expect(made.text + again.text + list.text).not.toContain(secret);
      const unknown = await call('DELETE', hooks, owner, { hookId: 424_242 });
      expect([unknown.status, unknown.body['error']]).toEqual([404, 'webhook not found']);
      expect((await call('DELETE', hooks, owner, {})).text).toContain('hookId is required');
      const gone = await call('DELETE', hooks, owner, { hookId: dataOf<Hook>(made).id });
      expect([gone.status, dataOf(gone)]).toEqual([200, { hookId: dataOf<Hook>(made).id, deleted: true }]);
      expect(dataOf<Hook[]>(await call('GET', hooks))).toEqual([]);
    });

    it('can be deleted after they were deleted at the git host', async () => {
      const { id } = dataOf<Hook>(await call('POST', hooks));
      const token = Object.keys(userTokens)[0]!;
      const headers = { authorization: `Bearer ${token}` };
      await fetch(`${rig.host.apiUrl}/repos/team/shop/hooks/${id}`, { method: 'DELETE', headers });
      expect(dataOf(await call('DELETE', hooks, owner, { hookId: id }))).toEqual({ hookId: id, deleted: true });
      expect(await rig.app.database.db.selectFrom('githost_hooks').selectAll().execute()).toEqual([]);
      expect((await call('DELETE', hooks, owner, { hookId: id })).status).toBe(404);
    });

    it('are shared by organizations that use the same repository', async () => {
      const stranger = await foreignOrganization(rig.app);
      const theirs = { token: stranger.token };
      expect((await call('GET', hooks, theirs)).body['code']).toBe('not_connected');
      await rig.install(stranger.organizationId, 'team');
      const { id } = dataOf<Hook>(await call('POST', hooks));
      const secret = secretOfHook();
      expect((await call('POST', hooks, theirs)).status).toBe(200);
      expect(secretOfHook(), 'the first goes on to understand the host').toBe(secret);
      expect(dataOf(await call('DELETE', hooks, theirs, { hookId: id }))).toEqual({ hookId: id, deleted: false });
      expect(dataOf<Hook[]>(await call('GET', hooks)).map((each) => each.id)).toEqual([id]);
      expect(dataOf(await call('DELETE', hooks, owner, { hookId: id }))).toEqual({ hookId: id, deleted: true });
    });

    it('require an address that the git host can reach', async () => {
      const { hookAddress } = await import('./hook-address.ts');
      const gitHub = 'https://140.82.121.3';
      for (const url of [
        undefined,
        'http://127.0.0.1:4600',
        'http://localhost:4600',
        'http://10.1.2.3',
        'http://[::1]',
      ])
        await expect(hookAddress(url, gitHub), url).rejects.toMatchObject({
          code: 'not_configured',
          message: expect.stringMatching(/MOORING_PUBLIC_URL.*polls the branches/),
        });
      expect(await hookAddress('https://93.184.216.34', gitHub)).toBe('https://93.184.216.34/api/webhooks/githost');
      expect(await hookAddress('http://10.0.0.1', 'http://10.0.0.2')).toBe('http://10.0.0.1/api/webhooks/githost');
    });

    it('require a grant on the repository', async () => {
      const people: [grants: object[], get: number, post: number, remove: number][] = [
        [[{ resource: 'repository', id: 'Team/SHOP', actions: ['list'] }], 200, 403, 403],
        [[{ resource: 'repository', id: 'team/*', actions: ['admin'] }], 200, 201, 404],
        [[{ resource: 'repository', id: 'team/docs', actions: ['admin'] }], 404, 404, 404],
        [[{ resource: 'repository', id: 'tea/*', actions: ['admin'] }], 404, 404, 404],
      ];
      for (const [i, [grants, ...expected]] of people.entries()) {
        const person: Person = await join(rig.app, `restricted-${i}@example.com`, 'restricted');
        const path = `/api/members/${person.memberId}/grants`;
        expect((await call('PUT', path, owner, { grants })).status).toBe(200);
        const asked = [
          await call('GET', hooks, person),
          await call('POST', hooks, person),
          await call('DELETE', hooks, person, { hookId: 424_242 }),
        ];
        expect([grants, asked.map(({ status }) => status)]).toEqual([grants, expected]);
      }
      for (const name of ['rivals/secret', 'team/absent', 'octo/mine', '..%2f../user'])
        expect([name, (await call('GET', `/api/githost/repos/${name}/webhooks`)).status]).toEqual([name, 404]);
    });
  });

  describe('deliveries', () => {
    let body: Buffer;
    beforeAll(async () => {
      await call('POST', hooks);
      body = pushBody({
        repository: await announcedRepository(rig.host, 'team/shop'),
        before: sha('1'),
        after: sha('2'),
      });
    });

    const send = (sent: Buffer | string, headers: Record<string, string | undefined>) => {
      const given = Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined);
      return rig.app.call('POST', '/api/webhooks/githost', { body: sent, headers: Object.fromEntries(given) });
    };

    it('are rejected unless the secret signed exactly these bytes', async () => {
      const good = signedBy(secretOfHook(), body);
      const header = 'x-hub-signature-256';
      const wrong: Record<string, [Buffer | string, Record<string, string | undefined>]> = {
        'no signature': [body, { ...good, [header]: undefined }],
        'an empty one': [body, { ...good, [header]: '' }],
        'a wrong one': [body, { ...good, [header]: `sha256=${'0'.repeat(64)}` }],
        'by an empty secret': [body, signedBy('', body)],
        'by another secret': [body, signedBy('guessed', body)],
        'the old kind': [body, { ...good, [header]: undefined, 'x-hub-signature': 'sha1=0' }],
        'bytes written anew': [Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)), good],
        'more bytes': [Buffer.concat([body, Buffer.from(' ')]), good],
        'no JSON': ['{', good],
        nothing: ['', good],
      };
      for (const [what, [sent, headers]] of Object.entries(wrong)) {
        const answer = await send(sent, headers);
        expect([what, answer.status, answer.body['code']]).toEqual([what, 401, 'unauthenticated']);
      }
      const foreign = pushBody({
        repository: { id: 99_999, name: 'other', owner: { login: 'rivals' } },
        before: sha('1'),
        after: sha('2'),
      });
      expect((await send(foreign, signedBy(secretOfHook(), foreign))).status, 'no secret known').toBe(401);
      const { id } = await announcedRepository(rig.host, 'team/shop');
      const claimed = {
        'x-github-hook-installation-target-type': 'repository',
        'x-github-hook-installation-target-id': String(id),
      };
      const crossed = await send(foreign, signedBy(secretOfHook(), foreign, claimed));
      expect(crossed.status, 'a hook speaks for its own repository').toBe(401);
      const removed = Buffer.from(
        JSON.stringify({ action: 'deleted', installation: { id: 70, account: { id: 1, login: 'team' } } }),
      );
      const installation = { ...claimed, 'x-github-event': 'installation' };
      const byHook = await send(removed, signedBy(secretOfHook(), removed, installation));
      expect(byHook.status, 'and not for installations').toBe(401);
      expect(await rows()).toEqual([]);
    });

    it('require an id, are limited in size, and may be form-encoded', async () => {
      const { 'x-github-delivery': _, ...nameless } = signedBy(secretOfHook(), body);
      expect((await send(body, nameless)).status).toBe(400);
      const large = Buffer.alloc(25_000_001, 'x');
      expect((await send(large, signedBy(appSecret, large))).status).toBe(413);
      const broken = Buffer.from('{"ref": 1}');
      expect((await send(broken, signedBy(appSecret, broken))).status).toBe(400);
      const form = Buffer.from(new URLSearchParams({ payload: body.toString() }).toString());
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = await send(form, signedBy(secretOfHook(), form, type));
      expect([sent.status, dataOf(sent)]).toEqual([202, { status: 'accepted' }]);
      await rig.app.database.db.deleteFrom('githost_deliveries').execute();
    });

    it('are stored once, regardless of id and repetition', async () => {
      const headers = signedBy(secretOfHook(), body);
      expect(dataOf(await send(body, headers))).toEqual({ status: 'accepted' });
      await until('it is handled', async () => (await rows()).every(({ status }) => status === 'ignored'));
      for (let i = 0; i < 20; i++) {
        const renamed = { ...headers, 'x-github-delivery': i % 2 ? randomUUID() : headers['x-github-delivery']! };
        expect(dataOf(await send(body, renamed))).toEqual({ status: 'duplicate' });
      }
      const all = await Promise.all(
        Array.from({ length: 20 }, () => send(pushOf('3'), signedBy(appSecret, pushOf('3')))),
      );
      expect(all.every(({ status }) => status === 202)).toBe(true);
      expect(await rows()).toHaveLength(2);
    });

    const bodies = new Map<string, Buffer>();
    const pushOf = (digit: string) => {
      const repository = (JSON.parse(body.toString()) as { repository: { id: number } }).repository;
      const made =
        bodies.get(digit) ?? pushBody({ repository: repository as never, before: sha('2'), after: sha(digit) });
      bodies.set(digit, made);
      return made;
    };

    it('of other event types, including forks, are ignored', async () => {
      const before = (await rows()).length;
      const events = ['pull_request', 'pull_request_target', 'star', 'workflow_run', 'create', 'delete', 'check_run'];
      for (const name of events) {
        const payload = Buffer.from(
          JSON.stringify({
            action: 'opened',
            ref: 'main',
            ref_type: 'branch',
            pull_request: { head: { sha: sha('4'), repo: { fork: true } } },
            repository: await announcedRepository(rig.host, 'team/shop'),
          }),
        );
        const answer = await send(payload, signedBy(appSecret, payload, { 'x-github-event': name }));
        expect([name, answer.status, dataOf(answer)]).toEqual([name, 202, { status: 'ignored' }]);
      }
      expect(await rows()).toHaveLength(before);
      expect(await rig.app.database.db.selectFrom('deployments').select('id').execute()).toEqual([]);
    });

    it('are listed with read and replayed with write access to the repository', async () => {
      const list = dataOf<Delivery[]>(await call('GET', '/api/githost/deliveries'));
      expect(list[0]).toMatchObject({
        event: 'push',
        repository: 'team/shop',
        status: 'ignored',
        why: 'no project follows this repository',
      });
      const first = await call('GET', '/api/githost/deliveries?limit=1');
      const { nextCursor } = first.body as unknown as { nextCursor: string };
      const second = await call('GET', `/api/githost/deliveries?limit=1&cursor=${nextCursor}`);
      expect([...dataOf<Delivery[]>(first), ...dataOf<Delivery[]>(second)]).toEqual(list.slice(0, 2));
      const person = await join(rig.app, 'reader@example.com', 'restricted');
      const grant = (id: string, ...actions: string[]) =>
        call('PUT', `/api/members/${person.memberId}/grants`, owner, {
          grants: [{ resource: 'repository', id, actions }],
        });
      const replay = (who: object) => call('POST', `/api/githost/deliveries/${list[0]!.id}/replay`, who);
      for (const [id, action, seen, replayed] of [
        ['team/docs', 'write', 0, 404],
        ['TEAM/*', 'list', list.length, 403],
        ['team/shop', 'write', list.length, 202],
      ] as const) {
        await grant(id, action);
        expect(dataOf<Delivery[]>(await call('GET', '/api/githost/deliveries', person))).toHaveLength(seen);
        expect((await replay(person)).status).toBe(replayed);
      }
      expect((await replay(await join(rig.app, 'viewer@example.com', 'viewer'))).status).toBe(403);
    });

    it('of the app update installations', async () => {
      const installed = () => rig.app.database.db.selectFrom('githost_installations').selectAll().execute();
      const tell = async (action: string) => {
        const event = { action, installation: { id: 70, account: { id: 1, login: 'team' } } };
        const answer = await rig.announce(Buffer.from(JSON.stringify(event)), { 'x-github-event': 'installation' });
        expect(answer.status).toBe(202);
      };
      rig.host.gaps.lose(70, 'suspended');
      await tell('suspend');
      await until('all sleep', async () => (await installed()).every(({ suspendedAt }) => suspendedAt !== null));
      expect((await call('GET', hooks)).status).toBe(400);
      rig.host.gaps.lose(70, undefined);
      await tell('unsuspend');
      await until('all are awake', async () => (await installed()).every(({ suspendedAt }) => suspendedAt === null));
      const old = (await rows()).find(
        (row) => row.organizationId === rig.organizationId && row.content.includes('"suspended"'),
      )!;
      expect((await call('POST', `/api/githost/deliveries/${old.id}/replay`)).status).toBe(202);
      const isHandled = async () => (await rows()).every(({ status }) => status !== 'received');
      await until('the old one is handled again', isHandled);
      expect(
        (await installed()).every(({ suspendedAt }) => suspendedAt === null),
        'what was true then puts nobody to sleep now',
      ).toBe(true);
      await tell('deleted');
      await until('all are gone', async () => !(await installed()).length);
      // Wait until each organization has handled it, or a late one would delete the new installation.
      await until('all have heard of it', isHandled);
      await rig.install(rig.organizationId, 'team');
    });

    it('of a renamed account update its name; so does a status request', async () => {
      const logins = async () => {
        const found = await rig.app.database.db.selectFrom('githost_installations').selectAll().execute();
        return [...new Set(found.map((each) => each.accountLogin))];
      };
      rig.host.gaps.logins.set(70, 'crew');
      const installation = { id: 70, account: { id: 1, login: 'team' } };
      const renamed = { action: 'renamed', account: { id: 1, login: 'from the announcement' }, installation };
      const told = { 'x-github-event': 'installation_target' };
      expect((await rig.announce(Buffer.from(JSON.stringify(renamed)), told)).status).toBe(202);
      await until('it has the name that the host gives it', async () => (await logins()).join() === 'crew');
      const [last] = dataOf<Delivery[]>(await call('GET', '/api/githost/deliveries'));
      expect(last).toMatchObject({ event: 'installation', why: 'the account was renamed' });
      rig.host.gaps.logins.delete(70);
      expect((await call('GET', '/api/githost/status')).status).toBe(200);
      await until('the status has noticed it', async () => (await logins()).join() === 'team');
    });

    it('are dropped for an organization that no longer sees the repository', async () => {
      const stranger = await foreignOrganization(rig.app);
      const theirs = { token: stranger.token };
      const list = async () =>
        dataOf<Delivery[]>(await call('GET', '/api/githost/deliveries', theirs)).filter(
          ({ event }) => event === 'push',
        );
      await rig.install(stranger.organizationId, 'team');
      expect((await call('POST', hooks, theirs)).status).toBe(200);
      await rig.announce(pushOf('5'));
      await until('it is told to them', async () => (await list())[0]?.commitSha === sha('5'));
      await rig.app.database.db
        .deleteFrom('githost_installations')
        .where('organizationId', '=', stranger.organizationId)
        .execute();
      await rig.announce(pushOf('6'));
      const [own] = dataOf<Delivery[]>(await call('GET', '/api/githost/deliveries'));
      expect(own!.repository).toBe('team/shop');
      await until('it is handled', async () => (await rows()).every(({ status }) => status !== 'received'));
      expect((await list()).map(({ commitSha }) => commitSha)).toEqual([sha('5')]);
      expect((await rows()).filter(({ commitSha }) => commitSha === sha('6'))).toHaveLength(1);
    });

    it('are handled once each when handled concurrently', async () => {
      const other = await startGitHostApp(kind);
      const handled: string[] = [];
      other.app.gitHost.webhooks.listen({
        organizationsOf: () => Promise.resolve([other.organizationId]),
        recordWebhook: () => Promise.resolve(),
        async pushed(_, event) {
          handled.push(event.commitSha!);
          await new Promise((resolve) => setTimeout(resolve, 50));
        },
      });
      const repository = await announcedRepository(other.host, 'team/shop');
      const commits = Array.from({ length: 12 }, (_, i) => sha((i + 1).toString(16)));
      for (const after of commits) await other.announce(pushBody({ repository, before: sha('f'), after }));
      other.app.gitHost.webhooks.start();
      await until('all are handled', async () => {
        const open = await other.app.database.db.selectFrom('githost_deliveries').select('status').execute();
        return open.length === 12 && open.every(({ status }) => status === 'ignored');
      });
      expect(handled.toSorted()).toEqual(commits.toSorted());
      await other.close();
    });

    it('are rate-limited for senders of invalid ones, but never for the git host', async () => {
      const strict = await startGitHostApp(kind, { MOORING_ANONYMOUS_REQUEST_LIMIT: '5' });
      const { id } = await announcedRepository(strict.host, 'team/shop');
      const repository = { id, name: 'shop', owner: { login: 'team' } };
      for (let i = 0; i < 20; i++) {
        const push = pushBody({ repository, before: sha('1'), after: sha('2'), more: { i } });
        expect((await strict.announce(push)).status).toBe(202);
      }
      const statuses = [];
      for (let i = 0; i < 8; i++) statuses.push((await strict.announce(body, {}, 'guessed')).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      const unsigned = await strict.app.call('POST', '/api/webhooks/githost', { body: Buffer.alloc(30_000_000) });
      expect(unsigned.status, 'is not even read').toBe(429);
      for (let i = 20; i < 30; i++) {
        const push = pushBody({ repository, before: sha('1'), after: sha('2'), more: { i } });
        expect((await strict.announce(push)).status, 'from the same address').toBe(202);
      }
      expect((await strict.announce(body, {}, 'guessed')).status).toBe(429);
      await strict.close();
    });
  });
});
