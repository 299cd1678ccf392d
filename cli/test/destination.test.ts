import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from './mooring.ts';
import { type Service, startService } from './service.ts';

const root = mkdtempSync(join(tmpdir(), 'mooring-destinations-'));
let service: Service;
const ada = new Person();
beforeAll(async () => {
  mkdirSync(join(root, 'nightly'));
  service = await startService({ BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root });
  await ada.logIn(service.url);
});
afterAll(async () => {
  ada.leave();
  await service.stop();
  rmSync(root, { recursive: true });
});

test('a destination is added, tested, changed, listed and removed', async () => {
  const endpoint = join(root, 'nightly');
  const added = await ada.run(['destination', 'add', 'nightly', '--kind', 'local', '--set', `endpoint=${endpoint}`]);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('mooring destination test nightly') });
  expect(await ada.run(['destination', 'test', 'nightly'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nightly works'),
  });
  expect(await ada.run(['destination', 'update', 'nightly', '--name', 'weekly', '--default'])).toMatchObject({
    code: 0,
  });
  expect(await ada.json(['destination', 'list'])).toMatchObject([{ name: 'weekly', isDefault: true, endpoint }]);
  expect((await ada.run(['destination', 'update', 'weekly'])).stderr).toContain('nothing to change');
  expect((await ada.run(['destination', 'remove', 'nightly'])).stderr).toContain('there are weekly');
  expect(await ada.run(['destination', 'remove', 'weekly'])).toMatchObject({ code: 0 });
  expect(await ada.json(['destination', 'list'])).toEqual([]);
});

test('secrets come from files, never from the command line', async () => {
  const file = join(root, 'secret');
  writeFileSync(file, 'do-not-show\n');
  const s3 = ['--kind', 's3_compatible', '--set', 'bucket=b', '--set', 'endpoint=http://127.0.0.1:1'];
  const shown = await ada.run(['destination', 'add', 's3', ...s3, '--set', 'secretAccessKey=do-not-show']);
  expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('is a secret') });
  const secrets = ['--secret-file', `accessKeyId=${file}`, '--secret-file', `secretAccessKey=${file}`];
  const added = await ada.json(['destination', 'add', 's3', ...s3, ...secrets]);
  expect(added).toMatchObject({ hasAccessKeyId: true, hasSecretAccessKey: true });
  expect(JSON.stringify(added)).not.toContain('do-not-show');
  const tried = await ada.run(['destination', 'test', 's3']);
  expect(tried).toMatchObject({ code: 1, stderr: expect.stringMatching(/s3: .*127\.0\.0\.1/) });
  expect((await ada.run(['destination', 'add', 'x', '--kind', 'http_upload'])).stderr).toContain('there is no kind');
  expect((await ada.run(['destination', 'add', 'x', '--kind', 'sftp', '--set', 'bucket=b'])).stderr).toContain(
    'sftp has no field bucket',
  );
});
