import { readFileSync } from 'node:fs';
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
