import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { join as joinAs } from '../../../test/rig/people.ts';
import { fieldsOf, owner, thingsOf } from '../../../test/rig/things.ts';
import { until } from '../../../test/rig/until.ts';
import { sampleArchive, paxEntry, type Sample, tarHeader } from '../../lib/archive/sample-archives-rig.ts';

type Session = { sessionId: string; upload: { url: string; headers: Record<string, string> } };

describe('hostile uploads', () => {
  let app: TestApp;
  let dataDir: string;
  let base: string;
  beforeEach(async () => {
    dataDir = newFolder('data');
    app = await startApp('sqlite', { env: { MOORING_DATA_DIR: dataDir, MOORING_ANONYMOUS_REQUEST_LIMIT: '0' } });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    base = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
  });
  afterEach(() => app.close());
  const { post, get, newProject, newUpload, grant, rows } = thingsOf(() => app);

  const open = async (body: object = {}) =>
    (await post('/api/projects/folder/session', body)).body as unknown as Session;
  const put = ({ upload }: Session, body: Buffer) =>
    app.call('PUT', new URL(upload.url, 'http://x').pathname, { headers: upload.headers, body });
  const kept = () => (existsSync(join(dataDir, 'uploads')) ? readdirSync(join(dataDir, 'uploads')) : []);
  const good = sampleArchive({ name: 'index.html', content: 'x' });

  const attacks: [string, (Sample | Buffer)[]][] = [
    ['a way up', [{ name: '../../secret.key', content: 'x' }]],
    ['an absolute path', [{ name: '/etc/cron.d/x', content: 'x' }]],
    ['a link out', [{ name: 'a', type: '2', link: '../../secret.key' }]],
    [
      'a file through a link that leads back in',
      [
        { name: 'a', type: '2', link: '../x' },
        { name: 'a/index.html', content: 'x' },
      ],
    ],
    [
      'a folder that turns into a link',
      [
        { name: 'a/', type: '5' },
        { name: 'a', type: '2', link: '/etc' },
        { name: 'a/x', content: 'x' },
      ],
    ],
    ['a hard link out', [{ name: 'a', type: '1', link: '../../secret.key' }]],
    ['a device', [{ name: 'a', type: '3' }]],
    ['a pipe', [{ name: 'a', type: '6' }]],
    ['a sparse file', [paxEntry({ 'GNU.sparse.realsize': '1000000000000' }), { name: 'a' }]],
    ['a name without end', [paxEntry({ path: 'x'.repeat(5000) }), { name: 'a' }]],
    ['a depth without end', [paxEntry({ path: 'd/'.repeat(1000) }), { name: 'a' }]],
  ];

  it.each(attacks)('with %s are rejected with the reason', async (_what, entries) => {
    const session = await open();
    const answer = await put(session, sampleArchive(...entries));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('the archive') as string]);
    expect(kept()).toEqual([]);
    expect((await put(session, good)).status, 'the session is as good as before').toBe(200);
  });

  it('with a decompression bomb are rejected without unpacking', async () => {
    const zeros = gzipSync(Buffer.concat([tarHeader({ name: 'a', size: 2 ** 28 }), Buffer.alloc(2 ** 27)]));
    const began = performance.now();
    expect((await put(await open(), zeros)).status).toBe(400);
    expect(performance.now() - began).toBeLessThan(5000);
    const header = tarHeader({ name: 'again and again' });
    const many = gzipSync(Buffer.concat(Array.from({ length: 100_001 }, () => header)), { level: 1 });
    expect((await put(await open(), many)).text).toContain('more than 100000');
    expect(kept()).toEqual([]);
  });

  it('of any content get a response', async () => {
    const part = fc.constantFrom('a', 'b', '..', '.', '', '/', '\\', '\0', 'ü', '-rf', '$(id)', 'x'.repeat(90));
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const type = fc.constantFrom('0', '1', '2', '5', 'L', 'K', 'x', 'g', '3', '7', 'S', '\0');
    const samples = fc.array(fc.record({ name: path, type, link: path, content: fc.string({ maxLength: 300 }) }));
    const sent = fc.oneof(
      samples.map((each) => sampleArchive(...each)),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 500 }).map((bytes) => gzipSync(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(sent, async (body) => {
        // Deleted each time, so that the session limit is not reached.
        const session = await open();
        const { status } = await put(session, body);
        expect([200, 400]).toContain(status);
        if (status === 200) {
          const { status: scanned } = await post('/api/projects/folder/scan', { sessionId: session.sessionId });
          expect(scanned).toBe(200);
        }
        await app.database.db.deleteFrom('uploads').execute();
      }),
      { numRuns: 120 },
    );
    const temporary = join(dataDir, 'tmp');
    expect(existsSync(temporary) ? readdirSync(temporary) : []).toEqual([]);
    expect(kept().filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('that stall and disconnect leave nothing behind', async () => {
    const session = await open();
    const { upload } = session;
    const sending = request(new URL(new URL(upload.url).pathname, base), {
      method: 'PUT',
      headers: { ...upload.headers, 'transfer-encoding': 'chunked' },
    }).on('error', () => {});
    for (const byte of good.subarray(0, 20)) {
      sending.write(Buffer.of(byte));
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (byte === good[0]) expect((await get('/api/projects')).status, 'others are served').toBe(200);
    }
    await until('it is being received', () => kept().length === 1);
    expect((await put(session, good)).status, 'by one at a time').toBe(409);
    sending.destroy();
    await until('it is gone', () => kept().length === 0);
    await until('it may be sent again', async () => (await put(session, good)).status === 200);
  });

  it('can be deployed only by members who see them', async () => {
    const guest = await joinAs(app, 'guest@example.com', 'restricted');
    const [mine, other] = [await newProject(), await newProject()];
    await grant(guest, [mine, 'admin']);
    const who = { cookie: guest.cookie };
    const use = async (uploadSessionId: string) => {
      const body = { projectId: mine, uploadSessionId, autoStart: false };
      return (await post('/api/deployments/build/access', body, who)).status;
    };
    const [unbound, bound] = [await newUpload(), await newUpload(owner, { projectId: other })];
    const before = await rows();
    expect([await use(unbound), await use(bound)]).toEqual([404, 404]);
    expect(await rows()).toBe(before);
    expect(await use(await newUpload(who)), 'its own').toBe(200);
    expect(await use(await newUpload(owner, { projectId: mine })), 'one for its project').toBe(200);
  });

  it('for a cloud fail without a link when deployed', async () => {
    const projectId = await newProject();
    const uploadSessionId = await newUpload(owner, { mode: 'cloud' });
    const access = { projectId, uploadSessionId, autoStart: false };
    expect(await post('/api/deployments/build/access', access)).toMatchObject({
      status: 400,
      body: { code: 'cloud_not_linked' },
    });
    expect((await post('/api/deployments/build/access', { ...access, deployTarget: 'local' })).status).toBe(200);
  });
});

describe('floods', () => {
  let app: TestApp;
  let port: number;
  beforeEach(async () => {
    app = await startApp('sqlite', { env: { MOORING_REQUEST_LIMIT: '150', MOORING_ANONYMOUS_REQUEST_LIMIT: '40' } });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = app.server.server.address() as AddressInfo);
  });
  afterEach(() => app.close());

  /** Sends raw text and returns the response. */
  const raw = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.setTimeout(3000, () => socket.destroy());
      socket.on('data', (chunk) => (answer += chunk.toString())).on('error', () => {});
      socket.once('close', () => resolve(answer));
    });
  const head = (line: string, ...headers: string[]) =>
    `${[line, 'host: x', 'connection: close', `authorization: Bearer ${ownerToken}`, ...headers].join('\r\n')}\r\n\r\n`;

  it('with an oversized body get a 413, with or without Content-Length', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1_100_000) });
    const json = 'content-type: application/json';
    const announced = head('POST /api/projects HTTP/1.1', json, `content-length: ${body.length}`);
    expect(await raw(announced)).toMatch(/^HTTP\/1.1 413 /);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await raw(head('POST /api/projects HTTP/1.1', json, 'transfer-encoding: chunked') + chunk)).toMatch(
      /^HTTP\/1.1 413 .*too_large/s,
    );
  });

  it.each([
    ['two lengths', 'content-length: 1\r\ncontent-length: 2'],
    ['a length and chunks', 'content-length: 1\r\ntransfer-encoding: chunked'],
    ['a negative length', 'content-length: -1'],
    ['a length that is no number', 'content-length: 1e9'],
    ['a coding of its own', 'transfer-encoding: gzip, chunked, x'],
    ['a header without end', `x: ${'y'.repeat(40_000)}`],
    ['a line in a header', 'x: a\r\n b'],
    ['a NUL in a header', 'x: a\0b'],
  ])('with %s get a 4xx in the usual form, or no response', async (_what, header) => {
    const answer = await raw(head('POST /api/projects HTTP/1.1', 'content-type: application/json', header));
    if (answer) expect(answer).toMatch(/^HTTP\/1.1 4\d\d .*"success":false/s);
    expect((await app.call('GET', '/api/health')).status).toBe(200);
  });

  it('of requests are rate-limited without affecting others', async () => {
    const ask = (options: object) => app.call('GET', '/api/projects', options);
    const began = performance.now();
    const statuses = (await Promise.all(Array.from({ length: 400 }, () => ask({ token: ownerToken })))).map(
      ({ status, headers }) => (status === 429 ? `429 ${Number(headers['retry-after']) >= 1}` : String(status)),
    );
    expect(new Set(statuses)).toEqual(new Set(['200', '429 true']));
    const seconds = (performance.now() - began) / 1000;
    expect(statuses.filter((status) => status === '200').length).toBeLessThanOrEqual(
      150 + Math.ceil((150 / 60) * seconds),
    );
    const guesses = await Promise.all(
      Array.from({ length: 60 }, () => app.call('PUT', '/api/projects/folder/upload/x')),
    );
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
    expect((await app.call('GET', '/api/health')).status).toBe(200);
  });

  it('of empty upload sessions evict the oldest ones', async () => {
    const { post } = thingsOf(() => app);
    const answers = await Promise.all(Array.from({ length: 110 }, () => post('/api/projects/folder/session')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const left = await app.database.db.selectFrom('uploads').select(['id', 'status']).execute();
    expect(left.filter(({ status }) => status === 'open')).toHaveLength(100);
    const last = fieldsOf(await post('/api/projects/folder/session'))['sessionId'];
    expect((await app.database.db.selectFrom('uploads').select('id').execute()).map(({ id }) => id)).toContain(last);
  });
});
