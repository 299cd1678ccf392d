import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../test/rig/children.ts';
import { newDatabaseSettings } from '../../../test/rig/databases.ts';
import { has } from '../../../test/rig/parts.ts';
import { mountSmallDisk } from '../../../test/rig/small-disk.ts';
import { bundleFile, downloadRelease, versionOfBundle } from './release-files.ts';
import { snapshotsOf } from './snapshot.ts';
import { launcherScript, signTiny, tinyBundle, tinyInstallation, type TinyInstallation } from './updater-rig.ts';

let machine: TinyInstallation;
afterEach(() => machine?.close());

const otherKey = () =>
  generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

describe('an update', () => {
  it('switches to the new version, and keeps a copy of the database', async () => {
    machine = await tinyInstallation();
    const status = await machine.update(tinyBundle('1.1.0'), '1.1.0');
    expect(status).toMatchObject({ state: 'updated', from: '1.0.0', to: '1.1.0', reason: null });
    expect(status.awayMs).toBeGreaterThanOrEqual(0);
    expect(status.steps.map(({ phase }) => phase)).toEqual([
      'verify',
      'unpack',
      'stop',
      'snapshot',
      'switch',
      'start',
      'check',
      'clean',
    ]);
    expect([machine.current(), machine.running(), machine.hasJournal()]).toEqual(['1.1.0', '1.1.0', false]);
    expect(machine.units()).toBe('1.1.0');
    expect(machine.notes()).toEqual(['before', 'started 1.0.0', 'started 1.1.0']);
    expect(readdirSync(machine.installation.state).toSorted()).toEqual(['snapshots', 'status.json']);
    expect(statSync(join(machine.installation.versions, '1.1.0', 'bin/mooring')).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['crash', '1.1.0 crashed 3 times while it started: TypeError: 1.1.0 is broken'],
    ['mute', '1.1.0 did not answer /api/health within 0.3 s: TypeError: 1.1.0 is broken'],
  ] as const)('goes back with the database if the new version is a %s', async (behaviour, reason) => {
    machine = await tinyInstallation();
    machine.behaviours.set('1.1.0', behaviour);
    const status = await machine.update(tinyBundle('1.1.0'), '1.1.0');
    expect(status).toMatchObject({ state: 'went_back', reason });
    expect(status.lines).toContain('TypeError: 1.1.0 is broken');
    expect([machine.current(), machine.running(), machine.hasJournal()]).toEqual(['1.0.0', '1.0.0', false]);
    expect(machine.units()).toBe('1.0.0');
    expect(machine.notes()).toEqual(['before', 'started 1.0.0', 'started 1.0.0']);
    expect(readdirSync(machine.installation.versions).toSorted()).toEqual(['1.0.0', 'current']);
    machine.behaviours.clear();
    expect(await machine.update(tinyBundle('1.1.0'), '1.1.0')).toMatchObject({ state: 'updated' });
  });

  it('waits for migrations, however long they take', async () => {
    machine = await tinyInstallation();
    machine.behaviours.set('1.1.0', 'migrates');
    machine.begin(tinyBundle('1.1.0'), '1.1.0');
    const messages: string[] = [];
    // Three times the limit.
    const status = await machine.run(({ steps }) => {
      const { phase, message } = steps.at(-1) ?? { phase: '', message: '' };
      if (phase !== 'check') return;
      messages.push(message);
      if (messages.length > 3) machine.behaviours.clear();
    });
    expect(messages[1]).toBe('Waiting until 1.1.0 is healthy: Migrating the database: 0099-large (1 of 2)');
    expect(status).toMatchObject({ state: 'updated', awayMs: expect.any(Number) });
    expect(status.awayMs).toBeGreaterThan(900);
  });

  it('starts the old version again if no copy of the database can be made', async () => {
    machine = await tinyInstallation();
    writeFileSync(join(machine.installation.state, 'snapshots'), 'in the way');
    const status = await machine.update(tinyBundle('1.1.0'), '1.1.0');
    expect(status).toMatchObject({ state: 'failed', reason: expect.stringContaining('EEXIST') });
    expect([machine.current(), machine.running()]).toEqual(['1.0.0', '1.0.0']);
    expect(machine.starts).toEqual(['1.0.0', '1.0.0']);
  });

  it('does not begin without a database to copy', async () => {
    machine = await tinyInstallation();
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(machine.installation.dataDir, `mooring.db${suffix}`), { force: true });
    const status = await machine.update(tinyBundle('1.1.0'), '1.1.0');
    expect(status).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/mooring\.db does not exist; if .*env$/),
    });
    expect(machine.starts).toEqual(['1.0.0']);
  });

  it('says so if the old version does not come back either', async () => {
    machine = await tinyInstallation();
    machine.behaviours.set('1.1.0', 'crash').set('1.0.0', 'crash');
    const status = await machine.update(tinyBundle('1.1.0'), '1.1.0');
    expect(status).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/Going back to 1\.0\.0 failed too/),
    });
    expect(status.reason).toMatch(/the database from before the update is in .*snapshots\/1\.0\.0-to-1\.1\.0/);
  });

  const damages: Record<string, () => string> = {
    'the signature of mooring-1.1.0.sha256 is wrong': () => tinyBundle('1.1.0', undefined, otherKey()),
    'is damaged: its SHA-256 is not the signed one': () => {
      const bundle = tinyBundle('1.1.0');
      writeFileSync(bundle, readFileSync(bundle).subarray(0, 100));
      return bundle;
    },
    'does not list mooring-1.1.0': () => {
      const [bundle, other] = [tinyBundle('1.1.0'), tinyBundle('0.9.0')];
      for (const suffix of ['', '.sig'])
        writeFileSync(
          join(bundle, '..', `mooring-1.1.0.sha256${suffix}`),
          readFileSync(join(other, '..', `mooring-0.9.0.sha256${suffix}`)),
        );
      return bundle;
    },
    'the archive is cut off': () => {
      const bundle = tinyBundle('1.1.0');
      writeFileSync(bundle, readFileSync(bundle).subarray(0, 100));
      signTiny(bundle, '1.1.0');
      return bundle;
    },
    'a path with ..': () => tinyBundle('1.1.0', [{ name: 'mooring-1.1.0/../../evil', content: 'x' }]),
    'an absolute path': () => tinyBundle('1.1.0', [{ name: '/etc/evil', content: 'x' }]),
    'leads outside': () => tinyBundle('1.1.0', [{ name: 'mooring-1.1.0/link', type: '2', link: '../../../etc' }]),
    'does not contain mooring-1.1.0': () => tinyBundle('1.1.0', [{ name: 'mooring-2.0.0/VERSION', content: '2.0.0' }]),
    'does not run on this machine': () =>
      tinyBundle('1.1.0', [
        { name: 'mooring-1.1.0/VERSION', content: '1.1.0' },
        { name: 'mooring-1.1.0/bin/mooring', content: '#!/bin/sh\nexit 127\n', mode: 0o755 },
      ]),
    'says that it is mooring 2.0.0': () =>
      tinyBundle('1.1.0', [
        { name: 'mooring-1.1.0/VERSION', content: '1.1.0' },
        { name: 'mooring-1.1.0/bin/mooring', content: launcherScript('2.0.0'), mode: 0o755 },
      ]),
  };
  it.each(Object.entries(damages))('is refused: %s', async (reason, damaged) => {
    machine = await tinyInstallation();
    const status = await machine.update(damaged(), '1.1.0');
    expect(status).toMatchObject({ state: 'failed', reason: expect.stringContaining(reason) });
    expect(machine.starts, 'the service was never stopped').toEqual(['1.0.0']);
    expect(readdirSync(machine.installation.versions).toSorted()).toEqual(['1.0.0', 'current']);
    expect(readdirSync(machine.installation.state).toSorted()).toEqual(['status.json']);
  });

  it.runIf(process.getuid?.() === 0 && has('docker')).each(['fetch', 'verify', 'unpack'])(
    'ends with the reason if the disk fills in %s, and leaves nothing behind',
    async (phase) => {
      const disk = mountSmallDisk(48_000_000);
      onTestFinished(() => disk.unmount());
      machine = await tinyInstallation('1.0.0', disk.folder);
      machine.begin(tinyBundle('1.1.0'), '1.1.0');
      const filling = join(disk.folder, 'filling');
      const status = await machine.run(({ steps }) => {
        if ((steps.at(-1)?.phase ?? 'fetch') === phase) spawnSync('dd', ['if=/dev/zero', `of=${filling}`, 'bs=4k']);
      });
      const full = /^the disk of .* (is full; free some space and run mooring update again|has 0 MB free)/;
      expect(status).toMatchObject({ state: 'failed', reason: expect.stringMatching(full) });
      expect([machine.current(), machine.starts, machine.hasJournal()]).toEqual(['1.0.0', ['1.0.0'], false]);
      expect(readdirSync(machine.installation.versions).toSorted()).toEqual(['1.0.0', 'current']);
      expect(readdirSync(machine.installation.state)).toEqual(['status.json']);
      rmSync(filling);
      expect(await machine.update(tinyBundle('1.1.0'), '1.1.0')).toMatchObject({ state: 'updated' });
    },
  );

  it('installs an older version only by its name', async () => {
    machine = await tinyInstallation();
    expect(await machine.update(tinyBundle('0.9.0'), '0.9.0')).toMatchObject({
      state: 'failed',
      reason: '0.9.0 is older than the installed 1.0.0; use mooring update --to 0.9.0',
    });
    expect(await machine.update(tinyBundle('0.9.0'), '0.9.0', true)).toMatchObject({ state: 'updated' });
    expect(machine.running()).toBe('0.9.0');
  });

  it('is downloaded through the proxy', async () => {
    machine = await tinyInstallation();
    const { state, versions } = machine.installation;
    const bundle = tinyBundle('1.1.0');
    const asked: string[] = [];
    const proxy = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.end(readFileSync(join(dirname(bundle), basename(url))));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const environment = { http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const key = join(versions, '1.0.0/release-key.pem');
    await downloadRelease({ state, base: 'http://releases.test/all', version: '1.1.0', key, environment }, () => {});
    expect(asked.at(-1)).toBe(`http://releases.test/all/${basename(bundle)}`);
    expect(readFileSync(bundleFile(state, '1.1.0'))).toEqual(readFileSync(bundle));
  });

  it('needs a bundle of this architecture', () => {
    expect(versionOfBundle(`/tmp/mooring-1.2.3-rc.1-linux-${process.arch}.tar.gz`)).toBe('1.2.3-rc.1');
    expect(() => versionOfBundle('/tmp/mooring-1.2.3-linux-sparc.tar.gz')).toThrow('is for sparc');
    expect(() => versionOfBundle('/tmp/other.tar.gz')).toThrow('is not named like a bundle');
  });

  it('keeps two previous versions, those that a process runs, and snapshots of seven days', async () => {
    machine = await tinyInstallation();
    const { versions, state } = machine.installation;
    const script = join(versions, '1.0.0', 'edge.sh');
    writeFileSync(script, 'read line\n');
    const edge = spawnRecorded('/bin/sh', [script], { stdio: ['pipe', 'ignore', 'ignore'] });
    for (const to of ['1.1.0', '1.2.0', '1.3.0', '1.4.0'])
      expect(await machine.update(tinyBundle(to), to)).toMatchObject({ state: 'updated' });
    expect(readdirSync(versions).toSorted()).toEqual(['1.0.0', '1.2.0', '1.3.0', '1.4.0', 'current']);
    edge.kill();
    await exited(edge);
    const snapshots = join(state, 'snapshots');
    const [first, ...others] = readdirSync(snapshots).toSorted();
    const longAgo = Date.now() / 1000 - 8 * 24 * 3600;
    utimesSync(join(snapshots, first!), longAgo, longAgo);
    await machine.update(tinyBundle('1.5.0'), '1.5.0');
    expect(readdirSync(versions).toSorted()).toEqual(['1.3.0', '1.4.0', '1.5.0', 'current']);
    expect(readdirSync(snapshots).toSorted()).toEqual([...others, expect.stringContaining('to-1.5.0')]);
  });
});

// Real kills in every phase are in test/e2e/update-kill.full.ts.
describe('an updater that dies', () => {
  const calls = ['stop', 'placeUnits', 'start', 'restarts'] as const;
  const moments = calls.flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]);
  it.each(moments)('in %s, %s its effect, is continued', async (call, when) => {
    machine = await tinyInstallation();
    machine.begin(tinyBundle('1.1.0'), '1.1.0');
    const real = machine.control[call] as (...args: unknown[]) => Promise<unknown>;
    const died = new Promise<void>((resolve) => {
      machine.control[call] = async (...args: unknown[]) => {
        if (when === 'after') await real(...args);
        resolve();
        return new Promise<never>(() => {});
      };
    });
    void machine.run();
    await died;
    machine.control[call] = real as never;
    expect(await machine.run()).toMatchObject({ state: 'updated' });
    expect([machine.current(), machine.running(), machine.hasJournal()]).toEqual(['1.1.0', '1.1.0', false]);
  });

  it('after a reboot that started the old version takes a new copy of the database', async () => {
    machine = await tinyInstallation();
    machine.behaviours.set('1.1.0', 'crash');
    machine.begin(tinyBundle('1.1.0'), '1.1.0');
    const stop = machine.control.stop.bind(machine.control);
    const died = new Promise<void>((resolve) => {
      machine.control.stop = async () => {
        await stop(0);
        resolve();
        return new Promise<never>(() => {});
      };
    });
    void machine.run();
    await died;
    machine.control.stop = stop;
    await machine.control.start();
    machine.database("insert into notes values ('written after the reboot')");
    expect(await machine.run()).toMatchObject({ state: 'went_back' });
    expect(machine.notes()).toContain('written after the reboot');
  });

  it('because the machine shuts down is continued', async () => {
    machine = await tinyInstallation();
    machine.begin(tinyBundle('1.1.0'), '1.1.0');
    const control = { ...machine.control };
    machine.control.start = () => Promise.reject(new Error('Transaction for mooring.service/start is destructive'));
    machine.control.isShuttingDown = async () => true;
    await expect(machine.run()).rejects.toThrow('destructive');
    Object.assign(machine.control, control);
    expect(await machine.run()).toMatchObject({ state: 'updated' });
  });

  it('too often goes back', async () => {
    machine = await tinyInstallation();
    machine.begin(tinyBundle('1.1.0'), '1.1.0');
    const restarts = machine.control.restarts.bind(machine.control);
    const dies = () =>
      new Promise<void>((resolve) => {
        machine.control.restarts = async () => {
          resolve();
          return new Promise<never>(() => {});
        };
        void machine.run();
      });
    for (let deaths = 0; deaths < 8; deaths++) await dies();
    machine.control.restarts = restarts;
    expect(await machine.run()).toMatchObject({ state: 'went_back', reason: 'the updater was interrupted 9 times' });
    expect([machine.current(), machine.running()]).toEqual(['1.0.0', '1.0.0']);
  });

  it('after the end changes nothing more', async () => {
    machine = await tinyInstallation();
    machine.behaviours.set('1.1.0', 'crash');
    machine.begin(tinyBundle('1.1.0'), '1.1.0');
    const journal = join(machine.installation.state, 'journal.json');
    const text = readFileSync(journal);
    await machine.run();
    writeFileSync(journal, text);
    machine.database("insert into notes values ('written since')");
    expect(await machine.run()).toMatchObject({ state: 'went_back' });
    expect(machine.notes()).toContain('written since');
    expect(machine.hasJournal()).toBe(false);
  });
});

describe.runIf(process.getuid?.() === 0)('the copy of a database whose service is not root', () => {
  const nobody = 65_534;
  const places = () => {
    const [dataDir, snapshots] = [newFolder('data'), newFolder('snapshots')];
    chownSync(dataDir, nobody, nobody);
    chmodSync(snapshots, 0o711);
    return { dataDir, folder: join(snapshots, 'one'), database: join(dataDir, 'mooring.db') };
  };

  /** The owner's own program: root's SQLite would leave files of root. */
  const identity = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const program = `process.umask(0o077);
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    database.exec(process.argv[2]);
    process.kill(process.pid, 'SIGKILL')`;
  const execute = (database: string, text: string) =>
    execFileSync('setpriv', identity.concat(process.execPath, '--no-warnings', '-e', program, database, text));
  const run = (database: string, text: string) => expect(() => execute(database, text)).toThrow('Command failed');
  const notes = (file: string) => {
    const opened = new DatabaseSync(file);
    try {
      return opened
        .prepare('select text from notes')
        .all()
        .map(({ text }) => text);
    } finally {
      opened.close();
    }
  };

  it('belongs to the service, and so does the restored database', async () => {
    const { dataDir, folder, database } = places();
    run(database, "pragma journal_mode = wal; create table notes (text text); insert into notes values ('before')");
    expect(statSync(`${database}-wal`).size, 'a killed service leaves a log').toBeGreaterThan(0);
    await snapshotsOf({ dataDir }).take(folder);
    expect(readdirSync(folder)).toEqual(['mooring.db']);
    run(database, "insert into notes values ('by the new version')");
    await snapshotsOf({ dataDir }).restore(folder);
    expect(readdirSync(dataDir)).toEqual(['mooring.db']);
    const { uid, mode } = statSync(database);
    expect([uid, mode & 0o777]).toEqual([nobody, 0o600]);
    expect(notes(database)).toEqual(['before']);
  });

  it('is whole while another program writes, and a damaged database is not copied', async () => {
    const { dataDir, folder, database } = places();
    run(database, 'pragma journal_mode = wal; create table notes (text text); create table sums (total int)');
    const writer = new DatabaseSync(database);
    // Log and database are both in use, and every commit moves pages from the one to the other.
    writer.exec('pragma wal_autocheckpoint = 1; insert into sums values (0)');
    const done = new AbortController();
    const copying = snapshotsOf({ dataDir })
      .take(folder)
      .finally(() => done.abort());
    for (let written = 1; !done.signal.aborted; written++) {
      const sum = `update sums set total = ${written}`;
      writer.exec(`begin; insert into notes values (hex(randomblob(2000))); ${sum}; commit`);
      await new Promise(setImmediate);
    }
    await copying;
    writer.close();
    const copy = new DatabaseSync(join(folder, 'mooring.db'));
    const { total } = copy.prepare('select total from sums').get() as { total: number };
    expect(copy.prepare('select count(*) as count from notes').get()).toEqual({ count: total });
    copy.close();
    const bytes = readFileSync(database);
    writeFileSync(database, bytes.fill(7, 4096, 8192));
    await expect(snapshotsOf({ dataDir }).take(folder)).rejects.toThrow(
      /the database cannot be copied: .*(damaged|malformed)/,
    );
  });

  it('follows no link of the user', async () => {
    const { dataDir, folder, database } = places();
    const secret = join(newFolder('secret'), 'shadow');
    writeFileSync(secret, 'only for root', { mode: 0o600 });
    symlinkSync(secret, database);
    await expect(snapshotsOf({ dataDir }).take(folder)).rejects.toThrow('unable to open database file');
    symlinkSync(secret, `${database}.restored`);
    writeFileSync(join(folder, 'mooring.db'), 'copy');
    await expect(snapshotsOf({ dataDir }).restore(folder)).rejects.toThrow('Permission denied');
    expect(readFileSync(secret, 'utf8')).toBe('only for root');
  });
});

it.runIf(has('postgres'))(
  'a PostgreSQL database is shared while other replicas use it; build workers do not count',
  async () => {
    const { databaseUrl } = await newDatabaseSettings('postgres');
    const snapshots = snapshotsOf({ dataDir: newFolder('data'), databaseUrl });
    expect(await snapshots.isShared(0)).toBe(false);
    const connect = async (more: object) => {
      const client = new Client({ connectionString: databaseUrl!, ...more });
      await client.connect();
      return client;
    };
    const worker = await connect({ application_name: 'mooring-worker' });
    expect(await snapshots.isShared(0)).toBe(false);
    const replica = await connect({});
    expect(await snapshots.isShared(0)).toBe(true);
    const later = snapshots.isShared(5000);
    await replica.end();
    expect(await later).toBe(false);
    await worker.end();
  },
);
