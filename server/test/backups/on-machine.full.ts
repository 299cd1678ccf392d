import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type DataApp, startDataApp } from '../rig/data-app.ts';
import { backedUp } from '../rig/data-services.ts';
import { type MachineDatabase, startMariadb, startRedis } from '../rig/machine-databases.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';

const idle = 'setInterval(() => {}, 1000)';
const inPlace = { to: 'in-place' } as const;

/** Writes until it is stopped. */
function writer(write: (count: number) => Promise<unknown>): () => Promise<void> {
  const load = new AbortController();
  const writing = (async () => {
    for (let i = 0; !load.signal.aborted; i++) await write(i);
  })();
  return async () => {
    load.abort();
    await writing;
  };
}

describe.runIf(has('redis')).each([
  ['an RDB file', []],
  ['an append-only file', ['--appendonly', 'yes']],
])('backups of a Redis of this machine with %s', (_what, more) => {
  let redis: MachineDatabase;
  let shop: DataApp;
  const ref = { type: 'database', service: 'app', engine: 'redis', database: '3' } as const;
  const other = (...words: string[]) => redis.ask('-n', '0', ...words);

  beforeAll(async () => {
    redis = await startRedis(3, more);
    shop = await startDataApp(idle, { REDIS_URL: redis.url });
    for (let i = 0; i < 50; i++)
      await redis.ask('MSET', ...Array.from({ length: 40 }, (_, n) => [`key:${i}:${n}`, `value ${n}`]).flat());
    await redis.ask('SET', 'soon', 'gone', 'EX', '100000');
    await redis.ask('SADD', 'set', 'a', 'b', '\u{1f600} "quoted"');
    await redis.ask('ZADD', 'scores', '1.5', 'a', '2', 'b');
    await redis.ask('XADD', 'stream', '*', 'field', 'value');
    await other('SET', 'of another app', 'untouched');
  });
  afterAll(async () => {
    await shop?.close();
    await redis?.stop();
  });

  it('are found, and include every key that was set before, under write load', async () => {
    expect((await shop.sources.resolve(shop.owner, 'all')).filter(({ ref: { type } }) => type === 'database')).toEqual([
      {
        ref,
        name: 'database-app-3',
        reason: 'the variable REDIS_URL of app names a database on this machine',
        isDefault: true,
      },
    ]);
    const stop = writer((i) => redis.ask('RPUSH', 'load', String(i)));
    await sleep(300);
    const length = Number(await redis.ask('LLEN', 'load'));
    const archive = await backedUp(shop, ref);
    await stop();
    expect(Number(await redis.ask('LLEN', 'load'))).toBeGreaterThan(length);
    const scratch = (query: string | null) =>
      shop.sources.restore(shop.owner, ref, archive.entries(), { to: 'scratch', query }, shop.call('job_s'));
    const { place, proof } = await scratch(null);
    expect(proof).toEqual({ query: 'keys of each database', result: 'db3|2005' });
    expect(Number((await scratch('LLEN load')).proof.result)).toBeGreaterThanOrEqual(length);
    const file = place.slice('the file '.length);
    expect(existsSync(file)).toBe(true);
    await shop.sources.removeScratch(shop.owner, 'job_s');
    expect(existsSync(file)).toBe(false);
  });

  it('are restored in place, also twice, without the databases of others', async () => {
    const digest = () => redis.ask('DEBUG', 'DIGEST-VALUE', 'key:7:7', 'set', 'scores', 'stream', 'load');
    const before = await digest();
    expect(before).toMatch(/^([0-9a-f]{40}\n?){5}$/);
    const archive = await backedUp(shop, ref);
    await other('SET', 'written later', 'untouched too');
    for (let times = 0; times < 2; times++) {
      await redis.ask('FLUSHDB');
      await redis.ask('SET', 'later', 'lost');
      const { place, proof } = await shop.sources.restore(
        shop.owner,
        ref,
        archive.entries(),
        inPlace,
        shop.call('job_i'),
      );
      expect([place, proof.result]).toEqual(['database 3 of Redis on this machine', 'db3|2005']);
    }
    expect(await digest()).toBe(before);
    expect(Number(await redis.ask('TTL', 'soon'))).toBeGreaterThan(99_000);
    expect([await redis.ask('GET', 'later'), await other('DBSIZE')]).toEqual(['', '2']);
    expect((await redis.ask('INFO', 'keyspace')).match(/^db\d+/gm)).toEqual(['db0', 'db3']);
    expect((await shop.runtime.find(shop.deploymentId))?.state).toBe('running');
    const target = { to: 'new', name: 'x' } as const;
    const asNew = shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_n'));
    await expect(asNew).rejects.toMatchObject({ code: 'not_possible' });
  });

  it('leave the database untouched if the restore is interrupted or the archive is damaged', async () => {
    const keys = await redis.ask('DBSIZE');
    const archive = await backedUp(shop, ref);
    await redis.ask('SET', 'later', 'kept');
    for (const afterMs of [50, 150, 250, 350, 450]) {
      const abort = new AbortController();
      const slow = async function* () {
        yield* archive.entries();
        setTimeout(() => abort.abort(new Error('killed')), afterMs);
      };
      const call = { ...shop.call('job_a'), signal: abort.signal };
      const outcome = await shop.sources.restore(shop.owner, ref, slow(), inPlace, call).then(
        () => 'restored',
        () => 'failed',
      );
      const isOld = (await redis.ask('GET', 'later')) === 'kept';
      expect(await redis.ask('DBSIZE'), `after ${afterMs} ms`).toBe(isOld ? String(Number(keys) + 1) : keys);
      if (outcome === 'restored') expect(isOld).toBe(false);
    }
    await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_a'));
    expect((await redis.ask('INFO', 'keyspace')).match(/^db\d+/gm), 'nothing is left').toEqual(['db0', 'db3']);
    const damaged = async function* () {
      for await (const entry of archive.entries())
        yield {
          ...entry,
          body: async function* () {
            for await (const chunk of entry.body()) yield chunk.fill(7, Math.floor(chunk.length / 2));
          },
        };
    };
    const restored = shop.sources.restore(shop.owner, ref, damaged(), inPlace, shop.call('job_d'));
    await expect(restored).rejects.toMatchObject({ code: expect.stringMatching(/^(tool_failed|not_ready)$/) });
    expect(await redis.ask('DBSIZE')).toBe(keys);
    expect(JSON.stringify(shop.lines)).not.toContain('password');
  });
});

describe.runIf(has('mariadb'))('backups of a MariaDB of this machine', () => {
  let mariadb: MachineDatabase;
  let shop: DataApp;
  const ref = { type: 'database', service: 'app', engine: 'mysql', database: 'shop' } as const;
  const sums = (where = '1') => mariadb.ask(`SELECT COUNT(*), SUM(CRC32(body)), MAX(id) FROM item WHERE ${where}`);

  beforeAll(async () => {
    mariadb = await startMariadb();
    shop = await startDataApp(idle, { DATABASE_URL: mariadb.url });
    await mariadb.ask(`CREATE TABLE item (id BIGINT AUTO_INCREMENT PRIMARY KEY, body VARBINARY(300)) ENGINE=InnoDB;
      CREATE VIEW short AS SELECT id FROM item WHERE id < 10;
      INSERT INTO item (body) SELECT REPEAT(CHAR(seq % 256), 100) FROM seq_1_to_20000`);
  });
  afterAll(async () => {
    await shop?.close();
    await mariadb?.stop();
  });

  it('include every row that was committed before, under write load, and are restored', async () => {
    expect((await shop.sources.resolve(shop.owner, 'all')).map((each) => each.ref)).toContainEqual(ref);
    const stop = writer((i) => mariadb.ask(`INSERT INTO item (body) VALUES ('load ${i}')`));
    await sleep(300);
    const before = await sums();
    const archive = await backedUp(shop, ref);
    await stop();
    const maximum = before.split('\t')[2]!;
    expect(Number((await sums()).split('\t')[0])).toBeGreaterThan(Number(before.split('\t')[0]));
    const query = `SELECT COUNT(*), SUM(CRC32(body)), MAX(id) FROM item WHERE id <= ${maximum}`;
    const target = { to: 'scratch', query } as const;
    const drill = await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_s'));
    expect(drill.proof).toEqual({ query, result: before.replaceAll('\t', '|') });
    await shop.sources.removeScratch(shop.owner, 'job_s');
    await mariadb.ask('DELETE FROM item; DROP VIEW short; CREATE TABLE later (x INT)');
    const { place } = await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_i'));
    expect(place).toBe('the database shop of the service app');
    expect(await sums(`id <= ${maximum}`)).toBe(before);
    expect(await mariadb.ask('SELECT COUNT(*) FROM short')).toBe('9');
    const copy = { to: 'new', name: 'copy' } as const;
    await shop.sources.restore(shop.owner, ref, archive.entries(), copy, shop.call('job_n'));
    expect(await mariadb.ask(`SELECT COUNT(*) FROM item WHERE id <= ${maximum}`, 'copy')).toBe(before.split('\t')[0]);
    expect(await mariadb.ask('SHOW DATABASES')).not.toContain('mooring');
    expect((await shop.runtime.find(shop.deploymentId))?.state).toBe('running');
  });
});

describe.runIf(has('postgres'))('backups of a PostgreSQL of this machine', () => {
  let url: string;
  let shop: DataApp;
  const ask = async (sql: string): Promise<string> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows.map((row) => Object.values(row).join('|')).join('\n');
    } finally {
      await client.end();
    }
  };
  const sums = 'SELECT count(*), sum(hashtext(body)::bigint), max(id) FROM item';

  beforeAll(async () => {
    url = await newDatabase(inject('postgresUrl'));
    shop = await startDataApp(idle, { DATABASE_URL: url });
    await ask('CREATE TABLE item (id bigserial PRIMARY KEY, body text)');
    await ask('INSERT INTO item (body) SELECT repeat(md5(g::text), 4) FROM generate_series(1, 20000) g');
  });
  afterAll(() => shop?.close());

  it('include every row that was committed before, under write load, and are restored', async () => {
    const ref = (await shop.sources.resolve(shop.owner, 'all')).find((each) => each.ref.type === 'database')!.ref;
    const stop = writer((i) => ask(`INSERT INTO item (body) VALUES ('load ${i}')`));
    await sleep(300);
    const before = await ask(sums);
    const archive = await backedUp(shop, ref);
    await stop();
    expect(Number((await ask(sums)).split('|')[0])).toBeGreaterThan(Number(before.split('|')[0]));
    const query = `${sums} WHERE id <= ${before.split('|')[2]}`;
    const target = { to: 'scratch', query } as const;
    const drill = await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_s'));
    expect(drill.proof).toEqual({ query, result: before });
    await shop.sources.removeScratch(shop.owner, 'job_s');
    await ask('DELETE FROM item');
    await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_i'));
    expect(await ask(query)).toBe(before);
    expect(await ask("SELECT count(*) FROM pg_database WHERE datname LIKE 'mooring\\_restore%'")).toBe('0');
    expect((await shop.runtime.find(shop.deploymentId))?.state).toBe('running');
  });
});
