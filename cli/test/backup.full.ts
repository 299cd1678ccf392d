import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Restore, startBackups } from './backup-rig.ts';
import type { Person } from './mooring.ts';

let rig: Awaited<ReturnType<typeof startBackups>>;
let ada: Person;
beforeAll(async () => {
  rig = await startBackups();
  ({ ada } = rig);
}, 60_000);
afterAll(() => rig?.stop());
beforeEach(() => rig.write('first\n'));

test('a policy is added with its defaults, changed, shown and removed', async () => {
  const early = await ada.run(['backup', 'policy', 'add', 'blog']);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('mooring destination add <name>') });
  for (const name of ['nightly', 'other']) await rig.addDestination(name);
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

test('an archive file is restored with its key', async () => {
  await ada.run(['backup', 'run', 'blog']);
  const [key, archive] = [join(ada.home, 'archive-keys.txt'), join(ada.home, 'archive.tar.zst.age')];
  await ada.run(['backup', 'key', 'export', '--to', key]);
  await ada.run(['backup', 'download', 'blog', '--output', archive]);
  const before = rig.content();
  rig.write('changed\n');
  const args = ['restore', 'archive', archive, '--key', key, '--to-project', 'blog', '--in-place', '--yes'];
  expect(await ada.run([...args, '--destination', 'nightly'])).toMatchObject({ code: 0 });
  expect(rig.content()).toBe(before);
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

test('a backup is restored to a new volume and to a scratch place, and proved by a drill', async () => {
  await ada.run(['backup', 'run', 'blog']);
  const fresh = ['--new', '--source', 'volume:uploads', '--name', 'volume:uploads=copy', '--path', 'a.txt'];
  expect(await ada.run(['restore', 'backup', 'blog', ...fresh])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('volume-uploads is restored to'),
  });
  expect(readFileSync(join(rig.volume, '..', 'copy', 'a.txt'), 'utf8')).toBe('first\n');
  expect(existsSync(join(rig.volume, '..', 'copy', 'b.bin'))).toBe(false);
  const scratch = await ada.json<Restore>(['restore', 'backup', 'blog', '--scratch']);
  expect(scratch).toMatchObject({ status: 'completed', proof: { result: expect.stringContaining('2 files') } });
  expect(await ada.run(['backup', 'drill', 'blog'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Proof: 2 files, 2.0 MB (files and bytes)'),
  });
  expect((await ada.run(['backup', 'policy', 'list'])).stdout).toMatch(/blog +blog +ok +just now +just now/);
});

test('a destination that is away fails the backup with exit code 1 and says why', async () => {
  rmSync(join(rig.root, 'nightly'), { recursive: true });
  writeFileSync(join(rig.root, 'nightly'), 'not a folder');
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
