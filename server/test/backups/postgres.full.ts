import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backedUp, type DataServices, startDataServices } from '../rig/data-services.ts';
import { postgresData } from '../rig/data-images.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { until } from '../rig/until.ts';

const password = "it's a \\ secret";
const environment = { POSTGRES_USER: 'shop', POSTGRES_PASSWORD: password, POSTGRES_DB: 'shop' };
const ref = { type: 'database', service: 'db', engine: 'postgres', database: 'shop' } as const;
const odd = `a"; drop database "shop"; --'$(touch x)=\n\\!`;

describe('backups of PostgreSQL', () => {
  let docker: Docker;
  let shop: DataServices;
  const login = { PGUSER: 'shop', PGPASSWORD: password };
  const sql = (text: string, database = 'shop') =>
    shop.run('db', ['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', text], { ...login, PGDATABASE: database });

  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, node);
    await makeImage(docker.client, postgresData());
    shop = await startDataServices(docker, [
      { name: 'db', image: 'postgres:15', environment, volumes: ['data:/var/lib/postgresql/data'] },
      { name: 'web', image: node.name, command: ['node', '-e', 'setInterval(() => {}, 1000)'], dependsOn: ['db'] },
    ]);
    await until('it accepts connections', () => sql('SELECT true').catch(() => false), 60_000);
    await sql(`CREATE ROLE reader; CREATE TABLE item (id bigserial PRIMARY KEY, body text);
      CREATE TABLE "odd ""table" (x int); INSERT INTO "odd ""table" VALUES (1), (2); GRANT SELECT ON item TO reader;
      ALTER DATABASE shop SET search_path TO "$user", public, extra; REVOKE CONNECT ON DATABASE shop FROM PUBLIC;
      GRANT CONNECT ON DATABASE shop TO reader;
      INSERT INTO item (body) SELECT repeat('x', 200) FROM generate_series(1, 20000)`);
  });
  afterAll(async () => {
    await shop?.close();
    await docker?.close();
  });

  it('finds databases and volumes', async () => {
    const found = await shop.sources.find(shop.owner);
    expect(found).toMatchObject([
      { ref, name: 'database-db-shop', reason: 'the service db runs postgres:15', isDefault: true },
      { ref: { type: 'volume', volume: 'data' }, name: 'volume-data', isDefault: false },
    ]);
    expect(await shop.sources.resolve(shop.owner, 'all')).toHaveLength(1);
    expect(await shop.sources.resolve(shop.owner, [{ type: 'database', service: 'db' }])).toMatchObject([{ ref }]);
    const nothing = shop.sources.resolve(shop.owner, [{ type: 'volume', volume: 'none' }]);
    await expect(nothing).rejects.toMatchObject({ code: 'source_missing', message: 'There is no volume named "none"' });
  });

  it('includes every row that was committed before, under write load', async () => {
    const load = new AbortController();
    const writer = (async () => {
      for (let i = 0; !load.signal.aborted; i++) await sql(`INSERT INTO item (body) VALUES ('load ${i}')`);
    })();
    await sleep(500);
    const before = await sql('SELECT count(*), sum(hashtext(body)::bigint), max(id) FROM item');
    const maximum = before.split('|')[2]!;
    const archive = await backedUp(shop, ref);
    load.abort();
    await writer;
    const after = Number(await sql('SELECT count(*) FROM item'));
    expect(after, 'rows were added meanwhile').toBeGreaterThan(Number(before.split('|')[0]));
    const target = {
      to: 'scratch',
      query: `SELECT count(*), sum(hashtext(body)::bigint), max(id) FROM item WHERE id <= ${maximum}`,
    } as const;
    const call = shop.call('job_scratch');
    const { place, proof } = await shop.sources.restore(shop.owner, ref, archive.entries(), target, call);
    expect([place, proof]).toEqual([
      'a container of postgres:15 without network',
      { query: target.query, result: before },
    ]);
    const scratches = async () => {
      const query = { all: true, filters: { label: ['mooring.scratch=job_scratch'] } };
      return docker.client.json<{ Names: string[]; HostConfig: object; Mounts: { Name: string }[] }[]>({
        method: 'GET',
        path: '/containers/json',
        query,
      });
    };
    const [scratch] = await scratches();
    expect(scratch).toMatchObject({ HostConfig: { NetworkMode: 'none' } });
    expect(scratch!.Names).toEqual([expect.stringMatching(/^\/mooring-job_scratch\.mooring_restore\w+$/)]);
    await shop.sources.removeScratch(shop.owner, 'job_scratch');
    await shop.sources.removeScratch(shop.owner, 'job_scratch');
    expect(await scratches()).toEqual([]);
    const { Volumes } = await docker.client.json<{ Volumes: { Name: string }[] }>({ method: 'GET', path: '/volumes' });
    expect(Volumes.map(({ Name }) => Name)).not.toContain(scratch!.Mounts[0]!.Name);
  });

  it('says why a scratch container exited', async () => {
    const archive = await backedUp(shop, ref);
    const command = ['-c', 'config_file=/none'];
    const other = await startDataServices(docker, [{ name: 'db', image: 'postgres:15', environment, command }]);
    try {
      const target = { to: 'scratch', query: null } as const;
      const call = other.call('job_exits');
      const failed = other.sources.restore(other.owner, ref, archive.entries(), target, call);
      await expect(failed).rejects.toMatchObject({
        code: 'scratch_not_ready',
        message: expect.stringMatching(/^A new container of postgres:15 exited: postgres: could not access .*"\/none"/),
      });
      await other.sources.removeScratch(other.owner, 'job_exits');
    } finally {
      await other.close();
    }
  });

  it('counts the rows of each table as proof, and runs queries read-only', async () => {
    const archive = await backedUp(shop, ref);
    const count = await sql('SELECT count(*) FROM item');
    const target = { to: 'scratch', query: null } as const;
    const { proof } = await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_count'));
    expect(proof.result).toBe(`public.item|${count}\npublic.odd "table|2`);
    const queries = ['DELETE FROM item', '\\! touch /tmp/x', 'SELECT 1; COMMIT; \\! touch /tmp/x'];
    for (const query of queries) {
      const restored = shop.sources.restore(
        shop.owner,
        ref,
        archive.entries(),
        { to: 'scratch', query },
        shop.call('job_count'),
      );
      await expect(restored, query).rejects.toMatchObject({ code: 'tool_failed' });
    }
    await shop.sources.removeScratch(shop.owner, 'job_count');
  });

  it('restores in place as a whole, with its settings, and starts again what ran', async () => {
    const archive = await backedUp(shop, ref);
    const before = await sql('SELECT count(*), sum(hashtext(body)::bigint) FROM item');
    await sql('DELETE FROM item; DROP TABLE "odd ""table"; CREATE TABLE later (x int)');
    const idle = shop
      .run('db', ['psql', '-c', 'SELECT pg_sleep(60)'], { ...login, PGDATABASE: 'shop' })
      .catch((error: Error) => error.message);
    const target = { to: 'in-place' } as const;
    const { place, proof } = await shop.sources.restore(
      shop.owner,
      ref,
      archive.entries(),
      target,
      shop.call('job_in_place'),
    );
    expect(place).toBe('the database shop of the service db');
    expect(proof.result).toContain('public.odd "table|2');
    expect(await idle, 'connections are terminated').toContain('terminating connection');
    expect(await sql('SELECT count(*), sum(hashtext(body)::bigint) FROM item')).toBe(before);
    expect(await sql("SELECT to_regclass('later') IS NULL, current_setting('search_path')")).toBe(
      't|"$user", public, extra',
    );
    expect(
      await sql(
        "SELECT has_table_privilege('reader', 'item', 'SELECT'), has_database_privilege('reader', 'shop', 'CONNECT')",
      ),
    ).toBe('t|t');
    expect(
      await sql("SELECT datacl::text LIKE '%{=%c%' FROM pg_database WHERE datname = 'shop'"),
      'not for everyone',
    ).toBe('f');
    expect(await shop.state('web')).toBe('running');
    expect(await sql("SELECT count(*) FROM pg_database WHERE datname LIKE 'mooring%'")).toBe('0');
  });

  it('leaves the database untouched if the archive is damaged', async () => {
    const before = await sql('SELECT count(*) FROM item');
    const archive = await backedUp(shop, ref);
    const cut = async function* () {
      for await (const entry of archive.entries())
        yield {
          ...entry,
          size: entry.size,
          body: async function* () {
            let left = entry.size - 5000;
            for await (const chunk of entry.body()) {
              const part = chunk.subarray(0, Math.max(0, left));
              left -= part.length;
              if (part.length) yield part;
            }
          },
        };
    };
    const restored = shop.sources.restore(shop.owner, ref, cut(), { to: 'in-place' }, shop.call('job_damaged'));
    await expect(restored).rejects.toMatchObject({ code: 'tool_failed' });
    expect(await sql('SELECT count(*) FROM item')).toBe(before);
    expect(await sql("SELECT count(*) FROM pg_database WHERE datname LIKE 'mooring%'")).toBe('0');
    expect(await shop.state('web')).toBe('running');
  });

  it('restores into a new database, with any name, again after a crash', async () => {
    const archive = await backedUp(shop, ref);
    const target = { to: 'new', name: odd } as const;
    for (let times = 0; times < 2; times++) {
      const { place } = await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_new'));
      expect(place).toContain(odd);
    }
    expect(await sql('SELECT count(*) FROM item', odd)).toBe(await sql('SELECT count(*) FROM item'));
    const taken = shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_other'));
    await expect(taken).rejects.toMatchObject({ code: 'name_taken' });
    const found = await shop.sources.find(shop.owner);
    const other = found.find((each) => each.ref.type === 'database' && each.ref.database === odd)!;
    expect(other.name).toMatch(/^[A-Za-z0-9._-]+$/);
    const again = await backedUp(shop, other.ref);
    await shop.sources.restore(shop.owner, other.ref, again.entries(), { to: 'in-place' }, shop.call('job_odd'));
    expect(await sql('SELECT count(*) FROM item', odd)).toBe(await sql('SELECT count(*) FROM item'));
  });

  it('restores again after an interrupted attempt', async () => {
    const archive = await backedUp(shop, ref);
    const abort = new AbortController();
    const slow = async function* () {
      for await (const entry of archive.entries()) yield entry;
      setTimeout(() => abort.abort(new Error('killed')), 150);
    };
    const call = { ...shop.call('job_again'), signal: abort.signal };
    await shop.sources.restore(shop.owner, ref, slow(), { to: 'in-place' }, call).catch(() => {});
    await shop.sources.recover(shop.owner, 'job_again');
    expect(await shop.state('web')).toBe('running');
    await shop.sources.restore(shop.owner, ref, archive.entries(), { to: 'in-place' }, shop.call('job_again'));
    expect(await sql("SELECT count(*) FROM pg_database WHERE datname LIKE 'mooring%'")).toBe('0');
  });

  it('keeps the password out of errors and progress lines', async () => {
    await sql('DROP TABLE "odd ""table"');
    const wrong = { type: 'database', service: 'db', engine: 'postgres', database: 'missing' } as const;
    const read = backedUp(shop, wrong);
    const error = await read.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: 'tool_failed' });
    expect(JSON.stringify([error!.message, shop.lines])).not.toContain('secret');
  });
});
