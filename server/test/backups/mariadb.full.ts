import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backedUp, type DataServices, startDataServices } from '../rig/data-services.ts';
import { mariadbData } from '../rig/data-images.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { makeDebianImage, mysqlData } from '../rig/debian-image.ts';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine/client.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

const password = 'a $secret "quoted"';
const inPlace = { to: 'in-place' } as const;
/** Without quotes and backslashes: mariadb-dump escapes them in the name of a database with events, and finds none. */
const odd = 'a`; drop database shop; -- $(touch x)';

const kinds = [
  {
    what: 'MariaDB',
    engine: 'mariadb' as const,
    image: 'mariadb:10',
    make: (client: EngineClient) => makeImage(client, mariadbData()),
    environment: { MARIADB_ROOT_PASSWORD: password, MARIADB_DATABASE: 'shop' },
    isThere: has('mariadb'),
  },
  {
    what: 'MySQL',
    engine: 'mysql' as const,
    image: mysqlData.name,
    make: (client: EngineClient) => makeDebianImage(client, mysqlData),
    environment: { MYSQL_ROOT_PASSWORD: password, MYSQL_DATABASE: 'shop' },
    // It comes from packages of another Debian, as that suite's machine does.
    isThere: has('systemd'),
  },
].filter(({ isThere }) => isThere);

describe.each(kinds)('backups of $what', ({ engine, image, make, environment }) => {
  const ref = { type: 'database', service: 'db', engine, database: 'shop' } as const;
  let docker: Docker;
  let shop: DataServices;
  const sql = (text: string, database = 'shop') =>
    shop.run('db', [engine, '--user=root', '--batch', '-N', `--database=${database}`, '-e', text], {
      MYSQL_PWD: password,
    });
  const sums = (where = '1') => sql(`SELECT COUNT(*), SUM(CRC32(body)), MAX(id) FROM item WHERE ${where}`);

  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, node);
    await make(docker.client);
    shop = await startDataServices(docker, [
      { name: 'db', image, environment, volumes: ['data:/var/lib/mysql'] },
      { name: 'web', image: node.name, command: ['node', '-e', 'setInterval(() => {}, 1000)'] },
    ]);
    const answers = () =>
      shop.run('db', [engine, '--user=root', '--protocol=tcp', '-h127.0.0.1', '-e', 'SELECT 1'], {
        MYSQL_PWD: password,
      });
    await until('it accepts connections', () => answers().catch(() => ''), 90_000);
    await sql(`CREATE TABLE item (id BIGINT AUTO_INCREMENT PRIMARY KEY, body VARBINARY(300)) ENGINE=InnoDB;
      CREATE TABLE child (item BIGINT, FOREIGN KEY (item) REFERENCES item (id));
      CREATE TABLE \`odd \`\`table\` (x INT); INSERT INTO \`odd \`\`table\` VALUES (1), (2);
      CREATE TABLE log (x INT); CREATE VIEW short AS SELECT id FROM item WHERE id < 10;
      CREATE VIEW shorter AS SELECT id FROM short WHERE id < 5;
      CREATE TRIGGER noted AFTER INSERT ON child FOR EACH ROW INSERT INTO log VALUES (NEW.item);
      CREATE FUNCTION twice(x INT) RETURNS INT DETERMINISTIC RETURN x * 2;
      CREATE EVENT later ON SCHEDULE EVERY 1 DAY DO DELETE FROM log;
      INSERT INTO item (body) WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a WHERE x < 142)
        SELECT REPEAT(CHAR((a.x * b.x) % 256), 100) FROM a CROSS JOIN a AS b;
      INSERT INTO child VALUES (1), (2)`);
  });
  afterAll(async () => {
    await shop?.close();
    await docker?.close();
  });

  it('includes every row that was committed before, under write load', async () => {
    const load = new AbortController();
    const writer = (async () => {
      for (let i = 0; !load.signal.aborted; i++) await sql(`INSERT INTO item (body) VALUES ('load ${i}')`);
    })();
    await sleep(500);
    const before = await sums();
    const archive = await backedUp(shop, ref);
    load.abort();
    await writer;
    expect(Number(await sql('SELECT COUNT(*) FROM item'))).toBeGreaterThan(Number(before.split('\t')[0]));
    const query = `SELECT COUNT(*), SUM(CRC32(body)), MAX(id) FROM item WHERE id <= ${before.split('\t')[2]!}`;
    const restored = (wanted: string | null) =>
      shop.sources.restore(shop.owner, ref, archive.entries(), { to: 'scratch', query: wanted }, shop.call('job_s'));
    expect((await restored(query)).proof).toEqual({ query, result: before.replaceAll('\t', '|') });
    await expect(restored('DELETE FROM item')).rejects.toMatchObject({ code: 'tool_failed' });
    await expect(restored('SELECT 1 \\! touch x')).rejects.toMatchObject({ code: 'bad_query' });
    await shop.sources.removeScratch(shop.owner, 'job_s');
  });

  it('finds databases, and restores them in place with views, triggers, routines and events', async () => {
    expect((await shop.sources.find(shop.owner)).filter(({ isDefault }) => isDefault)).toMatchObject([{ ref }]);
    const before = await sums();
    const archive = await backedUp(shop, ref);
    await sql(
      'DELETE FROM child; DELETE FROM item; DROP TABLE `odd ``table`; CREATE TABLE added (x INT); DROP TRIGGER noted; DROP VIEW shorter',
    );
    const idle = shop
      .run('db', [engine, '--user=root', '--database=shop', '-e', 'BEGIN; SELECT * FROM added; SELECT SLEEP(60)'], {
        MYSQL_PWD: password,
      })
      .catch((error: Error) => error.message);
    await sleep(500);
    for (let times = 0; times < 2; times++) {
      const { proof } = await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_i'));
      expect(proof.result.split('\n')).toEqual(expect.arrayContaining(['child|2', 'odd `table|2', 'log|2']));
    }
    expect(await idle).toContain('exited with 1');
    expect(await sums()).toBe(before);
    await sql('INSERT INTO child VALUES (3)');
    expect(await sql('SELECT COUNT(*), twice(4), (SELECT COUNT(*) FROM shorter) FROM log')).toBe('3\t8\t4');
    expect(await sql('SHOW TABLES')).not.toContain('added');
    expect(await sql("SELECT event_name FROM information_schema.events WHERE event_schema = 'shop'")).toBe('later');
    expect(await sql('SHOW DATABASES')).not.toContain('mooring');
    await expect(sql('INSERT INTO child VALUES (123456789)'), 'foreign keys hold').rejects.toThrow('foreign key');
    expect(await shop.state('web')).toBe('running');
  });

  it('leaves the database untouched if the dump is damaged', async () => {
    const before = await sums();
    const archive = await backedUp(shop, ref);
    const damaged = async function* () {
      for await (const entry of archive.entries())
        yield {
          ...entry,
          body: async function* () {
            let isFirst = true;
            for await (const chunk of entry.body()) {
              if (!isFirst) chunk.write('NONSENSE;', 10);
              isFirst = false;
              yield chunk;
            }
            yield Buffer.from('\nINSERT INTO nowhere VALUES (1);\n');
          },
        };
    };
    const restored = shop.sources.restore(shop.owner, ref, damaged(), inPlace, shop.call('job_d'));
    await expect(restored).rejects.toMatchObject({ code: 'tool_failed' });
    expect(await sums()).toBe(before);
    expect(await shop.state('web')).toBe('running');
  });

  it('restores into a new database with any name', async () => {
    const archive = await backedUp(shop, ref);
    const target = { to: 'new', name: odd } as const;
    for (let times = 0; times < 2; times++)
      await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_n'));
    expect(await sql('SELECT COUNT(*) FROM item', odd)).toBe(await sql('SELECT COUNT(*) FROM item'));
    const found = await shop.sources.find(shop.owner);
    const other = found.find((each) => each.ref.type === 'database' && each.ref.database === odd)!;
    const again = await backedUp(shop, other.ref);
    await shop.sources.restore(shop.owner, other.ref, again.entries(), inPlace, shop.call('job_o'));
    expect(await sql('SELECT twice(2), COUNT(*) FROM child', odd)).toBe('4\t3');
  });
});
