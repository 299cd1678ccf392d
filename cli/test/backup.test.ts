import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../server/test/rig/until.ts';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

type Backup = { id: string; status: string; pinned: boolean; archives: { name: string; bytes: number }[] };
type Restore = { id: string; status: string; undoOf: string | null; proof: { result: string } | null };

const root = mkdtempSync(join(tmpdir(), 'mooring-backups-'));
const ada = new Person();
let service: Service;
let volume: string;
const program = `
require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT, process.env.HOST);
require('node:fs').writeFileSync('uploads/b.bin', Buffer.alloc(2_000_000, 7));`;

beforeAll(async () => {
  service = await startService({ BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root });
  await ada.logIn(service.url);
  const folder = join(ada.home, 'blog');
  mkdirSync(join(folder, 'uploads'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'blog', scripts: { start: 'node server.js' } }));
  writeFileSync(join(folder, 'server.js'), program);
  writeFileSync(join(folder, 'uploads', 'a.txt'), 'first\n');
  const project = await ada.json<{ id: string }>(['project', 'create', 'blog']);
  await ada.run(['volume', 'add', 'blog', 'uploads', 'uploads']);
  const deployed = await ada.run(['deploy', folder, '--project', 'blog']);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
  volume = join(service.dataDir, 'volumes', project.id, 'production', 'uploads');
  await until('the app has written', () => existsSync(join(volume, 'b.bin')));
}, 60_000);
afterAll(async () => {
  await stopWithApps(service);
  ada.leave();
  rmSync(root, { recursive: true });
});

const write = (text: string) => writeFileSync(join(volume, 'a.txt'), text);
const content = () => readFileSync(join(volume, 'a.txt'), 'utf8');
beforeEach(() => write('first\n'));

test('a policy is added with its defaults, changed, shown and removed', async () => {
  const early = await ada.run(['backup', 'policy', 'add', 'blog']);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('mooring destination add <name>') });
  for (const name of ['nightly', 'other'])
    await ada.run(['destination', 'add', name, '--kind', 'local', '--set', `endpoint=${join(root, name)}`]);
  const unclear = await ada.run(['backup', 'policy', 'add', 'blog']);
  expect(unclear).toMatchObject({ code: 1, stderr: expect.stringContaining('--destination: nightly, other') });
  await ada.run(['destination', 'update', 'nightly', '--default']);
  const added = await ada.run(['backup', 'policy', 'add', 'blog'], { env: { TZ: 'Europe/Berlin' } });
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^blog is added\. Next run: .* 03:30\. /) });
  expect(added.stderr).toContain('never exported');
  const [policy] = await ada.json<object[]>(['backup', 'policy', 'list', 'blog']);
  expect(policy).toMatchObject({
    name: 'blog',
    sources: 'all',
    schedule: '30 3 * * *',
    timezone: 'Europe/Berlin',
    retention: { last: 7, daily: 0, weekly: 4, monthly: 0 },
    encryption: { enabled: true },
    health: 'never',
  });

  const more = ['--source', 'volume:uploads,files:app:/etc', '--drill', '0 5 * * 0', '--drill-query', 'select 1'];
  const hooks = ['--before', 'sync', '--after', 'sync'];
  const full = [
    '--name',
    'hourly',
    '--schedule',
    '0 * * * *',
    '--timezone',
    'UTC',
    '--keep-monthly',
    '6',
    '--no-encryption',
  ];
  expect(
    await ada.json(['backup', 'policy', 'add', 'blog', '--destination', 'other', ...full, ...more, ...hooks]),
  ).toMatchObject({
    sources: [
      { type: 'volume', volume: 'uploads' },
      { type: 'files', service: 'app', path: '/etc' },
    ],
    retention: { last: 7, daily: 0, weekly: 4, monthly: 6 },
    drill: { schedule: '0 5 * * 0', query: 'select 1' },
    hooks: { before: 'sync', after: 'sync' },
    encryption: { enabled: false },
  });
  const changes = [
    '--keep-last',
    '3',
    '--no-drill',
    '--no-hooks',
    '--encryption',
    '--source',
    'volume-uploads',
    '--disable',
  ];
  expect(await ada.json(['backup', 'policy', 'set', 'hourly', ...changes])).toMatchObject({
    retention: { last: 3, weekly: 4, monthly: 6 },
    drill: null,
    hooks: {},
    sources: [{ type: 'volume', volume: 'uploads' }],
    encryption: { enabled: true },
    nextRunAt: null,
  });
  const { stdout } = await ada.run(['backup', 'policy', 'show', 'hourly']);
  expect(stdout).toMatch(/Project +blog\n/);
  expect(stdout).toMatch(/Next run +disabled\n/);
  expect(stdout).toMatch(/Destinations +other\n/);
  expect(await ada.run(['backup', 'run', 'blgo'])).toMatchObject({
    stderr: expect.stringContaining('did you mean blog?'),
  });
  const refused = await ada.run(['backup', 'policy', 'set', 'hourly', '--schedule', '0 0 30 2 *']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('never fires') });
  expect((await ada.run(['backup', 'policy', 'set', 'hourly', '--source', 'nothing'])).code).toBe(2);
  expect(await ada.run(['backup', 'policy', 'remove', 'hourly'])).toMatchObject({ code: 1 });
  expect(await ada.run(['backup', 'policy', 'remove', 'hourly', '--yes'])).toMatchObject({ code: 0 });
  const found = await ada.run(['backup', 'sources', 'blog']);
  expect(found.stdout).toMatch(/volume:uploads +volume-uploads +yes +a volume of the project, at uploads/);
});

test('a backup runs, is listed, pinned, downloaded and deleted', async () => {
  const run = await ada.run(['backup', 'run', 'blog']);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^bak_\w+\n$/) });
  expect(run.stderr).toMatch(/sending volume-uploads\n/);
  expect(run.stderr).toMatch(/completed after .*: 1 archive, .*B, verified/);
  const id = run.stdout.trim();
  expect((await ada.run(['backup', 'list', 'blog'])).stdout).toMatch(
    new RegExp(`${id} +blog +blog +completed +manual`),
  );
  expect((await ada.run(['backup', 'show', id])).stdout).toMatch(
    /volume-uploads: .* \(2\.0 MB of data, encrypted\)\n {2}nightly: /,
  );
  expect(await ada.json<Backup>(['backup', 'pin', id])).toMatchObject({ pinned: true });
  expect(await ada.json<Backup>(['backup', 'pin', id, '--off'])).toMatchObject({ pinned: false });
  const [key, archive] = [join(ada.home, 'keys.txt'), join(ada.home, 'archive')];
  const exported = await ada.run(['backup', 'key', 'export', '--to', key]);
  expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('Keep this file apart') });
  expect(exported.stdout).not.toContain('AGE-SECRET-KEY');
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(await ada.run(['backup', 'key', 'export', '--to', key])).toMatchObject({ code: 1 });
  expect(await ada.run(['backup', 'download', 'blog', '--output', archive])).toMatchObject({ code: 0 });
  const packed = execFileSync('age', ['-d', '-i', key, archive]);
  const tar = execFileSync('zstd', ['-d', '-c'], { input: packed, maxBuffer: 10_000_000 });
  expect(execFileSync('tar', ['-t'], { input: tar, encoding: 'utf8' })).toContain('data/a.txt');
  expect((await ada.run(['backup', 'cancel', id])).stderr).toContain('completed already');
  const detached = await ada.run(['backup', 'run', 'blog', '--detach']);
  const second = detached.stdout.trim();
  await until('it has ended', async () => (await ada.json<Backup>(['backup', 'show', second])).status === 'completed');
  expect(await ada.run(['backup', 'delete', second])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--yes'),
  });
  expect(await ada.run(['backup', 'delete', second, '--yes'])).toMatchObject({ code: 0 });
  expect((await ada.run(['backup', 'show', second])).stderr).toContain(`there is no backup ${second}`);
});

test('an archive file is restored with its key', async () => {
  await ada.run(['backup', 'run', 'blog']);
  const [key, archive] = [join(ada.home, 'archive-keys.txt'), join(ada.home, 'archive.tar.zst.age')];
  await ada.run(['backup', 'key', 'export', '--to', key]);
  await ada.run(['backup', 'download', 'blog', '--output', archive]);
  const before = content();
  write('changed\n');
  const args = ['restore', 'archive', archive, '--key', key, '--to-project', 'blog', '--in-place', '--yes'];
  expect(await ada.run([...args, '--destination', 'nightly'])).toMatchObject({ code: 0 });
  expect(content()).toBe(before);
  const one = join(ada.home, 'one.txt');
  expect(await ada.run(['backup', 'download', 'blog', '--path', 'a.txt', '--output', one])).toMatchObject({ code: 0 });
  expect(readFileSync(one, 'utf8')).toBe(before);
  const missing = await ada.run([
    'restore',
    'archive',
    'none.age',
    '--to-project',
    'blog',
    '--scratch',
    '--destination',
    'nightly',
  ]);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no file none.age') });
});

test('a backup is restored in place after a question, and the restore is undone', async () => {
  await ada.run(['backup', 'run', 'blog']);
  write('second\n');
  expect(await ada.run(['restore', 'backup', 'blog'])).toMatchObject({ code: 2 });
  expect(await ada.run(['restore', 'backup', 'blog', '--in-place'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--yes'),
  });
  const typist = new Typist(ada, ['restore', 'backup', 'blog', '--in-place']);
  await typist.answer('Restore in place?', 'y');
  expect(await typist.end()).toBe(0);
  expect(typist.screen).toMatch(/This replaces data of blog .*:\s+volume-uploads \(2\.0 MB\)\s+1\. .*backup/s);
  expect(content()).toBe('first\n');
  const id = /mooring restore undo (rst_\w+)/.exec(typist.screen)![1]!;
  const undone = await ada.json<Restore>(['restore', 'undo', id, '--yes']);
  expect(undone).toMatchObject({ status: 'completed', undoOf: id });
  expect(content()).toBe('second\n');
  expect(await ada.json<Backup>(['backup', 'show', 'blog'])).toMatchObject({ trigger: 'manual' });
  expect((await ada.run(['restore', 'list', 'blog'])).stdout).toMatch(/ +undo +in-place +completed/);
  expect((await ada.run(['restore', 'show', undone.id])).stdout).toContain(`undo of ${id}`);
});

test('a backup is restored to a new volume and to a scratch place, and proved by a drill', async () => {
  await ada.run(['backup', 'run', 'blog']);
  const fresh = ['--new', '--source', 'volume:uploads', '--name', 'volume:uploads=copy', '--path', 'a.txt'];
  expect(await ada.run(['restore', 'backup', 'blog', ...fresh])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('volume-uploads is restored to'),
  });
  expect(readFileSync(join(volume, '..', 'copy', 'a.txt'), 'utf8')).toBe('first\n');
  expect(existsSync(join(volume, '..', 'copy', 'b.bin'))).toBe(false);
  const scratch = await ada.json<Restore>(['restore', 'backup', 'blog', '--scratch']);
  expect(scratch).toMatchObject({ status: 'completed', proof: { result: expect.stringContaining('2 files') } });
  expect(await ada.run(['backup', 'drill', 'blog'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Proof: 2 files, 2.0 MB (files and bytes)'),
  });
  expect((await ada.run(['backup', 'policy', 'list'])).stdout).toMatch(/blog +blog +ok +just now +just now/);
});

test('a destination that is away fails the backup with exit code 1 and says why', async () => {
  rmSync(join(root, 'nightly'), { recursive: true });
  writeFileSync(join(root, 'nightly'), 'not a folder');
  const run = await ada.run(['backup', 'run', 'blog']);
  expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/bak_\w+ failed: .*nightly: /) });
  expect((await ada.run(['backup', 'policy', 'show', 'blog'])).stdout).toMatch(/Health +failing: /);
});

test('keys are listed and rotated', async () => {
  expect((await ada.run(['backup', 'key', 'list'])).stderr).toBe('');
  await ada.run(['backup', 'key', 'rotate']);
  const listed = await ada.run(['backup', 'key', 'list']);
  expect(listed.stdout.trim().split('\n')).toHaveLength(3);
  expect(listed.stderr).toContain('never exported');
  expect((await ada.run(['help', 'backup', 'policy'])).stdout).toContain('backup policy add <project>');
  expect((await ada.run(['backup', 'policy', 'lst'])).stderr).toContain('did you mean backup policy list?');
});
