import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../server/test/rig/until.ts';
import { type Backup, type Restore, startBackups } from './backup-rig.ts';
import { type Person, Typist } from './mooring.ts';

let rig: Awaited<ReturnType<typeof startBackups>>;
let ada: Person;
beforeAll(async () => {
  rig = await startBackups();
  ({ ada } = rig);
  await rig.addDestination('nightly');
  await ada.run(['backup', 'policy', 'add', 'blog']);
}, 60_000);
afterAll(() => rig?.stop());
beforeEach(() => rig.write('first\n'));

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

test('a backup is restored in place after a question, and the restore is undone', async () => {
  await ada.run(['backup', 'run', 'blog']);
  rig.write('second\n');
  expect(await ada.run(['restore', 'backup', 'blog'])).toMatchObject({ code: 2 });
  expect(await ada.run(['restore', 'backup', 'blog', '--in-place'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--yes'),
  });
  const typist = new Typist(ada, ['restore', 'backup', 'blog', '--in-place']);
  await typist.answer('Restore in place?', 'y');
  expect(await typist.end()).toBe(0);
  expect(typist.screen).toMatch(/This replaces data of blog .*:\s+volume-uploads \(2\.0 MB\)\s+1\. .*backup/s);
  expect(rig.content()).toBe('first\n');
  const id = /mooring restore undo (rst_\w+)/.exec(typist.screen)![1]!;
  const undone = await ada.json<Restore>(['restore', 'undo', id, '--yes']);
  expect(undone).toMatchObject({ status: 'completed', undoOf: id });
  expect(rig.content()).toBe('second\n');
  expect(await ada.json<Backup>(['backup', 'show', 'blog'])).toMatchObject({ trigger: 'manual' });
  expect((await ada.run(['restore', 'list', 'blog'])).stdout).toMatch(/ +undo +in-place +completed/);
  expect((await ada.run(['restore', 'show', undone.id])).stdout).toContain(`undo of ${id}`);
});

test('a restore is cancelled, and nothing has changed', async () => {
  rig.write('second\n');
  // Noise is not compressed, and the backup before the restore is slow.
  const noise = join(rig.volume, 'noise.bin');
  writeFileSync(noise, randomBytes(3_000_000));
  await ada.run(['backup', 'policy', 'set', 'blog', '--bandwidth', '0.1']);
  const { stdout } = await ada.run(['restore', 'backup', 'blog', '--in-place', '--yes', '--detach']);
  const id = stdout.trim();
  const show = () => ada.json<Restore>(['restore', 'show', id]);
  await until('it works', async () => (await show()).progress.phase.startsWith('sending'));
  const began = Date.now();
  expect(await ada.run(['restore', 'cancel', id])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(`^${id} is (being )?cancelled\\.\n$`),
  });
  await until('it is cancelled', async () => (await show()).status === 'cancelled');
  expect(Date.now() - began).toBeLessThan(5000);
  expect([rig.content(), existsSync(noise)]).toEqual(['second\n', true]);
  expect(await ada.run(['restore', 'cancel', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('It is cancelled already'),
  });
  expect(await ada.run(['restore', 'cancel', 'rst_none'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no restore rst_none'),
  });
});

test('backups of a deleted project say so, and the deletion says where its data stays', async () => {
  const id = (await ada.run(['backup', 'run', 'blog'])).stdout.trim();
  const { id: projectId } = await ada.json<{ id: string }>(['project', 'show', 'blog']);
  expect(await ada.run(['project', 'delete', 'blog', '--yes'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`  volumes/${projectId}/production/uploads\n`),
  });
  expect((await ada.run(['backup', 'list'])).stdout).toContain(`deleted (${projectId})`);
  expect(await ada.run(['restore', 'backup', id, '--in-place', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the project of ${id} was deleted; name another one with --to-project`),
  });
});
