import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectHolds } from '../../src/areas/deployments/model/hold-store.ts';
import { ServiceHolds } from '../../src/areas/deployments/port.ts';
import { readStacks } from '../../src/areas/deployments/upkeep/resting-stacks.ts';
import type { ArchiveEntry } from '../../src/lib/archive/reader.ts';
import { readTar } from '../../src/lib/archive/reader.ts';
import { sampleTar, type Sample } from '../../src/lib/archive/sample-archives-rig.ts';
import { backedUp, type DataServices, startDataServices } from '../rig/data-services.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { busybox, makeImage, node } from '../rig/docker-images.ts';

const ref = { type: 'volume', volume: 'files' } as const;
const inPlace = { to: 'in-place' } as const;
const newline = 'two\nlines $(touch x) "quoted"';
const writer = `const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync('/files/app.db');
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, body TEXT)');
const insert = database.prepare('INSERT INTO item (body) VALUES (?)');
setInterval(() => { for (let i = 0; i < 20; i++) insert.run('x'.repeat(300)); }, 5);`;

describe('backups of volumes in an engine', () => {
  let docker: Docker;
  let shop: DataServices;
  const run = (...args: string[]) => shop.run('app', args);
  const sh = (script: string) => run('sh', '-c', script);
  const listing = () =>
    sh(
      'cd /files && find . ! -name "app.db*" ! -name pipe | sort | while read -r f; do stat -c "%n %f %u %g %s %N" "$f" 2>/dev/null; done; find . -type f ! -name "app.db*" -print0 | sort -z | xargs -0 sha256sum',
    );

  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, { ...busybox, programs: { ...node.programs } });
    const volumes = ['files:/files'];
    await docker.client.json({ method: 'POST', path: '/volumes/create', body: { Name: 'from-before' } });
    shop = await startDataServices(
      docker,
      [
        { name: 'app', image: busybox.name, command: ['sleep', '100000'], volumes },
        { name: 'writer', image: busybox.name, command: ['node', '-e', writer], volumes },
        { name: 'other', image: busybox.name, command: ['sleep', '100000'], volumes: ['old:/old'] },
      ],
      { old: 'from-before' },
    );
    await sh(`cd /files && mkdir -p -m 750 uploads/deep empty && echo hello > uploads/deep/a && chown 1234:70000 uploads/deep/a
      chmod 4640 uploads/deep/a && ln -s /etc/passwd out && ln -s uploads/deep/a in && ln uploads/deep/a hard && mkfifo pipe
      head -c 3000000 /dev/urandom > large && chmod 1777 empty && chown 33:33 . && chmod 2775 .`);
    await run('node', '-e', `require('node:fs').writeFileSync(${JSON.stringify(`/files/${newline}`)}, 'odd')`);
  });
  afterAll(async () => {
    await shop?.close();
    await docker?.close();
  });

  it('finds the volume and the SQLite database in it', async () => {
    expect(await shop.sources.find(shop.owner)).toMatchObject([
      { ref, name: 'volume-files', reason: 'a volume of the compose file, at /files', isDefault: true },
      { ref: { type: 'database', engine: 'sqlite', database: 'files/app.db' }, isDefault: false },
      { ref: { type: 'volume', volume: 'old' }, reason: 'a volume of the compose file', isDefault: true },
    ]);
  });

  it('restores everything in place: owners, modes, links, odd names, and a SQLite database under load', async () => {
    const before = await listing();
    const rows = () =>
      run(
        'node',
        '-e',
        `console.log(new (require('node:sqlite').DatabaseSync)('/files/app.db').prepare('SELECT count(*) AS c FROM item').get().c)`,
      );
    const count = Number(await rows());
    const archive = await backedUp(shop, ref);
    expect(shop.lines).toContain('pipe is skipped: it is a device or a pipe');
    expect(await shop.state('writer'), 'it was paused for a moment only').toBe('running');
    await sh('cd /files && rm -r uploads && echo changed > large && touch added && chmod 700 .');
    const { proof } = await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_in'));
    expect(proof.result).toMatch(/^7 files, \d+ bytes$/);
    expect([await shop.state('app'), await shop.state('writer'), await shop.state('other')]).toEqual(
      Array(3).fill('running'),
    );
    expect(await listing()).toBe(before);
    expect(Number(await rows()), 'every row that was committed before').toBeGreaterThanOrEqual(count);
  });

  it('proves a scratch copy, and removes it', async () => {
    const archive = await backedUp(shop, ref);
    const scratch = { to: 'scratch', query: null } as const;
    const { place, proof } = await shop.sources.restore(
      shop.owner,
      ref,
      archive.entries(),
      scratch,
      shop.call('job_s'),
    );
    expect(place).toContain(shop.parts.folders.dataDir);
    expect(proof.result).toMatch(/^7 files, \d+ bytes\napp\.db: integrity_check ok, item\|\d+$/);
    await shop.sources.removeScratch(shop.owner, 'job_s');
  });

  it('restores into a new volume, again after a crash', async () => {
    const archive = await backedUp(shop, ref);
    const target = { to: 'new', name: 'files-copy' } as const;
    for (let times = 0; times < 2; times++)
      await shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_n'));
    const stack = `${shop.owner.projectId}/${shop.owner.environment}`;
    const made = (await shop.runtime.volumes({ stack })).find(({ name }) => name === 'files-copy')!;
    const names: string[] = [];
    for await (const { path, owner, mode } of readTar((await shop.runtime.readVolume(made.id, ''))!))
      names.push(`${path} ${owner.uid} ${(mode & 0o7777).toString(8)}`);
    expect(names).toContain('mooring-volume/ 33 2775');
    expect(names).toContain('mooring-volume/uploads/deep/a 1234 4640');
    const taken = shop.sources.restore(shop.owner, ref, archive.entries(), target, shop.call('job_o'));
    await expect(taken).rejects.toMatchObject({ code: 'name_taken' });
    const bad = { to: 'new', name: '../x' } as const;
    const refused = shop.sources.restore(shop.owner, ref, archive.entries(), bad, shop.call('job_o'));
    await expect(refused).rejects.toMatchObject({ code: 'bad_name' });
  });

  it('reads again when files change, and names them in the end', async () => {
    const writing = shop
      .run('app', ['sh', '-c', 'while ! test -e /tmp/stop; do echo x >> /files/log; sleep 0.01; done'])
      .catch(() => {});
    await sleep(300);
    const failed = backedUp(shop, ref);
    await expect(failed).rejects.toMatchObject({
      code: 'changed_while_read',
      message: 'Files of the volume files changed during each of 3 reads: "log"',
    });
    const archive = await backedUp(shop, ref, { consistency: 'pause', jobId: 'job_p' });
    expect(archive.bytes).toBeGreaterThan(3_000_000);
    expect(await shop.state('app')).toBe('running');
    await sh('touch /tmp/stop');
    await writing;
  });

  it('continues paused services after a crash, and upkeep leaves them alone until then', async () => {
    const { sealer } = shop.app.instance;
    const { db } = shop.app.database;
    // A job ends its restores this way.
    for (const { jobId } of await selectHolds(db)) await shop.sources.recover(shop.owner, jobId);
    const machines = { here: shop.parts, of: async () => shop.parts, onServers: async () => [] };
    const holds = new ServiceHolds({ db, machines, sealer });
    const log = { error: () => {}, warn: () => {} } as never;
    const resting = async () => (await readStacks({ db, parts: shop.parts, sealer, owner: 'test', log })).resting;
    const [stack] = await resting();
    await holds.begin({ resting: stack!, parts: shop.parts, services: ['app'], jobId: 'job_k', how: 'pause' });
    expect([await shop.state('app'), await shop.state('writer')]).toEqual(['paused', 'running']);
    expect(await resting()).toEqual([]);
    await shop.sources.recover(shop.owner, 'job_k');
    expect(await shop.state('app')).toBe('running');
    await holds.begin({ resting: stack!, parts: shop.parts, services: ['app'], jobId: 'job_k', how: 'stop' });
    expect(await shop.state('app')).toBe('exited');
    // A second attempt of the same job finds it stopped, and still starts it.
    const again = await holds.begin({
      resting: stack!,
      parts: shop.parts,
      services: ['app'],
      jobId: 'job_k',
      how: 'stop',
    });
    await again.end();
    expect(await shop.state('app')).toBe('running');
    expect(await resting()).toHaveLength(1);
  });

  it('completes a volume that a killed restore left empty', async () => {
    const archive = await backedUp(shop, ref, { consistency: 'pause' });
    const broken = async function* (): AsyncGenerator<ArchiveEntry> {
      yield* archive.entries();
    };
    const { data } = shop.runtime;
    const refill = data.refillVolume.bind(data);
    data.refillVolume = async (volume) => {
      // The engine has lost it: as after a crash between its removal and its creation.
      await refill(volume, (async function* () {})());
      await docker.client.json({ method: 'DELETE', path: `/volumes/${volume.id}` });
      throw new Error('killed');
    };
    const failed = shop.sources.restore(shop.owner, ref, broken(), inPlace, shop.call('job_f'));
    await expect(failed).rejects.toMatchObject({ code: 'restore_incomplete' });
    await expect(shop.sources.recover(shop.owner, 'job_f')).rejects.toMatchObject({ code: 'restore_incomplete' });
    expect([await shop.state('app'), await shop.state('other')]).toEqual(['missing', 'running']);
    data.refillVolume = refill;
    await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_g'));
    expect([await shop.state('app'), await shop.state('writer')]).toEqual(['running', 'running']);
    expect(await sh('cat /files/uploads/deep/a')).toBe('hello');
    // A killed process leaves the container that it copied with.
    const { id } = (await shop.runtime.volumes({ projectId: shop.owner.projectId })).find(
      ({ name }) => name === 'files',
    )!;
    const Mounts = [{ Type: 'volume', Source: id, Target: '/x' }];
    const body = { Image: busybox.name, Labels: { 'mooring.copy': 'ins_data' }, HostConfig: { Mounts } };
    await docker.client.json({ method: 'POST', path: '/containers/create', body });
    await shop.sources.restore(shop.owner, ref, archive.entries(), inPlace, shop.call('job_h'));
    expect(await shop.state('app')).toBe('running');
  });

  it('restores one SQLite database of a volume while the rest stays', async () => {
    const sqlite = { type: 'database', service: 'app', engine: 'sqlite', database: 'files/app.db' } as const;
    const archive = await backedUp(shop, sqlite);
    await sh('echo kept > /files/kept');
    const { proof, place } = await shop.sources.restore(
      shop.owner,
      sqlite,
      archive.entries(),
      inPlace,
      shop.call('job_q'),
    );
    expect([place, proof.result]).toEqual(['app.db in the volume files', expect.stringMatching(/^item\|\d+$/)]);
    expect(await sh('cat /files/kept; rm /files/kept')).toBe('kept');
    const check = `console.log(new (require('node:sqlite').DatabaseSync)('/files/app.db').prepare('PRAGMA integrity_check').get().integrity_check)`;
    expect(await run('node', '-e', check)).toBe('ok');
    expect(await shop.state('writer')).toBe('running');
  });

  it('backs up a volume that the engine had before, and restores it in place', async () => {
    const old = { type: 'volume', volume: 'old' } as const;
    expect((await shop.sources.find(shop.owner)).map(({ ref: each }) => each)).toContainEqual(old);
    await shop.run('other', ['sh', '-c', 'echo before > /old/note']);
    const archive = await backedUp(shop, old);
    await shop.run('other', ['sh', '-c', 'echo after > /old/note']);
    await shop.sources.restore(shop.owner, old, archive.entries(), inPlace, shop.call('job_old'));
    await shop.sources.recover(shop.owner, 'job_old');
    expect(await shop.run('other', ['cat', '/old/note'])).toBe('before');
    const { Name } = await docker.client.json<{ Name: string }>({ method: 'GET', path: '/volumes/from-before' });
    expect(Name).toBe('from-before');
  });

  it('backs up files outside volumes', async () => {
    const files = { type: 'files', service: 'app', path: '/tmp/state' } as const;
    await sh('mkdir -p /tmp/state/deep && echo one > /tmp/state/deep/file');
    const archive = await backedUp(shop, files);
    await sh('echo two > /tmp/state/deep/file');
    const scratch = { to: 'scratch', query: null } as const;
    const { proof } = await shop.sources.restore(shop.owner, files, archive.entries(), scratch, shop.call('job_v'));
    expect(proof.result).toBe('1 file, 4 bytes');
    await shop.sources.restore(shop.owner, files, archive.entries(), inPlace, shop.call('job_w'));
    expect(await sh('cat /tmp/state/deep/file')).toBe('one');
    const outside = { type: 'files', service: 'app', path: '/tmp/../etc' } as const;
    await expect(backedUp(shop, outside)).rejects.toMatchObject({ code: 'bad_path' });
    await shop.sources.runHook(shop.owner, { service: 'app', command: 'echo "from $(hostname | wc -l)"' }, shop.call());
    expect(shop.lines).toContain('from 1');
  });

  it('refuses archives that lead out of the volume, and changes nothing', async () => {
    const before = await listing();
    const attacks: Sample[][] = [
      [{ name: '../evil', content: 'x' }],
      [{ name: '/evil', content: 'x' }],
      [{ name: 'a/../../evil', content: 'x' }],
      [
        { name: 'l', type: '2', link: '/etc' },
        { name: 'l/evil', content: 'x' },
      ],
      [
        { name: 'l', type: '2', link: '..' },
        { name: 'h', type: '1', link: 'l/evil' },
      ],
      [{ name: 'h', type: '1', link: '../../etc/passwd' }],
      [{ name: 'd', type: '3' }],
      [{ name: 'p', type: '6' }],
    ];
    for (const samples of attacks) {
      const stream = async function* () {
        yield sampleTar(...samples);
      };
      const restored = shop.sources.restore(shop.owner, ref, readTar(stream()), inPlace, shop.call('job_x'));
      await expect(restored, JSON.stringify(samples)).rejects.toMatchObject({ code: 'bad_archive' });
    }
    expect(await listing()).toBe(before);
    expect(await shop.state('app')).toBe('running');
  });
});
