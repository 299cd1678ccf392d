import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from './mooring.ts';
import { type Service, startService } from './service.ts';

let service: Service;
/** A stub for cases that the service cannot produce on demand: streams, redirects, invalid responses. */
let stand: Server;
let standUrl: string;
const reached: string[] = [];
const ada = new Person();

beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
  stand = createServer((request, response) => {
    reached.push(`${request.url} ${request.headers.authorization ?? 'without a token'}`);
    if (request.url === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: one\n\n');
    } else if (request.url === '/moved') response.writeHead(307, { location: `${service.url}/api/me` }).end();
    else if (request.url === '/cut')
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    else if (request.url === '/reason')
      response.writeHead(502).end('{"error":"cloud_unreachable","message":"no route","code":"x"}');
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Something else</h1>');
  });
  await once(stand.listen(0, '127.0.0.1'), 'listening');
  standUrl = `http://127.0.0.1:${(stand.address() as AddressInfo).port}`;
});
afterAll(async () => {
  stand.closeAllConnections();
  stand.close();
  ada.leave();
  await service.stop();
});

test('prints the response verbatim', async () => {
  const { code, stdout } = await ada.run(['api', '/api/me']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { via: 'token' } });
  expect(await ada.run(['api', `${service.url}/api/health`])).toMatchObject({ code: 0 });
});

test('sends data from an argument, a file and standard input', async () => {
  const body = (name: string) => JSON.stringify({ name, permissions: ['project:list'] });
  const file = join(ada.home, 'body.json');
  writeFileSync(file, body('from file'));
  const names = [];
  for (const [data, stdin] of [
    [body('from argument'), ''],
    [`@${file}`, ''],
    ['-', body('from stdin')],
  ])
    names.push((await ada.json<{ data: { name: string } }>(['api', '/api/tokens', '-d', data!], { stdin })).data.name);
  expect(names).toEqual(['from argument', 'from file', 'from stdin']);
  expect(await ada.run(['api', '/api/tokens', '-d', '@/nowhere'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^mooring: ENOENT[^\n]+\n$/),
  });
});

test('-X sets the method', async () => {
  const renamed = await ada.json(['api', '/api/organizations/current', '-X', 'patch', '-d', '{"name":"Renamed"}']);
  expect(renamed).toMatchObject({ data: { name: 'Renamed' } });
  expect(await ada.run(['api', '/api/me', '-X', 'BREW'])).toMatchObject({ code: 2 });
  expect(await ada.run(['api', '/api/me', '-X', 'GET', '-d', '{}'])).toMatchObject({ code: 2 });
});

test('an error prints one sentence and exits with 1; with --json it prints the body too', async () => {
  const nothing = 'mooring: there is no route GET /api/nothing\n';
  expect(await ada.run(['api', '/api/nothing'])).toEqual({ code: 1, stdout: '', stderr: nothing });
  const { stdout, ...rest } = await ada.run(['api', '/api/nothing', '--json']);
  expect(rest).toEqual({ code: 1, stderr: nothing });
  expect(JSON.parse(stdout)).toMatchObject({ success: false, code: 'not_found' });
  expect(await ada.run(['api', '/reason', '--url', standUrl])).toMatchObject({
    stderr: 'mooring: cloud_unreachable: no route\n',
  });
});

test.each([
  'http://elsewhere.example/api/me',
  '//elsewhere.example/',
  '\\\\elsewhere.example/',
  'https:elsewhere.example',
  'http://[',
  'file:///etc/passwd',
])('refuses %s', async (path) => {
  const { code, stderr } = await ada.run(['api', path]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('the token is sent to no other address'),
  });
});

test('the stored token is sent only to its own instance', async () => {
  await ada.run(['api', '/else', '--url', standUrl]);
  await ada.run(['api', '/else'], { env: { MOORING_URL: standUrl } });
  expect(await ada.run(['whoami', '--url', standUrl])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not logged in at'),
  });
  expect(reached.filter((line) => line.startsWith('/else'))).toEqual([
    '/else without a token',
    '/else without a token',
  ]);
});

test('redirects are not followed', async () => {
  const env = { MOORING_URL: standUrl, MOORING_TOKEN: 'mrg_pat_any' };
  expect(await ada.run(['api', '/moved'], { env })).toMatchObject({
    code: 1,
    stderr: 'mooring: the service answered 307\n',
  });
});

test('no password is sent to a server that is not Mooring', async () => {
  expect(await ada.logIn(standUrl)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not Mooring') });
  expect(reached.filter((line) => line.includes('sign-in'))).toEqual([]);
});

test('a truncated response is an error', async () => {
  expect(await ada.run(['api', '/cut', '--url', standUrl])).toMatchObject({
    code: 1,
    stdout: 'half',
    stderr: expect.stringContaining('was cut off'),
  });
});

test('a stream is printed as it arrives, and Ctrl-C ends it', async () => {
  const child = ada.start(['api', '/stream', '--url', standUrl]);
  const [first] = (await once(child.stdout!, 'data')) as [Buffer];
  expect(first.toString()).toBe('event: one\n\n');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test.each([['api', '/api/openapi.json'], ['token', 'list'], ['help']])(
  'a closed pipe is not an error: %s',
  async (...args) => {
    const child = ada.start(args);
    child.stdout!.destroy();
    const complaints = await text(child.stderr!);
    expect({ complaints, code: child.exitCode ?? (await once(child, 'exit'))[0] }).toEqual({ complaints: '', code: 0 });
  },
);
