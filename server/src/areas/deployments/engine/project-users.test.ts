import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import type { Kysely } from 'kysely';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { up } from '../../../db/migrations/0020-project-users.ts';
import { projectUsers } from './project-users.ts';

describe.each(databaseKinds)('project users on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => void (app = await startApp(kind)));
  afterAll(() => app.close());
  const usersOf = (range?: { first: number; last: number }, instanceId = 'ins_1') =>
    projectUsers({
      db: app.database.db,
      instanceId,
      isolation: Promise.resolve({ kind: 'users', processLimit: 100 }),
      range,
    });

  it('are assigned once, never shared or reused, and run out with a clear error', async () => {
    const userOf = usersOf({ first: 70_000, last: 70_002 });
    const all = await Promise.all(['prj_a', 'prj_b', 'prj_a', 'prj_c'].map(userOf));
    expect(new Set(all.map((user) => user!.uid))).toEqual(new Set([70_000, 70_001, 70_002]));
    expect(all[0]).toEqual(all[2]);
    await expect(userOf('prj_d')).rejects.toMatchObject({
      code: 'no_user_left',
      hint: expect.stringContaining('UIDS'),
    });
    expect(await userOf('prj_b')).toEqual(all[1]);
    expect((await usersOf({ first: 70_003, last: 70_003 })('prj_d'))!.uid).toBe(70_003);
  });

  it("belong to the instance's own block", async () => {
    const { uid: first } = (await usersOf()('prj_e'))!;
    expect(first % 65_536).toBe(0);
    expect(first).toBeGreaterThanOrEqual(0x7000_0000);
    expect(first).toBeLessThanOrEqual(0x7ffd_0000);
    expect((await usersOf(undefined, 'ins_other')('prj_f'))!.uid).toBe(first + 1);
  });

  it('keep their old uids, except where two projects shared one', async () => {
    const { db } = app.database;
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const body = { name, source: { type: 'git', url: 'https://example.com/a/b.git' } };
      const made = await app.call('POST', '/api/projects', { token: ownerToken, body });
      ids.push((made.body as unknown as { data: { id: string } }).data.id);
    }
    const numbers = [7, 8, 4007];
    for (const [i, id] of ids.entries())
      await db.updateTable('projects').set({ number: numbers[i]! }).where('id', '=', id).execute();
    await db.schema.dropTable('project_users').execute();
    await db.schema.alterTable('instance').dropColumn('first_project_uid').execute();
    await up(db as unknown as Kysely<unknown>);
    const users = [];
    for (const id of ids) users.push((await usersOf()(id))!.uid);
    expect(users.slice(0, 2)).toEqual([61_007, 61_008]);
    expect(users[2]).toBeGreaterThanOrEqual(0x7000_0000);
  });

  it('are never root if isolation is unavailable', async () => {
    const isolation = Promise.resolve({ kind: 'refused', reason: 'users of projects cannot enter /root' } as const);
    const userOf = projectUsers({ db: app.database.db, instanceId: 'ins_1', isolation, range: undefined });
    await expect(userOf('prj_a')).rejects.toMatchObject({ code: 'isolation_unavailable' });
  });
});
