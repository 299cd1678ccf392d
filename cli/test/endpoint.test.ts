import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

type Project = { trusted: boolean; publicEndpoints: object[] };

let service: Service;
const ada = new Person();
const stack = join(ada.home, 'stack');
const shown = (name = 'shop') => ada.json<Project>(['project', 'show', name]);
const endpoint = (...args: string[]) => ada.run(['endpoint', ...args]);
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
  mkdirSync(stack);
  writeFileSync(join(stack, 'compose.yaml'), 'services:\n  web: {image: a}\n  api: {image: b, expose: [8080]}\n');
  await ada.run(['project', 'create', 'shop']);
});
afterAll(async () => {
  await stopWithApps(service);
  ada.leave();
});

test('endpoints are set, added, listed and removed', async () => {
  expect(await endpoint('set', 'shop', 'web:3000', 'api')).toMatchObject({
    code: 0,
    stdout: 'Public services of shop: web:3000, api.\n',
    stderr: expect.stringContaining('takes effect with the next deployment'),
  });
  expect(await endpoint('add', 'shop', 'api:81', '--name', 'back', '--path', '/v1')).toMatchObject({ code: 0 });
  expect((await shown()).publicEndpoints).toEqual([
    { service: 'web', port: 3000 },
    { service: 'api', port: 81, domain: 'back', domainType: 'free', targetPath: '/v1' },
  ]);
  const { stdout, stderr } = await endpoint('list', 'shop');
  expect(stdout).toMatch(
    /^SERVICE +ADDRESS +SETTING\nweb +not public +web:3000\napi +not public +api:81 at back\/v1\n$/,
  );
  expect(stderr).toContain('shop has no active release');
  expect((await endpoint('remove', 'shop', 'web')).code).toBe(0);
  expect((await endpoint('remove', 'shop', 'api')).stdout).toBe(
    'The source decides which services of shop are public.\n',
  );
});

test('no service is public if none is set', async () => {
  expect((await endpoint('set', 'shop', 'none')).stdout).toBe('No service of shop is public.\n');
  expect((await shown()).publicEndpoints).toEqual([{ none: true }]);
  expect((await endpoint('list', 'shop')).stdout).not.toContain('app');
  expect((await endpoint('add', 'shop', 'web')).stdout).toBe('Public services of shop: web.\n');
  expect((await endpoint('remove', 'shop', 'web')).code).toBe(0);
});

test('wrong endpoints are refused', async () => {
  expect(await endpoint('set', 'shop', 'web:99999')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('web:3000'),
  });
  expect(await endpoint('remove', 'shop', 'nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('shop has no endpoint of nothing; see: mooring endpoint list shop'),
  });
});

test('deploy sets the public service, and keeps it', async () => {
  await ada.run(['deploy', stack, '--new=flagged', '--no-save', '--service', 'api', '--port', '8081']);
  expect((await shown('flagged')).publicEndpoints).toEqual([{ service: 'api', port: 8081 }]);
  expect(await ada.run(['deploy', stack, '--port', 'x'])).toMatchObject({ code: 2 });
});

test('deploy --compose chooses the compose file of an app, and keeps it', async () => {
  const result = await ada.run(['deploy', stack, '--new=composed', '--no-save', '--compose', 'compose.yaml']);
  expect(result.stderr).not.toContain('is ignored');
  const { stdout } = await ada.run(['env', 'list', 'composed', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ key: 'COMPOSE_FILE', value: 'compose.yaml', secret: false }]);
});

test('trust needs a confirmation, and can be taken back', async () => {
  expect(await ada.run(['project', 'trust', 'shop'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/can take over the machine\.\nNo deployment.*\n.*mooring project trust shop --yes/s),
  });
  expect(await ada.run(['project', 'trust', 'shop', '--yes'])).toMatchObject({ code: 0, stdout: 'shop is trusted.\n' });
  expect((await shown()).trusted).toBe(true);
  expect(await ada.run(['project', 'untrust', 'shop'])).toMatchObject({ code: 0, stdout: 'shop is not trusted.\n' });
  expect((await shown()).trusted).toBe(false);
});

describe.skipIf(!existsSync('/usr/bin/script'))('on a terminal', () => {
  test('deploy asks which service is public', async () => {
    const typist = new Typist(ada, ['deploy', stack, '--new=asked', '--no-save']);
    await typist.answer('Public service [web]', 'none');
    await typist.answer('Answer with one of', 'web:3000');
    await typist.end();
    expect(typist.screen).toContain('api (it exposes port 8080)');
    expect((await shown('asked')).publicEndpoints).toEqual([{ service: 'web', port: 3000 }]);
  });
});
