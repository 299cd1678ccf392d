import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { closedUrl, Person } from './mooring.ts';
import { type Service, startService } from './service.ts';

type Stored = { url: string; token: string; tokenId: string };

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ada = new Person();
  await ada.logIn(service.url);
});
afterEach(() => ada.leave());

const stored = () => JSON.parse(readFileSync(ada.loginFile, 'utf8')) as Stored;

test('logout revokes the token that login created', async () => {
  const { token, tokenId } = stored();
  expect(await ada.json(['logout'])).toEqual({ url: service.url, tokenId, revoked: true });
  expect(existsSync(ada.loginFile)).toBe(false);
  expect(await ada.run(['whoami'], { env: { MOORING_URL: service.url, MOORING_TOKEN: token } })).toMatchObject({
    code: 1,
  });
  expect(await ada.run(['logout'])).toMatchObject({ code: 1, stderr: 'mooring: you are not logged in\n' });
});

test('logout removes the login even if the token cannot be revoked', async () => {
  writeFileSync(ada.loginFile, JSON.stringify({ ...stored(), url: await closedUrl() }));
  expect(await ada.run(['logout'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is still valid: cannot reach'),
  });
  expect(existsSync(ada.loginFile)).toBe(false);
});

test('a new login revokes the previous token', async () => {
  const before = stored();
  await ada.logIn(service.url);
  expect(stored().token).not.toBe(before.token);
  const outcome = await ada.run(['whoami'], { env: { MOORING_TOKEN: before.token } });
  expect(outcome).toMatchObject({ code: 1, stderr: 'mooring: the access token is not valid; check MOORING_TOKEN\n' });
});

test('a revoked login says what to do, and can still log out', async () => {
  await ada.run(['token', 'revoke', stored().tokenId]);
  expect(await ada.run(['whoami'])).toMatchObject({
    code: 1,
    stderr: 'mooring: the access token is not valid; run: mooring login\n',
  });
  expect(await ada.run(['logout'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('had already expired'),
  });
});

test('a corrupt login file says what to do, and a login replaces it', async () => {
  writeFileSync(ada.loginFile, '{"url"');
  expect(await ada.run(['whoami'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a valid login file'),
  });
  expect(await ada.logIn(service.url)).toMatchObject({ code: 0, stderr: expect.stringContaining('is replaced') });
});

test('without a login, commands say what to do', async () => {
  await ada.run(['logout']);
  const { code, stderr } = await ada.run(['whoami']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'mooring: you are not logged in at http://127.0.0.1:4600; run: mooring login\n',
  });
});
