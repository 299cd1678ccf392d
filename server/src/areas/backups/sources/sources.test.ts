import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type DataApp, startDataApp } from '../../../../test/rig/data-app.ts';
import { backedUp } from '../../../../test/rig/data-services.ts';
import { has } from '../../../../test/rig/parts.ts';
import { newDatabase } from '../../../../test/rig/postgres.ts';
import { until } from '../../../../test/rig/until.ts';
import { readTar } from '../../../lib/archive/reader.ts';
import { type Sample, sampleTar } from '../../../lib/archive/sample-archives-rig.ts';
import { projectData, ServiceHolds } from '../../deployments/port.ts';

const program = `const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync('data/app.db');
database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, body TEXT)');
const insert = database.prepare('INSERT INTO item (body) VALUES (?)');
setInterval(() => { for (let i = 0; i < 20; i++) insert.run('x'.repeat(300)); }, 5);`;

const ref = { type: 'volume', volume: 'data' } as const;
const inPlace = { to: 'in-place' } as const;

describe('data of an app that runs as a process', () => {
  let shop: DataApp;
  let url: string;
  const at = (...names: string[]) => join(shop.folder, ...names);
  const rows = () => {
    const database = new DatabaseSync(at('app.db'), { readOnly: true });
    try {
      return database.prepare('SELECT count(*) AS c FROM item').get()!['c'] as number;
    } finally {
      database.close();
    }
  };
  const state = async () => {
    const { pid } = (await shop.runtime.find(shop.deploymentId))!;
    return pid === undefined ? 'none' : readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]!;
  };

  beforeAll(async () => {
    url = has('postgres') ? await newDatabase(inject('postgresUrl')) : '';
    shop = await startDataApp(program, { API_TOKEN: 'correct-horse-battery', ...(url && { DATABASE_URL: url }) });
    await until('it has written', () => existsSync(at('app.db')) && rows() > 0);
    mkdirSync(at('uploads'), { mode: 0o750 });
    writeFileSync(at('uploads', 'a\nb $(x)'), 'odd', { mode: 0o640 });
    symlinkSync('/etc/passwd', at('out'));
  });
  afterAll(() => shop?.close());

  it('is found', async () => {
    const found = await shop.sources.find(shop.owner);
    expect(found).toContainEqual({
      ref,
      name: 'volume-data',
      reason: 'a volume of the project, at data',
      isDefault: true,
    });
    expect(found.find((each) => each.ref.type === 'database' && each.ref.engine === 'sqlite')).toMatchObject({
      ref: { database: 'data/app.db' },
      isDefault: false,
    });
    if (url) expect(found[0]).toMatchObject({ ref: { engine: 'postgres' }, isDefault: true });
  });

  it('is backed up and restored in place while the app writes', async () => {
    const before = rows();
    const archive = await backedUp(shop, ref);
    expect(await state()).not.toBe('T');
    expect(shop.lines, 'SQLite itself copied the database').toEqual([]);
    writeFileSync(at('added'), '');
    await sleep(100);
    const { proof } = await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_in'));
    expect(proof.result).toMatch(/^3 files, \d+ bytes$/);
    expect(existsSync(at('added'))).toBe(false);
    expect([readFileSync(at('uploads', 'a\nb $(x)'), 'utf8'), readlinkSync(at('out'))]).toEqual(['odd', '/etc/passwd']);
    expect((lstatSync(at('uploads')).mode & 0o777).toString(8)).toBe('750');
    const user = await shop.parts.userOf('');
    if (user) expect(lstatSync(at('uploads', 'a\nb $(x)')).uid).toBe(user.uid);
    expect(rows()).toBeGreaterThanOrEqual(before);
    const now = rows();
    await until('the app writes again', () => rows() > now);
    expect(readdirSync(join(shop.folder, '..')).filter((name) => name !== 'data')).toEqual([]);
  });

  it('is restored to scratch and into a new volume', async () => {
    const archive = await backedUp(shop, ref);
    const scratch = { to: 'scratch', query: null } as const;
    const { proof, place } = await shop.sources.restore(
      shop.owner,
      ref,
      archive.entries(),
      scratch,
      shop.call('job_s'),
    );
    expect(proof.result).toMatch(/^3 files, \d+ bytes\napp\.db: integrity_check ok, item\|\d+$/);
    await shop.sources.removeScratch(shop.owner, 'job_s');
    expect(existsSync(place.slice('the folder '.length))).toBe(false);
    const target = { to: 'new', name: 'copy' } as const;
    for (let times = 0; times < 2; times++)
      await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_n'));
    expect(readdirSync(join(shop.folder, '../copy')).toSorted()).toEqual(['app.db', 'out', 'uploads']);
  });

  it('of one SQLite database is restored in place and proven by a query', async () => {
    const sqlite = { type: 'database', service: 'app', engine: 'sqlite', database: 'data/app.db' } as const;
    const archive = await backedUp(shop, sqlite);
    const query = 'SELECT count(*) > 0 FROM item';
    const { proof } = await shop.sources.restore(
      shop.owner,
      sqlite,
      archive.entries(),
      { to: 'scratch', query },
      shop.call('job_q'),
    );
    expect(proof).toEqual({ query, result: '1' });
    const { place } = await shop.sources.restore(shop.owner, sqlite, archive.entries(), inPlace, shop.call('job_r'));
    expect(place).toBe('app.db in the volume data');
    const now = rows();
    await until('the app writes again', () => rows() > now);
    const damaged = async function* () {
      yield sampleTar({ name: 'x', content: 'SQLite format 3\0 and nonsense' });
    };
    const refused = shop.sources.restore(shop.owner, sqlite, readTar(damaged()), inPlace, shop.call('job_d'));
    await expect(refused).rejects.toMatchObject({ code: 'damaged_database' });
  });

  it('is continued after a crash', async () => {
    const { db } = shop.app.database;
    const machines = { here: shop.parts, of: async () => shop.parts, onServers: async () => [] };
    const holds = new ServiceHolds({ db, machines, sealer: shop.app.instance.sealer });
    const { resting } = (await projectData({ db, machines, sealer: shop.app.instance.sealer }, shop.owner))!;
    const wanted = { resting, parts: shop.parts, services: ['app'], jobId: 'job_c' };
    await holds.begin({ ...wanted, how: 'pause' });
    expect(await state()).toBe('T');
    await shop.sources.recover(shop.owner, 'job_c');
    expect(await state()).not.toBe('T');
    // Killed between the two renames: the volume is put back before the app starts.
    const hold = await holds.begin({ ...wanted, how: 'stop' });
    const aside = join(shop.folder, '../.replaced');
    await hold.note({ replacing: { folder: shop.folder, aside } });
    renameSync(shop.folder, aside);
    await shop.sources.recover(shop.owner, 'job_c');
    const now = rows();
    await until('the app writes again', () => rows() > now);
    expect(existsSync(aside)).toBe(false);
  });

  it('is not replaced by archives that lead out of the volume', async () => {
    const attacks: Sample[][] = [
      [{ name: '../evil', content: 'x' }],
      [{ name: '/tmp/evil', content: 'x' }],
      [
        { name: 'l', type: '2', link: '/tmp' },
        { name: 'l/evil', content: 'x' },
      ],
      [
        { name: 'l', type: '2', link: '/tmp' },
        { name: 'h', type: '1', link: 'l/x' },
      ],
      [{ name: 'h', type: '1', link: '../../../etc/passwd' }],
      [{ name: 'd', type: '4' }],
      [
        { name: 'x', content: '1' },
        { name: 'x', content: '2' },
      ],
      [
        { name: 'x', content: '1' },
        { name: 'x/y', content: '2' },
      ],
    ];
    for (const samples of attacks) {
      const stream = async function* () {
        yield sampleTar(...samples);
      };
      const restored = shop.sources.restore(shop.owner, ref, readTar(stream()), inPlace, shop.call('job_x'));
      await expect(restored, JSON.stringify(samples)).rejects.toMatchObject({ code: 'bad_archive' });
      const target = { to: 'new', name: 'other' } as const;
      const beside = shop.sources.restore(shop.owner, ref, readTar(stream()), target, shop.call('job_x'));
      await expect(beside, JSON.stringify(samples)).rejects.toMatchObject({ code: 'bad_archive' });
      expect(readdirSync(join(shop.folder, '..')).filter((name) => /^\.|^other$/.test(name))).toEqual([]);
    }
    expect(existsSync(at('uploads'))).toBe(true);
    const setuid = async function* () {
      yield sampleTar({ name: 'tool', content: 'x', mode: 0o6755 }, { name: 'app.db', content: 'x' });
    };
    const kept = await backedUp(shop, ref);
    await shop.sources.restore(shop.owner, ref, readTar(setuid()), inPlace, shop.call('job_y'));
    expect((lstatSync(at('tool')).mode & 0o7777).toString(8)).toBe('755');
    await shop.sources.restore(shop.owner, ref, kept.entries(), inPlace, shop.call('job_z'));
  });

  it.runIf(has('postgres'))('in a database of this machine is dumped and restored by its programs', async () => {
    const { Client } = await import('pg');
    const query = async (text: string, name?: string) => {
      const address = new URL(url);
      if (name) address.pathname = `/${name}`;
      const client = new Client({ connectionString: address.href });
      await client.connect();
      try {
        return (await client.query({ text, rowMode: 'array' })).rows as unknown[][];
      } finally {
        await client.end();
      }
    };
    await query("CREATE TABLE item AS SELECT g AS id, 'x' AS body FROM generate_series(1, 1000) g");
    const [found] = await shop.sources.find(shop.owner);
    const archive = await backedUp(shop, found!.ref);
    await query('DELETE FROM item');
    const { proof } = await shop.sources.restore(
      shop.owner,
      found!.ref,
      archive.entries(),
      inPlace,
      shop.call('job_pg'),
    );
    expect(proof.result).toBe('public.item|1000');
    const scratch = { to: 'scratch', query: 'SELECT count(*) FROM item' } as const;
    const drill = await shop.sources.restore(shop.owner, found!.ref, archive.entries(), scratch, shop.call('job_ps'));
    expect(drill.proof.result).toBe('1000');
    await shop.sources.removeScratch(shop.owner, 'job_ps');
    expect(await query("SELECT count(*)::int FROM pg_database WHERE datname LIKE 'mooring\\_restore%'")).toEqual([[0]]);
  });

  it('is prepared by commands of the policy', async () => {
    await shop.sources.runHook(shop.owner, { command: 'printf one; sleep 0.1; echo; echo $((1 + 1))' }, shop.call());
    expect(shop.lines.slice(-2)).toEqual(['one', '2']);
    await shop.sources.runHook(shop.owner, { command: 'node --version' }, shop.call());
    expect(shop.lines.at(-1)).toBe(process.version);
    const failed = shop.sources.runHook(shop.owner, { command: 'exit 3' }, shop.call());
    await expect(failed).rejects.toMatchObject({ code: 'hook_failed', message: 'The command failed with exit code 3' });
    const command = 'echo "a token: $API_TOKEN"; printf %s "${API_TOKEN%battery}"; sleep 0.3; echo battery >&2';
    await shop.sources.runHook(shop.owner, { command }, shop.call());
    expect(shop.lines.join('\n')).toContain('a token: [hidden]');
    expect(shop.lines.join('\n')).not.toContain('correct-horse');
  });
});
