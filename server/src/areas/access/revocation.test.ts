import { DatabaseSync } from 'node:sqlite';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join as joinPath } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerPassword, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { has } from '../../../test/rig/parts.ts';
import { join, newToken, type Person, signInOwner } from '../../../test/rig/people.ts';
import { query } from '../../../test/rig/postgres.ts';
import { until } from '../../../test/rig/until.ts';
import type { DatabaseKind } from '../../db/database.ts';

type Who = { token?: string; cookie?: string; headers?: Record<string, string> };
type Case = { guest: Person; guestToken: string; owner: Who; app: TestApp };
type Change = {
  by: (given: Case) => Promise<{ status: number }>;
  as: ('token' | 'session')[];
};

const tokenId = async ({ app, owner }: Case): Promise<string> => {
  const { body } = await app.call('GET', '/api/tokens', owner);
  return (body as unknown as { data: { id: string; name: string }[] }).data.find(({ name }) => name === 'test')!.id;
};

const changes: Record<string, Change> = {
  'the token is revoked': {
    by: async (given) => given.app.call('DELETE', `/api/tokens/${await tokenId(given)}`, given.owner),
    as: ['token'],
  },
  'the member is removed': {
    by: ({ app, owner, guest }) => app.call('DELETE', `/api/members/${guest.memberId}`, owner),
    as: ['token', 'session'],
  },
  'the member gets a lower role': {
    by: ({ app, owner, guest }) =>
      app.call('PATCH', `/api/members/${guest.memberId}`, { ...owner, body: { role: 'restricted' } }),
    as: ['token', 'session'],
  },
  'the session ends': { by: ({ app, guest }) => app.call('POST', '/api/auth/sign-out', guest), as: ['session'] },
  'the member leaves': {
    by: ({ app, guest }) =>
      app.call('POST', '/api/organizations/leave', { ...guest, body: { organizationId: guest.organizationId } }),
    as: ['token', 'session'],
  },
  'the password changes in another session': {
    async by({ app, guest }) {
      const other = await app.call('POST', '/api/auth/sign-in', {
        body: { email: guest.email, password: ownerPassword },
      });
      const cookie = String(other.headers['set-cookie']).split(';')[0]!;
      const body = { currentPassword: ownerPassword, newPassword: 'another long password', revokeTokens: true };
      return app.call('POST', '/api/auth/password', { cookie, body });
    },
    as: ['token', 'session'],
  },
};

const refused = [401, 403];

describe.each(databaseKinds)('a caller who is known, on %s', (kind) => {
  let given: Case;
  let other: TestApp;
  const statements: string[] = [];
  beforeEach(async () => {
    const app = await startApp(kind, { onStatement: (sql) => void statements.push(sql) });
    other = await startApp(kind, { replica: { of: app, name: 'other' } });
    const guest = await join(app, 'guest@example.com', 'admin');
    const owner = { cookie: await signInOwner(app) };
    given = { app, guest, owner, guestToken: await newToken(app, guest.cookie, '*') };
  });
  afterEach(async () => {
    await other.close();
    await given.app.close();
  });

  const who = (as: 'token' | 'session'): Who =>
    as === 'token' ? { token: given.guestToken } : { cookie: given.guest.cookie };
  const statusOf = async (app: TestApp, path: string, as: Who) => (await app.call('GET', path, as)).status;

  /** Until the caller is known, so that a request needs no statement for it. */
  async function warm(as: Who, path: string) {
    await until('the caller is known', async () => {
      statements.length = 0;
      expect([await statusOf(given.app, path, as), await statusOf(other, path, as)]).toEqual([200, 200]);
      return !statements.some((sql) => sql.includes('"instance"'));
    });
  }

  it.each(Object.keys(changes))('is refused by the next request after %s', async (name) => {
    const { by, as } = changes[name]!;
    const path = '/api/projects';
    for (const each of as) await warm(who(each), path);
    const { status } = await by(given);
    expect(status).toBeLessThan(300);
    for (const each of as) expect(refused, `by ${each}`).toContain(await statusOf(given.app, path, who(each)));
    for (const each of as)
      await until(
        `the other replica refuses the ${each}`,
        async () => refused.includes(await statusOf(other, path, who(each))),
        kind === 'sqlite' ? 100 : 1000,
        5,
      );
  });

  it('is refused after a change by another program', async () => {
    await warm(who('token'), '/api/projects');
    const change = `delete from tokens where name = 'test'`;
    const { databaseUrl, dataDir } = given.app.instance.settings;
    if (databaseUrl) await query(databaseUrl, change);
    else new DatabaseSync(joinPath(dataDir, 'mooring.db')).exec(change);
    for (const app of [given.app, other])
      await until('it is refused', async () => (await statusOf(app, '/api/projects', who('token'))) === 401, 1000, 5);
  });

  it('is read again while a change is uncommitted, and only then refused', async () => {
    const { db } = given.app.database;
    await warm(who('token'), '/api/projects');
    const { promise: held, resolve: commit } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const changing = db.transaction().execute(async (trx) => {
      await trx.deleteFrom('tokens').where('name', '=', 'test').execute();
      begin();
      await held;
    });
    await begun;
    const before = statusOf(given.app, '/api/projects', who('token'));
    commit();
    await changing;
    expect([200, 401]).toContain(await before);
    expect(await statusOf(given.app, '/api/projects', who('token'))).toBe(401);
  });

  it('costs at most one statement per list', async () => {
    await warm({ token: ownerToken }, '/api/tokens');
    statements.length = 0;
    for (let i = 0; i < 5; i++) expect(await statusOf(given.app, '/api/tokens', { token: ownerToken })).toBe(200);
    // SQLite answers from memory while nothing changes.
    expect(statements.filter((sql) => sql.includes('"tokens"'))).toHaveLength(kind === 'sqlite' ? 0 : 5);
    expect(statements.filter((sql) => sql.includes('"instance"'))).toEqual([]);
  });
});

/** Forwards to PostgreSQL, and can hold back what it sends on connections that listen to a channel. */
async function startLine(url: string) {
  const listening = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const { hostname, port } = new URL(url);
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => {}).on('close', () => (near.destroy(), far.destroy()));
    near.on('data', (chunk) => {
      if (chunk.includes('listen mooring_access')) listening.add(near);
      far.write(chunk);
    });
    far.on('data', (chunk) => void (isCut && listening.has(near) ? undefined : near.write(chunk)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const near = new URL(url);
  near.port = String((server.address() as AddressInfo).port);
  return {
    url: near.href,
    cut: () => void (isCut = true),
    isUsed: () => listening.size > 0,
    close: () => server.close(),
  };
}

describe.runIf(has('postgres'))('without notifications', () => {
  const kind: DatabaseKind = 'postgres';

  it('a replica that is cut off from them refuses a revoked token', async () => {
    const app = await startApp(kind);
    const line = await startLine(app.instance.settings.databaseUrl!);
    const settings = { ...app.instance.settings, databaseUrl: line.url };
    const statements: string[] = [];
    const cutOff = await startApp(kind, {
      replica: { of: { ...app, instance: { ...app.instance, settings } }, name: 'cut off' },
      onStatement: (sql) => void statements.push(sql),
    });
    const token = await newToken(app, await signInOwner(app), '*');
    await until('the token is known', async () => {
      statements.length = 0;
      expect((await cutOff.call('GET', '/api/projects', { token })).status).toBe(200);
      return line.isUsed() && !statements.some((sql) => sql.includes('"instance"'));
    });
    line.cut();
    await app.database.db.deleteFrom('tokens').where('name', '=', 'test').execute();
    const began = performance.now();
    await until('it is refused', async () => (await cutOff.call('GET', '/api/projects', { token })).status === 401);
    expect(performance.now() - began).toBeLessThan(1000);
    // Later requests are answered from the database.
    expect((await cutOff.call('GET', '/api/projects', { token: ownerToken })).status).toBe(200);
    await cutOff.close();
    await app.close();
    line.close();
  });

  it('every access table has a trigger', async () => {
    const app = await startApp(kind);
    const { accessTables } = await import('../../db/access-changes.ts');
    const rows = await query(
      app.instance.settings.databaseUrl!,
      `select distinct event_object_table as name from information_schema.triggers where trigger_name like '%_notify_access'`,
    );
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(accessTables));
    await app.close();
  });
});
