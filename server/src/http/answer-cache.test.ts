import { DatabaseSync } from 'node:sqlite';
import { join as joinPath } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../test/rig/app.ts';
import { databaseKinds } from '../../test/rig/databases.ts';
import { join, newToken } from '../../test/rig/people.ts';
import { query } from '../../test/rig/postgres.ts';

describe.each(databaseKinds)('answers of cached routes, on %s', (kind) => {
  let app: TestApp;
  let other: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
    other = await startApp(kind, { replica: { of: app, name: 'other' } });
  });
  afterEach(async () => {
    await other.close();
    await app.close();
  });

  const names = async (replica: TestApp, token = ownerToken) => {
    const { status, body } = await replica.call('GET', '/api/tokens', { token });
    expect(status).toBe(200);
    return (body as unknown as { data: { name: string }[] }).data.map(({ name }) => name);
  };
  /** By both replicas, twice, so that the second answers come from memory where they may. */
  const warm = async () => {
    for (const replica of [app, other, app, other]) await names(replica);
  };
  const create = async (name: string) => {
    const body = { name, permissions: ['token:list'] };
    const { status, body: answer } = await app.call('POST', '/api/tokens', { token: ownerToken, body });
    expect(status).toBe(201);
    return (answer as unknown as { data: { id: string; token: string } }).data;
  };

  it('are those of the database after each change, from every replica', async () => {
    for (let i = 0; i < 5; i++) {
      await warm();
      const { id } = await create(`token ${i}`);
      expect([(await names(app))[0], (await names(other))[0]]).toEqual([`token ${i}`, `token ${i}`]);
      await warm();
      expect((await app.call('DELETE', `/api/tokens/${id}`, { token: ownerToken })).status).toBe(200);
      expect([...(await names(app)), ...(await names(other))]).not.toContain(`token ${i}`);
    }
  });

  it('are those of the database after a change by another program', async () => {
    const { databaseUrl, dataDir } = app.instance.settings;
    const program = databaseUrl ? undefined : new DatabaseSync(joinPath(dataDir, 'mooring.db'));
    for (let i = 0; i < 5; i++) {
      await warm();
      const change = `update tokens set name = 'renamed ${i}'`;
      if (databaseUrl) await query(databaseUrl, change);
      else program!.exec(change);
      for (const replica of [app, other]) expect(await names(replica)).toEqual([`renamed ${i}`]);
    }
    program?.close();
  });

  it('are kept as they were before a change that happens while they are read', async () => {
    await Promise.all([create('during'), ...Array.from({ length: 20 }, () => names(app))]);
    expect((await names(app))[0]).toBe('during');
  });

  it('are kept for each caller and URL', async () => {
    const guest = await join(app, 'guest@example.com', 'member');
    const token = await newToken(app, guest.cookie, '*');
    const { token: narrow } = await create('narrow');
    for (let i = 0; i < 2; i++) {
      expect(await names(app)).toEqual(['narrow', 'test', 'first token, from the environment']);
      expect(await names(app, token)).toEqual(['test']);
      expect((await app.call('GET', '/api/members', { token: narrow })).status).toBe(403);
      expect((await app.call('GET', '/api/members', { token: ownerToken })).status).toBe(200);
      expect((await app.call('GET', '/api/members?token=x', { token: ownerToken })).status).toBe(400);
    }
  });
});
