import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../test/rig/certificate.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import {
  ask,
  builtinEdges,
  newVersion,
  portOf,
  project,
  startTestApp,
  type TestApp,
  tlsPortOf,
} from '../../../../test/rig/edge.ts';
import { askOn, openHttp2 } from '../../../../test/rig/http2.ts';
import { until } from '../../../../test/rig/until.ts';
import type { EdgeProject } from '../edge.ts';
import { visitorOn } from './exchange.ts';
import { checkRanges, TrustedProxies } from './trusted-proxies.ts';

describe('client address', () => {
  const proxies = new TrustedProxies();
  proxies.use(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
  const behind = (remoteAddress: string, headers: Record<string, string>, authority = 'a.example') =>
    proxies.visitorBehind(visitorOn({ remoteAddress }), headers, authority);
  const addressOf = (neighbour: string, chain: string) => behind(neighbour, { 'x-forwarded-for': chain }).address;

  it.each([
    ['one proxy', '10.0.0.1', '198.51.100.4', '198.51.100.4'],
    ['several', '10.0.0.1', '198.51.100.4, 192.0.2.7, 10.9.9.9', '198.51.100.4'],
    ['a client that makes something up before them', '10.0.0.1', '1.1.1.1, 10.0.0.9, 198.51.100.4', '198.51.100.4'],
    ['a client that says it is a proxy', '10.0.0.1', '10.5.5.5, 198.51.100.4', '198.51.100.4'],
    ['nobody but proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy that says nothing', '10.0.0.1', '', '10.0.0.1'],
    ['a proxy that says nonsense', '10.0.0.1', '198.51.100.4, <script>', '10.0.0.1'],
    ['a stranger', '198.51.100.4', '203.0.113.9', '198.51.100.4'],
    ['IPv6', '2001:db8::1', '2001:db9::5, 2001:db8:1::2', '2001:db9::5'],
    ['a proxy of IPv4 at a socket of IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.4', '198.51.100.4'],
    ['ports', '10.0.0.1', '198.51.100.4:5678, 10.0.0.2:80', '198.51.100.4'],
    ['ports of IPv6', '2001:db8::1', '[2001:db9::5]:5678', '2001:db9::5'],
  ])('with %s', (_, neighbour, chain, client) => {
    expect(addressOf(neighbour, chain)).toBe(client);
  });

  it('takes protocol and port from a trusted proxy only', () => {
    const secure = { 'x-forwarded-proto': 'http, HTTPS' };
    expect(behind('10.0.0.1', secure)).toMatchObject({ https: true, secure: false, port: 443 });
    expect(behind('10.0.0.1', secure, 'a.example:8443').port).toBe(8443);
    expect(behind('10.0.0.1', { ...secure, 'x-forwarded-port': '444' }).port).toBe(444);
    expect(behind('10.0.0.1', { ...secure, 'x-forwarded-port': '0' }).port).toBe(443);
    expect(behind('10.0.0.1', { 'x-forwarded-proto': 'gopher' })).toMatchObject({ https: false, port: null });
    expect(behind('198.51.100.4', secure)).toMatchObject({ https: false, port: null });
  });

  it('trusts no proxy by default', () => {
    const visitor = visitorOn({ remoteAddress: '127.0.0.1' });
    expect(new TrustedProxies().visitorBehind(visitor, { 'x-forwarded-for': '1.1.1.1' }, 'a')).toBe(visitor);
  });

  it.each([[['10.0.0.0/33']], [['example.com']], ['10.0.0.1'], [[1]], [['10.0.0.0/x']]])('refuses %j', (ranges) => {
    expect(() => checkRanges(ranges)).toThrow(/addresses/);
  });
});

describe('edge behind a proxy that terminates TLS', () => {
  const { driver, ensured } = builtinEdges();
  const host = 'a.localhost';
  const [proxy, stranger] = ['127.0.0.1', '127.0.0.2'];
  const forwarded = { 'x-forwarded-for': '198.51.100.4', 'x-forwarded-proto': 'https' };
  const told = (app: TestApp) => {
    const { headers } = app.seen.at(-1)!;
    return ['for', 'proto', 'port', 'host'].map((name) => headers[`x-forwarded-${name}`]);
  };
  const secured = (app: TestApp): EdgeProject => {
    const plain = project(host, 'dep_1', app.target);
    return { ...plain, routes: [{ ...plain.routes[0]!, https: 'redirect', hstsSeconds: 60 }] };
  };

  it(
    'trusts that proxy only, over HTTP/1 and HTTP/2, also after a hand-over and a restart',
    { timeout: 60_000 },
    async () => {
      const dataDir = newFolder('edge');
      let edge = await ensured({ dataDir, trustedProxies: [proxy] });
      const app = await startTestApp((_req, res) => res.end('fine'));
      await edge.point(secured(app));
      const { cert: chain, key } = selfSigned(host);
      await edge.useCertificate({ host, chain, key });
      const look = async () => {
        const [port, tlsPort] = [portOf(edge), tlsPortOf(edge)];
        const answered = await ask(port, host, '/', { from: proxy, headers: forwarded });
        expect(answered).toMatchObject({ status: 200, text: 'fine' });
        expect(answered.headers['strict-transport-security']).toBe('max-age=60');
        expect(told(app)).toEqual(['198.51.100.4', 'https', '443', host]);
        expect(await ask(port, host, '/', { from: proxy })).toMatchObject({ status: 308 });
        // Any client can send these headers.
        expect(await ask(port, host, '/', { from: stranger, headers: forwarded })).toMatchObject({ status: 308 });
        await ask(tlsPort, host, '/', {
          from: stranger,
          secure: true,
          headers: { ...forwarded, 'x-real-ip': '1.1.1.1' },
        });
        expect(told(app)).toEqual([stranger, 'https', String(tlsPort), host]);
        expect(app.seen.at(-1)!.headers['x-real-ip']).toBeUndefined();
        const session = await openHttp2(tlsPort, host);
        expect((await askOn(session, '/', { headers: forwarded })).text).toBe('fine');
        expect(told(app)).toEqual(['198.51.100.4', 'https', '443', host]);
        // The client used plain HTTP to the proxy, although the proxy uses TLS to the edge.
        expect(await askOn(session, '/', { headers: { 'x-forwarded-proto': 'http' } })).toMatchObject({ status: 308 });
        session.close();
      };
      await look();
      const first = edge.process;
      edge = await ensured({ dataDir, trustedProxies: [proxy], program: newVersion() });
      expect(edge.process).not.toBe(first);
      await look();
      const program = newVersion();
      edge = await ensured({ dataDir, trustedProxies: [proxy], program });
      process.kill(edge.process, 'SIGKILL');
      await until('it is gone', async () => (await edge.pid()) === null);
      edge = await ensured({ dataDir, trustedProxies: [proxy], program });
      await look();
      await app.close();
    },
  );

  it('updates its trusted proxies while it runs', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    const app = await startTestApp((_req, res) => res.end('fine'));
    await edge.point(project(host, 'dep_1', app.target));
    const asked = async () => {
      await ask(portOf(edge), host, '/', { from: stranger, headers: forwarded });
      return told(app);
    };
    expect(await asked()).toEqual([stranger, 'http', String(portOf(edge)), host]);
    const next = driver({ dataDir, trustedProxies: ['127.0.0.0/8', '::1'] });
    await next.ensure();
    expect(await next.pid()).toBe(edge.process);
    expect(await asked()).toEqual(['198.51.100.4', 'https', '443', host]);
    await driver({ dataDir, trustedProxies: [] }).ensure();
    expect(await asked()).toEqual([stranger, 'http', String(portOf(edge)), host]);
    await app.close();
  });
});
