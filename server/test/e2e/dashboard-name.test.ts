import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/drivers/edge/builtin/control/client.ts';
import { ownerEmail, ownerPassword, ownerToken } from '../rig/app.ts';
import { ask, type Ask, begin } from '../rig/edge.ts';
import { askOn, openHttp2 } from '../rig/http2.ts';
import { has } from '../rig/parts.ts';
import { type Pebble, startPebble } from '../rig/pebble.ts';
import { freePort } from '../rig/ports.ts';
import { secureVisitor, visitAllTheTime } from '../rig/secure-visitor.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const name = 'mooring.example.com';
/** The largest archive is 300 MB. */
const uploadMb = process.env['MOORING_TEST_FULL'] === '1' ? 299 : 20;
const bearer = { authorization: `Bearer ${ownerToken}` };
const json = { 'content-type': 'application/json' };

describe.runIf(has('pebble'))(
  'the dashboard on its own name, with a real certificate authority and the real edge',
  () => {
    let service: Service;
    let pebble: Pebble;
    let visit: ReturnType<typeof secureVisitor>;
    let env: Record<string, string>;
    let [port, tlsPort] = [0, 0];

    beforeAll(async () => {
      [port, tlsPort] = [await freePort(), await freePort()];
      pebble = await startPebble({ httpPort: port });
      await pebble.lead(name, ['127.0.0.77']);
      env = {
        PORT: String(await freePort()),
        MOORING_PUBLIC_URL: `https://${name}:${tlsPort}`,
        MOORING_PUBLIC_ADDRESSES: '127.0.0.1',
        MOORING_EDGE_PORT: String(port),
        MOORING_EDGE_TLS_PORT: String(tlsPort),
        MOORING_ACME_DIRECTORY: pebble.directory,
        MOORING_ACME_CA_FILE: pebble.caFile,
        MOORING_DNS_SERVERS: pebble.dnsServer,
        MOORING_LOG_LEVEL: 'warn',
      };
      service = await startService({ env });
      visit = secureVisitor(await pebble.root(), () => tlsPort);
    });
    afterAll(async () => {
      await service?.stop();
      await pebble?.stop();
    });

    const plain = (path: string, { host = name, ...options }: Ask & { host?: string } = {}) =>
      ask(port, host, path, options);
    const secure = (path: string, options: Ask = {}) => ask(tlsPort, name, path, { ...options, secure: true });
    const signIn = (origin: string) => ({
      method: 'POST',
      headers: { ...json, origin },
      body: JSON.stringify({ email: ownerEmail, password: ownerPassword }),
    });
    const latestToken = async () => {
      const answer = await service.get('/api/audit?action=token.created&limit=1');
      return ((await answer.json()) as { data: { ip: string }[] }).data[0]!.ip;
    };
    const newToken = (headers: Record<string, string>) => ({
      method: 'POST',
      headers: { ...json, ...bearer, ...headers },
      body: JSON.stringify({ name: 'one', permissions: '*' }),
    });

    it('responds over plain HTTP while there is no certificate, by name and by address', async () => {
      await until('the name is routed', async () => (await plain('/api/health')).status === 200);
      expect(statSync(join(service.dataDir, 'service.sock')).mode & 0o777).toBe(0o600);
      const signedIn = await plain('/api/auth/sign-in', signIn(`http://${name}`));
      expect([signedIn.status, String(signedIn.headers['set-cookie'])]).toEqual([
        200,
        expect.stringMatching(/^mooring_session=/),
      ]);
      expect((await plain('/api/health', { host: `127.0.0.1:${port}` })).status).toBe(200);
      expect((await plain('/api/health', { host: '203.0.113.99' })).status).toBe(404);
      const why = await until('the order has failed', async () => {
        const { data } = JSON.parse((await plain('/api/instance/connection')).text) as {
          data: { certificate: { error: { message: string; fix: string } | null } };
        };
        return data.certificate.error ?? undefined;
      });
      expect(why).toMatchObject({
        message: expect.stringContaining('127.0.0.77'),
        fix: expect.stringContaining('port'),
      });
      expect(pebble.orders()).toBe(0);
    });

    it('gets a certificate, and redirects to HTTPS from then on', async () => {
      await pebble.lead(name, ['127.0.0.1']);
      expect((await service.post('/api/deployments/ssl/renew', { domain: name })).status).toBe(200);
      const page = await visit(name);
      expect(page).toMatchObject({
        status: 200,
        headers: { 'strict-transport-security': 'max-age=31536000' },
        body: expect.stringContaining('<div id="root">'),
      });
      expect(await plain('/setup?a=b')).toMatchObject({
        status: 308,
        headers: { location: `https://${name}:${tlsPort}/setup?a=b` },
      });
      expect(await plain('/setup', { host: `127.0.0.1:${port}` })).toMatchObject({
        status: 307,
        headers: { location: `https://${name}:${tlsPort}/setup` },
      });
      const signedIn = await secure('/api/auth/sign-in', signIn(`https://${name}:${tlsPort}`));
      expect([signedIn.status, String(signedIn.headers['set-cookie'])]).toEqual([
        200,
        expect.stringMatching(/^__Host-mooring_session=.*; Secure/),
      ]);
      expect((await secure('/api/auth/sign-in', signIn('https://evil.example.com'))).status).toBe(403);
    });

    it('is served over HTTP/2, with events at once', async () => {
      const session = await openHttp2(tlsPort, name);
      expect(await askOn(session, '/api/health')).toMatchObject({ status: 200 });
      const stream = session.request({ ':authority': name, ':path': '/api/events', ...bearer });
      const first = await new Promise((resolve) => stream.setEncoding('utf8').once('data', resolve));
      expect(first).toContain('event: ready');
      stream.close();
      session.close();
      const call = begin({
        port: tlsPort,
        path: '/api/events',
        headers: { host: name, ...bearer },
        secure: true,
      }).end();
      const [event] = await new Promise<string[]>((resolve) =>
        call.once('response', (answer) => answer.setEncoding('utf8').once('data', (text: string) => resolve([text]))),
      );
      expect(event).toContain('event: ready');
      call.destroy();
    });

    it(`takes uploads of ${uploadMb} MB`, { timeout: 300_000 }, async () => {
      const opening = { method: 'POST', headers: { ...json, ...bearer }, body: '{}' };
      const { upload } = JSON.parse((await secure('/api/projects/folder/session', opening)).text) as {
        upload: { url: string; headers: Record<string, string> };
      };
      expect(upload.url).toContain(`https://${name}/`);
      const call = begin({
        port: tlsPort,
        path: new URL(upload.url).pathname,
        method: 'PUT',
        headers: { host: name, ...upload.headers },
        secure: true,
      });
      const answered = new Promise<number>((resolve, reject) => {
        call.once('response', (answer) => resolve(answer.resume().statusCode!)).once('error', reject);
      });
      await pipeline(archiveOf(uploadMb), createGzip({ level: 0 }), call);
      expect(await answered).toBe(200);
    });

    it('knows the address of the client, whatever headers it sends', async () => {
      const forged = { 'x-forwarded-for': '203.0.113.66', 'x-real-ip': '203.0.113.66', forwarded: 'for=203.0.113.66' };
      expect((await secure('/api/tokens', { ...newToken(forged), from: '127.0.0.9' })).status).toBe(201);
      expect(await latestToken()).toBe('127.0.0.9');
      const direct = await ask(Number(env['PORT']), 'x', '/api/tokens', { ...newToken(forged), from: '127.0.0.8' });
      expect([direct.status, await latestToken()]).toEqual([201, '127.0.0.8']);
    });

    it('loses no request when the service restarts', async () => {
      const edge = readFileSync(join(service.dataDir, 'edge.json'), 'utf8');
      expect(edge).toContain('service.sock');
      const visitors = visitAllTheTime((isKept) => visit(name, '/api/health', { isKept }));
      await until('some are answered', () => visitors.figures.answered > 20);
      const { dataDir } = service;
      await service.stop('SIGTERM');
      service = await startService({ env, dataDir });
      const before = visitors.figures.answered;
      await until('more are answered', () => visitors.figures.answered > before + 20);
      const { failures } = await visitors.stop();
      expect(failures).toEqual([]);
    });

    it('says that Mooring is away when the service was killed and does not come back', async () => {
      const { dataDir } = service;
      await service.stop('SIGKILL');
      expect(await secure('/', { headers: { accept: 'text/html' } })).toMatchObject({
        status: 503,
        text: expect.stringContaining('Mooring does not respond'),
      });
      service = await startService({ env, dataDir });
      await until('it is back', async () => (await secure('/api/health')).status === 200);
    });

    it('is not needed by the service: its own port works without the edge', async () => {
      const { pid } = (await new ControlClient(join(service.dataDir, 'edge.sock'), '').hello())!;
      process.kill(pid, 'SIGKILL');
      expect((await service.get('/api/health')).status).toBe(200);
      await until('the edge is back', () =>
        secure('/api/health').then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
    });
  },
);

/** A tar with one file of that size. */
function* archiveOf(megabytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(1_048_576);
  const count = Math.floor((megabytes * 1_000_000) / piece.length);
  const head = Buffer.alloc(512);
  head.write('a.bin');
  head.write('0000644\0', 100);
  head.write('0000000\0'.repeat(2), 108);
  head.write(`${(count * piece.length).toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        0', 148);
  head.write('ustar\x0000', 257);
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  yield head;
  for (let i = 0; i < count; i++) yield piece;
  yield Buffer.alloc(1024);
}
