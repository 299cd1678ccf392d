import { statSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from '../lib/zod/index.ts';
import { ownerEmail, ownerPassword, startApp, type TestApp } from '../../test/rig/app.ts';
import { newFolder } from '../../test/rig/children.ts';
import { selfSigned } from '../../test/rig/certificate.ts';
import { certificateRow } from '../areas/domains/certificates/vault.ts';
import { factsOf, readCertificates } from '../drivers/certs/certificate.ts';
import { defineRoute } from './define-route.ts';
import { listenForEdge } from './edge-socket.ts';

const seen = defineRoute({
  method: 'GET',
  path: '/api/test/seen',
  permission: 'public',
  summary: 'What the service sees of the client',
  output: z.object({ ip: z.string(), origin: z.string(), isSecure: z.boolean() }),
  handle: ({ ip, origin, isSecure }) => ({ ip, origin, isSecure }),
});

describe('the socket of the edge', () => {
  let app: TestApp;
  let socket: Server;
  const path = join(newFolder('service'), 'service.sock');
  let port = 0;

  beforeAll(async () => {
    const env = {
      MOORING_PUBLIC_URL: 'https://mooring.example.com',
      MOORING_EDGE_TLS_PORT: '443',
      MOORING_TRUSTED_PROXIES: '127.0.0.2',
    };
    app = await startApp('sqlite', { env, routes: [seen] });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = app.server.server.address() as AddressInfo);
    socket = await listenForEdge(app.server.server, path);
  });
  afterAll(async () => {
    socket.close();
    await app.close();
  });

  type Ask = { method?: string; headers?: Record<string, string>; body?: object };
  const send = (where: object, url: string, { method = 'GET', headers = {}, body }: Ask = {}) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Record<string, unknown> }>(
      (resolve, reject) => {
        const json = body && { 'content-type': 'application/json' };
        const call = request({ ...where, path: url, method, agent: false, headers: { ...json, ...headers } });
        call.once('error', reject).once('response', (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => (text += part));
          answer.once('end', () =>
            resolve({ status: answer.statusCode!, headers: answer.headers, body: text ? JSON.parse(text) : {} }),
          );
        });
        call.end(body && JSON.stringify(body));
      },
    );
  const forwarded = (proto: string, host = 'mooring.example.com', client = '203.0.113.9') => ({
    host,
    'x-forwarded-for': client,
    'x-forwarded-proto': proto,
    'x-forwarded-host': host,
  });
  const byEdge = (url: string, ask: Ask) => send({ socketPath: path }, url, ask);
  const byTcp = (url: string, ask: Ask, localAddress = '127.0.0.1') =>
    send({ host: '127.0.0.1', port, localAddress }, url, ask);
  const signIn = (proto: string) => ({
    method: 'POST',
    headers: { ...forwarded(proto), origin: `${proto}://mooring.example.com` },
    body: { email: ownerEmail, password: ownerPassword },
  });
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof send>>) => String(headers['set-cookie']);
  const cookieFor = (answer: Awaited<ReturnType<typeof send>>) => {
    const { sessionProof } = (answer.body as { data: { sessionProof: string } }).data;
    return { cookie: cookieOf(answer).split(';')[0]!, 'x-session-proof': sessionProof };
  };

  it('can be opened by our own user only', () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is trusted to name the client; TCP connections are not', async () => {
    expect((await byEdge('/api/test/seen', { headers: forwarded('https') })).body).toEqual({
      ip: '203.0.113.9',
      origin: 'https://mooring.example.com',
      isSecure: true,
    });
    const direct = { ip: '127.0.0.1', origin: 'http://x', isSecure: true };
    const forged = { ...forwarded('https'), host: 'x' };
    expect((await byTcp('/api/test/seen', { headers: forged })).body).toEqual(direct);
    const withOurs = { ...forged, 'x-forwarded-for': '203.0.113.9, 0.0.0.0' };
    expect((await byTcp('/api/test/seen', { headers: withOurs })).body).toEqual(direct);
    expect((await byTcp('/api/test/seen', { headers: forged }, '127.0.0.2')).body).toMatchObject({ ip: '203.0.113.9' });
  });

  it('is not taken for a client that has hung up', async () => {
    const before = await app.database.db.selectFrom('sign_in_failures').select('key').execute();
    for (let i = 0; i < 20; i++)
      await new Promise<void>((resolve) => {
        const client = connect(port, '127.0.0.1');
        const body = JSON.stringify({ email: `nobody${i}@example.com`, password: 'wrong' });
        const head = `POST /api/auth/sign-in HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.${i}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
        client.write(`${head}\r\n\r\n${body}`, () => client.resetAndDestroy());
        client.once('close', () => resolve()).on('error', () => resolve());
      });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const after = await app.database.db.selectFrom('sign_in_failures').select('key').execute();
    expect(after.filter(({ key }) => key.includes('198.51.100.'))).toEqual([]);
    expect(before.length).toBeLessThanOrEqual(after.length);
  });

  it('allows plain HTTP until there is a certificate', async () => {
    const signedIn = await byEdge('/api/auth/sign-in', signIn('http'));
    expect([signedIn.status, cookieOf(signedIn)]).toEqual([200, expect.stringMatching(/^mooring_session=/)]);
    expect(cookieOf(signedIn)).not.toContain('Secure');
    const session = { headers: { ...forwarded('http'), ...cookieFor(signedIn) } };
    expect((await byEdge('/api/me', session)).status).toBe(200);
    const progress = await byEdge('/api/instance/connection', { headers: forwarded('http') });
    expect(progress.body).toMatchObject({
      data: { certificate: { domain: 'mooring.example.com', url: 'https://mooring.example.com', error: null } },
    });
    const secure = await byEdge('/api/auth/sign-in', signIn('https'));
    expect(cookieOf(secure)).toMatch(/^__Host-mooring_session=.*; Secure/);
    for (const answer of [
      await byEdge('/api/instance/connection', { headers: forwarded('https') }),
      await byTcp('/api/instance/connection', {}),
    ])
      expect(answer.body).toMatchObject({ data: { certificate: null } });

    await addCertificate();
    expect(await byEdge('/api/me?x=1', session)).toMatchObject({
      status: 307,
      headers: { location: 'https://mooring.example.com/api/me?x=1' },
    });
    expect((await byEdge('/api/auth/sign-in', signIn('http'))).status).toBe(307);
    expect(await byEdge('/setup', { headers: forwarded('http', '203.0.113.7') })).toMatchObject({
      status: 307,
      headers: { location: 'https://mooring.example.com/setup' },
    });
    const kept = { headers: { ...forwarded('https'), ...cookieFor(secure) } };
    expect((await byEdge('/api/me', kept)).status).toBe(200);
    expect((await byTcp('/api/health', {})).status).toBe(200);
  });

  it('refuses requests of other origins', async () => {
    const ask = signIn('https');
    const foreign = { ...ask, headers: { ...ask.headers, origin: 'https://evil.example.com' } };
    expect((await byEdge('/api/auth/sign-in', foreign)).status).toBe(403);
  });

  it('gives sign-in limits and the audit log the address of the client', async () => {
    await byEdge('/api/auth/sign-in', {
      ...signIn('https'),
      headers: { ...forwarded('https', 'mooring.example.com', '203.0.113.44') },
      body: { email: 'nobody@example.com', password: 'wrong' },
    });
    const { db } = app.database;
    const failures = await db.selectFrom('sign_in_failures').select('key').execute();
    expect(failures.map(({ key }) => key)).toContainEqual(expect.stringContaining('203.0.113.44'));
    const entries = await db.selectFrom('audit_entries').select('ip').execute();
    expect(entries.map(({ ip }) => ip)).toContain('203.0.113.9');
  });

  async function addCertificate(): Promise<void> {
    const { cert: chain, key: privateKey } = selfSigned('mooring.example.com');
    const read = readCertificates(chain);
    if (!read.ok) throw new Error(read.problem);
    const owner = { name: 'mooring.example.com', organizationId: null, projectId: null };
    const kept = { owner, source: 'acme' as const, chain, privateKey };
    const row = certificateRow(app.instance.sealer, kept, factsOf(read.certificates[0]));
    await app.database.db
      .insertInto('certificates')
      .values({ ...row, isCurrent: 1 })
      .execute();
    await app.domains.dashboard!.refresh();
  }
});
