import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { databaseKinds, newDatabaseSettings, openNewDatabase } from '../../test/rig/databases.ts';
import { has } from '../../test/rig/parts.ts';
import { columnName } from './column-names.ts';
import { type Database, inTransaction, isUniqueViolation, openDatabase } from './database.ts';
import { migrations } from './migrations/index.ts';
import { tenant } from './tenant.ts';

describe.each(databaseKinds)('database on %s', (kind) => {
  let database: Database;
  beforeEach(async () => {
    database = await openNewDatabase(kind);
  });
  afterEach(() => database.db.destroy());

  const organization = (id: string) => ({ id, name: id, createdAt: 1 });

  it('returns large integers as numbers', async () => {
    await database.db
      .insertInto('organizations')
      .values({ ...organization('org_a'), createdAt: 1_900_000_000_000 })
      .execute();
    const row = await database.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    expect(row.createdAt).toBe(1_900_000_000_000);
  });

  it('names columns in camelCase, in rows and in results of raw SQL', async () => {
    const { db } = database;
    await db.insertInto('organizations').values(organization('org_a')).execute();
    const row = { id: 'org_a', name: 'org_a', createdAt: 1 };
    expect(await db.selectFrom('organizations').selectAll().where('createdAt', '=', 1).execute()).toEqual([row]);
    expect((await sql`select * from organizations where created_at = 1`.execute(db)).rows).toEqual([row]);
  });

  it('finds every column by its camelCase name', async () => {
    const { db } = database;
    for (const { name, columns } of await db.introspection.getTables()) {
      const table = sql.table(name);
      // A row of nulls, with a key for each column.
      const { rows } = await sql<object>`select ${table}.* from (select 1) as one left join ${table} on false`.execute(
        db,
      );
      expect(Object.keys(rows[0]!).map(columnName)).toEqual(columns.map((column) => column.name));
    }
  });

  it('rereads the columns of a table after it was altered', async () => {
    const { db } = database;
    await db.insertInto('organizations').values(organization('org_a')).execute();
    const rows = () => db.selectFrom('organizations').selectAll().execute();
    expect(await rows()).toHaveLength(1);
    await db.schema.alterTable('organizations').dropColumn('name').execute();
    expect(await rows()).toEqual([{ id: 'org_a', createdAt: 1 }]);
  });

  it('reports migrations of a database that is in use, and gives them time', async () => {
    const settings = await newDatabaseSettings(kind);
    const lines: string[] = [];
    const open = async () => {
      const { db } = await openDatabase({ ...settings, onMigration: (line) => lines.push(line) });
      await db.destroy();
    };
    await open();
    await open();
    expect(lines, 'nothing for a new one, or without a migration').toEqual([]);
    const limits: unknown[] = [];
    migrations['9999-last'] = async (db) => {
      if (kind === 'postgres') limits.push((await sql`show statement_timeout`.execute(db)).rows[0]);
    };
    onTestFinished(() => void delete migrations['9999-last']);
    await open();
    expect(lines).toEqual(['Migrating the database: 9999-last (1 of 1)', 'Migrated the database']);
    expect(limits).toEqual(kind === 'postgres' ? [{ statementTimeout: '0' }] : []);
  });

  it('rolls back a transaction that throws', async () => {
    const failing = inTransaction(database.db, async (trx) => {
      await trx.insertInto('organizations').values(organization('org_a')).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.db.selectFrom('organizations').selectAll().execute()).toEqual([]);
  });

  it('isolates queries beside a transaction from it', async () => {
    const slow = inTransaction(database.db, async (trx) => {
      await trx.insertInto('organizations').values(organization('org_a')).execute();
      await new Promise((resolve) => setTimeout(resolve, 30));
      throw new Error('undo');
    });
    const beside = database.db.insertInto('organizations').values(organization('org_b')).execute();
    await expect(slow).rejects.toThrow('undo');
    await beside;
    expect((await database.db.selectFrom('organizations').select('id').execute()).map(({ id }) => id)).toEqual([
      'org_b',
    ]);
  });

  it('distinguishes a duplicate from other errors', async () => {
    const insert = () => database.db.insertInto('organizations').values(organization('org_a')).execute();
    await insert();
    expect(isUniqueViolation(await insert().catch((error: unknown) => error))).toBe(true);
    const dangling = tenant(database.db, 'org_none').insert('members', {
      id: 'mem_a',
      userId: 'usr_none',
      role: 'owner',
      grants: '[]',
      createdAt: 1,
    });
    expect(isUniqueViolation(await dangling.execute().catch((error: unknown) => error))).toBe(false);
  });

  it('scopes every tenant query to the organization', async () => {
    const { db } = database;
    await db
      .insertInto('users')
      .values({ id: 'usr_a', email: 'a', name: 'a', passwordHash: null, createdAt: 1 })
      .execute();
    for (const id of ['org_a', 'org_b']) {
      await db.insertInto('organizations').values(organization(id)).execute();
      await tenant(db, id)
        .insert('members', { id: `mem_${id}`, userId: 'usr_a', role: 'owner', grants: '[]', createdAt: 1 })
        .execute();
    }
    const inA = tenant(db, 'org_a');
    expect(await inA.select('members').select('members.id').execute()).toEqual([{ id: 'mem_org_a' }]);
    await inA.update('members', { role: 'viewer' }).execute();
    await inA.delete('members').execute();
    expect(await db.selectFrom('members').select(['id', 'role']).execute()).toEqual([
      { id: 'mem_org_b', role: 'owner' },
    ]);
  });

  it('rejects a database of a newer version', async () => {
    const settings = await newDatabaseSettings(kind);
    const { db } = await openDatabase(settings);
    await (db as never as { insertInto(t: string): { values(v: object): { execute(): Promise<void> } } })
      .insertInto('migrations')
      .values({ name: '9999-future', applied_at: 1 })
      .execute();
    await db.destroy();
    await expect(openDatabase(settings)).rejects.toThrow(/newer Mooring \(it has 9999-future\)/);
  });
});

it.runIf(has('postgres'))('migrates once when several services start together', async () => {
  const settings = await newDatabaseSettings('postgres');
  const opened = await Promise.all(Array.from({ length: 4 }, () => openDatabase(settings)));
  const names = await opened[0]!.db
    .selectFrom('migrations' as never)
    .selectAll()
    .execute();
  expect(names).toHaveLength(Object.keys(migrations).length);
  await Promise.all(opened.map(({ db }) => db.destroy()));
});

it('fails at once when the database is used inside a transaction, instead of hanging', async () => {
  const { db } = await openNewDatabase('sqlite');
  const nested = inTransaction(db, async () => db.selectFrom('users').selectAll().execute());
  await expect(nested).rejects.toThrow(/use the transaction/);
  await db.destroy();
});

it.runIf(has('postgres'))('leaves connections to requests, however much waits in the background', async () => {
  const { db, background } = await openNewDatabase('postgres');
  onTestFinished(() => db.destroy());
  const nap = () => sql`select pg_sleep(0.2)`.execute(background);
  let naps = 0;
  const all = Promise.all(Array.from({ length: 40 }, () => nap().then(() => naps++)));
  await sql`select 1`.execute(db);
  expect(naps).toBe(0);
  const active = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`;
  await nap();
  expect((await active.execute(db)).rows[0]!.count).toBeLessThan(5);
  await expect(sql`select 1 / 0`.execute(background)).rejects.toThrow('division by zero');
  await inTransaction(background, (trx) => sql`select 1`.execute(trx));
  await all;
});

it.runIf(has('postgres'))('repeats what was undone by a deadlock', async () => {
  const { db } = await openNewDatabase('postgres');
  onTestFinished(() => db.destroy());
  await sql`create table one (x int)`.execute(db);
  await sql`create table two (x int)`.execute(db);
  let tries = 0;
  const holding = Promise.withResolvers<void>();
  const waiting = Promise.withResolvers<void>();
  // As a migration of another replica does.
  const other = db.transaction().execute(async (trx) => {
    await sql`lock table two`.execute(trx);
    holding.resolve();
    await waiting.promise;
    await sql`lock table one`.execute(trx);
  });
  await holding.promise;
  const result = await inTransaction(db, async (trx) => {
    tries++;
    await sql`select x from one`.execute(trx);
    setTimeout(() => waiting.resolve(), 100);
    return sql<{ count: number }>`select count(*)::int as count from two`.execute(trx);
  });
  await other;
  expect([tries, result.rows[0]!.count]).toEqual([2, 0]);
});
