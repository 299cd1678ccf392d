import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeOnPath, Person } from './mooring.ts';
import { owner, type Service, startService } from './service.ts';

let service: Service;
const root = new Person();
let env: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  env = { MOORING_DATA_DIR: service.dataDir, MOORING_PUBLIC_URL: service.url };
});
afterAll(async () => {
  root.leave();
  await service.stop();
});

test.each([nodeOnPath, process.execPath])('the key is rotated while the service runs, from %s', async (node) => {
  const key = () => readFileSync(join(service.dataDir, 'secret.key'), 'utf8');
  const before = key();
  expect(await root.run(['key', 'rotate'], { env, node })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the key is now'),
  });
  expect(key()).not.toBe(before);
  expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
});

test('reset-password prints a link that sets a new password', async () => {
  const { url } = await root.json<{ url: string }>(['reset-password', owner.email], { env });
  const token = new URL(url).hash.replace('#token=', '');
  const body = JSON.stringify({ token, password: 'another-horse-2' });
  expect(
    await root.run(['api', '/api/auth/reset-password', '-d', '-'], { env: { MOORING_URL: service.url }, stdin: body }),
  ).toMatchObject({ code: 0 });
  expect(await root.logIn(service.url)).toMatchObject({ code: 1 });
  expect(await root.logIn(service.url, { stdin: 'another-horse-2' })).toMatchObject({ code: 0 });
});

test('uninstall removes only what install.sh has installed, and asks first', async () => {
  expect(await root.run(['uninstall'], { env })).toMatchObject({
    code: 1,
    stderr: 'mooring: there is no terminal to confirm on; add --yes\n',
  });
  expect(await root.run(['uninstall', '--yes'], { env })).toMatchObject({
    code: 1,
    stderr: `mooring: this Mooring was not installed with install.sh; stop it and delete ${service.dataDir}\n`,
  });
  expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
});

test('the instance is backed up while it runs, and restored elsewhere with its key', async () => {
  const file = join(root.home, 'backup.age');
  const made = await root.json<{ place: string; message: string }>(['backup', 'instance', '--to', file], { env });
  expect(made).toMatchObject({ place: file, message: expect.stringContaining('mooring backup key') });
  const key = join(root.home, 'backup.key');
  const { stdout } = await root.run(['backup', 'key'], { env });
  expect(stdout).toContain('AGE-SECRET-KEY-1');
  writeFileSync(key, stdout);
  const empty = { MOORING_DATA_DIR: join(root.home, 'new-machine') };
  const restore = ['restore', 'instance', file, '--key', key];
  expect(await root.run(restore, { env: empty })).toMatchObject({
    code: 1,
    stderr: 'mooring: use --yes to restore without a question\n',
  });
  expect(await root.run([...restore, '--yes'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('stop it first'),
  });
  expect(await root.run([...restore, '--yes'], { env: empty })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Restored the instance ins_'),
  });
  expect(existsSync(join(empty.MOORING_DATA_DIR, 'mooring.db'))).toBe(true);
});

test('doctor reports what it finds, and exits with 1 for a problem', async () => {
  const { code, stdout } = await root.run(['doctor', '--json'], { env });
  const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string }[] };
  expect(findings).toContainEqual(expect.objectContaining({ check: 'service', level: 'ok' }));
  expect(findings).toContainEqual(expect.objectContaining({ check: 'instance backup', level: 'ok' }));
  expect(code).toBe(findings.some(({ level }) => level === 'problem') ? 1 : 0);
});

test('a failure is one sentence', async () => {
  const unknown = 'mooring: there is no user eve@example.com\n';
  expect(await root.run(['reset-password', 'eve@example.com'], { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: unknown,
  });
  expect(await root.run(['reset-password'], { env })).toMatchObject({ code: 2 });
  const nowhere = await root.run(['key', 'rotate'], { env: { MOORING_DATA_DIR: join(root.home, 'nothing') } });
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no instance in') });
});
