import { readFileSync } from 'node:fs';
import { request as secureRequest } from 'node:https';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../rig/certificate.ts';
import { ask, builtinEdges, portOf, project, startLoad, startTestApp, tlsPortOf } from '../rig/edge.ts';
import { askOn, openHttp2 } from '../rig/http2.ts';
import { newFolder } from '../rig/children.ts';
import { until } from '../rig/until.ts';

const given = (host: string) => {
  const { cert: chain, key } = selfSigned(host);
  return { host, chain, key };
};

const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;

/** The certificate on a new connection. */
const shown = (port: number, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const where = { host: '127.0.0.1', port, servername: host, rejectUnauthorized: false, agent: false };
    const call = secureRequest({ ...where, headers: { host } }).end();
    call.once('error', reject);
    call.once('response', (answer) => {
      const { fingerprint256 } = (answer.socket as import('node:tls').TLSSocket).getPeerCertificate();
      answer.resume().once('end', () => resolve(fingerprint256.replaceAll(':', '').toLowerCase()));
    });
  });

describe('many names', () => {
  const { ensured } = builtinEdges();

  it('a thousand, each with its certificate, are cheap and survive a restart', { timeout: 300_000 }, async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    const app = await startTestApp((req, res) => res.end(req.headers.host));
    const hosts = Array.from({ length: 1000 }, (_, i) => `n${i}.example`);
    const routes = hosts.map((host) => ({ host, path: '/', deploymentId: 'dep_1', target: app.target }));
    for (let i = 0; i < 10; i++)
      await edge.point({ key: `p${i}/production`, fence: 1, routes: routes.slice(i * 100, i * 100 + 100) });
    await edge.useCertificate(given(hosts[0]!));
    const before = megabytes(edge.process);
    for (const host of hosts) await edge.useCertificate(given(host));
    expect(await edge.certificates()).toHaveLength(1000);
    for (let i = 0; i < 1000; i += 7)
      expect((await ask(tlsPortOf(edge), hosts[i]!, '/', { secure: true })).text).toBe(hosts[i]);
    const grown = megabytes(edge.process) - before;
    expect(grown).toBeLessThan(60);
    process.kill(edge.process, 'SIGKILL');
    await until('it is gone', async () => (await edge.pid()) === null);
    const next = await ensured({ dataDir });
    const listed = new Map((await next.certificates()).map(({ host, fingerprint }) => [host, fingerprint]));
    expect(listed.size).toBe(1000);
    for (const host of [hosts[0]!, hosts[999]!]) expect(await shown(tlsPortOf(next), host)).toBe(listed.get(host));
    expect((await ask(portOf(next), hosts[500]!)).text).toBe(hosts[500]);
    await app.close();
  });

  it(
    'get new certificates under load without a failed request, on keep-alive and new connections',
    { timeout: 120_000 },
    async () => {
      const edge = await ensured();
      const host = 'a.example';
      const app = await startTestApp((_req, res) => void setTimeout(() => res.end('fine'), 2));
      await edge.point(project(host, 'dep_1', app.target));
      await edge.useCertificate(given(host));
      const port = tlsPortOf(edge);
      const session = await openHttp2(port, host);
      const load = startLoad(port, host, 8, ({ status }) => (status === 200 ? null : String(status)), true);
      for (let i = 0; i < 30; i++) {
        await edge.useCertificate(given(host));
        const [current] = await edge.certificates();
        expect(await shown(port, host)).toBe(current!.fingerprint);
        expect((await askOn(session, '/')).text).toBe('fine');
      }
      await until('some hundred requests', () => load.requests() > 300, 30_000);
      await load.stop();
      expect(load.failures).toEqual([]);
      session.close();
      await app.close();
    },
  );
});
