import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sql } from 'kysely';
import { type Database, inTransaction, isUnavailable, openDatabase } from '../../src/db/database.ts';
import { newFolder } from '../rig/children.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, query } from '../rig/postgres.ts';

describe.runIf(has('postgres'))('a replica that hangs during a transaction', () => {
  let databases: [Database, Database];
  let url: string;
  beforeAll(async () => {
    url = await newDatabase(inject('postgresUrl'));
    const open = () => openDatabase({ databaseUrl: url, dataDir: newFolder('data') });
    databases = [await open(), await open()];
    await query(url, 'create table held (id int primary key, value int)');
    await query(url, 'insert into held values (1, 0)');
  });
  afterAll(() => Promise.all(databases.map(({ db }) => db.destroy())));

  const set = (value: number) => sql`update held set value = ${value} where id = 1`;

  it('releases its locks within seconds, and can work again', async () => {
    const [hanging, other] = databases;
    const began = Date.now();
    const late = inTransaction(hanging.db, async (trx) => {
      await set(1).execute(trx);
      await sleep(13_000);
      await set(2).execute(trx);
    });
    await sleep(200);
    // Each attempt has its own deadline.
    for (;;) {
      const done = await set(3)
        .execute(other.db)
        .then(
          () => true,
          () => false,
        );
      if (done) break;
    }
    sayFigures('held by a hanging replica', { ms: Date.now() - began });
    expect(Date.now() - began).toBeLessThan(12_500);
    const error: unknown = await late.catch((reason: unknown) => reason);
    expect([isUnavailable(error), String(error)]).toEqual([true, expect.stringContaining('connection')]);
    expect(await query(url, 'select value from held')).toEqual([{ value: 3 }]);
    await set(4).execute(hanging.db);
    expect(await query(url, 'select value from held')).toEqual([{ value: 4 }]);
  });
});
