import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../../test/rig/certificate.ts';
import { newFolder } from '../../../../../test/rig/children.ts';
import { ask, builtinEdges, newVersion, portOf, project, startLoad, tlsPortOf } from '../../../../../test/rig/edge.ts';
import { askOn, openHttp2 } from '../../../../../test/rig/http2.ts';
import { freePort } from '../../../../../test/rig/ports.ts';
import { until } from '../../../../../test/rig/until.ts';
import type { Edge } from '../../edge.ts';

const host = 'a.localhost';
const certify = (edge: Edge, name = host) => {
  const { cert: chain, key } = selfSigned(name);
  return edge.useCertificate({ host: name, chain, key });
};
const requestsOf = async (edge: Edge) =>
  (await edge.traffic(0)).minutes.reduce((sum, { requests }) => sum + requests, 0);

describe('edge process with TLS', () => {
  const { driver, ensured, app } = builtinEdges();

  it('restores its certificates and its port after kill -9', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    expect(edge.url(host, { secure: true })).toBe(`https://${host}`);
    await edge.point(project(host, 'dep_1', (await app('mine')).target));
    await certify(edge);
    const files = join(dataDir, 'edge-certificates');
    expect(statSync(files).mode & 0o777).toBe(0o700);
    expect(readdirSync(files).toSorted()).toEqual(['.ticket-keys', host]);
    for (const name of readdirSync(files)) expect(statSync(join(files, name)).mode & 0o777, name).toBe(0o600);
    const [port, shown] = [tlsPortOf(edge), await edge.certificates()];
    process.kill(edge.process, 'SIGKILL');
    await until('it is gone', async () => (await edge.pid()) === null);
    // An interrupted write, and a corrupt file.
    writeFileSync(join(files, '.draft'), 'half');
    writeFileSync(join(files, 'broken.localhost'), 'nothing');
    const next = await ensured({ dataDir });
    expect(tlsPortOf(next)).toBe(port);
    expect(await next.certificates()).toEqual(shown);
    expect((await ask(port, host, '/', { secure: true })).text).toBe('mine');
    expect(await requestsOf(next)).toBe(1);
  });

  it(
    'serves without TLS while its port is taken, reports it, and opens the port once it is free',
    { timeout: 60_000 },
    async () => {
      const tlsPort = await freePort();
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(tlsPort, '127.0.0.1', resolve));
      const dataDir = newFolder('edge');
      const edge = await ensured({ dataDir, tlsPort });
      await edge.point(project(host, 'dep_1', (await app('mine')).target));
      await expect(certify(edge)).rejects.toThrow(/in use by another program.*MOORING_EDGE_TLS_PORT/);
      expect(await edge.certificates()).toEqual([]);
      expect((await ask(portOf(edge), host)).text).toBe('mine');
      await new Promise((resolve) => taken.close(resolve));
      await certify(edge);
      expect((await ask(tlsPort, host, '/', { secure: true })).text).toBe('mine');
      await edge.stop();
      const again = createServer();
      await new Promise<void>((resolve) => again.listen(tlsPort, '127.0.0.1', resolve));
      const next = await ensured({ dataDir, tlsPort });
      expect((await ask(portOf(next), host)).text).toBe('mine');
      expect(readFileSync(join(dataDir, 'edge.log'), 'utf8')).toContain('MOORING_EDGE_TLS_PORT');
      await new Promise((resolve) => again.close(resolve));
      await until(
        'it is taken',
        () =>
          ask(tlsPort, host, '/', { secure: true }).then(
            () => true,
            () => false,
          ),
        10_000,
      );
    },
  );

  it('moves TLS when its port setting changes, and redirects to the public port', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point({
      ...project(host, 'dep_1', (await app('mine')).target),
      routes: [{ ...project(host, 'dep_1', (await app('mine')).target).routes[0]!, https: 'redirect' }],
    });
    await certify(edge);
    const tlsPort = await freePort();
    const moved = driver({ dataDir, tlsPort, publicTlsPort: 443 });
    await moved.ensure();
    expect(await moved.pid()).toBe(edge.process);
    expect((await ask(tlsPort, host, '/', { secure: true })).text).toBe('mine');
    expect(moved.url(host, { secure: true })).toBe(`https://${host}`);
    expect((await ask(portOf(moved), host, '/x')).headers.location).toBe(`https://${host}/x`);
    await expect(ask(tlsPortOf(edge), host, '/', { secure: true })).rejects.toThrow('ECONNREFUSED');
  });
});

describe('new version of the edge, with TLS', () => {
  const { ensured, app } = builtinEdges();

  it('takes over both sockets under load without a failed request or a lost count', { timeout: 60_000 }, async () => {
    const dataDir = newFolder('edge');
    let edge = await ensured({ dataDir });
    await edge.point(project(host, 'dep_1', (await app('1')).target));
    await certify(edge);
    const [port, tlsPort] = [portOf(edge), tlsPortOf(edge)];
    const check = ({ status, text }: { status: number; text: string }) => (status === 200 ? null : `${status} ${text}`);
    const loads = [startLoad(port, host, 4, check), startLoad(tlsPort, host, 6, check, true)];
    const before = await edge.traffic(0);
    for (let i = 0; i < 2; i++) {
      const counts = loads.map((load) => load.requests());
      edge = await ensured({ dataDir, program: newVersion() });
      expect([portOf(edge), tlsPortOf(edge)]).toEqual([port, tlsPort]);
      await until('more load', () => loads.every((load, k) => load.requests() > counts[k]! + 100), 20_000);
    }
    await Promise.all(loads.map((load) => load.stop()));
    expect(loads.flatMap((load) => load.failures)).toEqual([]);
    const asked = loads.reduce((sum, load) => sum + load.requests(), 0);
    await until('all are counted', async () => (await requestsOf(edge)) === asked, 5000);
    expect((await edge.traffic(0)).run).toBe(before.run);
  });

  it('sends GOAWAY to HTTP/2 clients, and counts their requests to the old process', async () => {
    const dataDir = newFolder('edge');
    const edge = await ensured({ dataDir });
    await edge.point(project(host, 'dep_1', (await app('one')).target));
    await certify(edge);
    const busy = await openHttp2(tlsPortOf(edge), host);
    const quiet = await openHttp2(tlsPortOf(edge), host);
    expect((await askOn(busy, '/')).text).toBe('one');
    const next = await ensured({ dataDir, program: newVersion() });
    await next.point(project(host, 'dep_2', (await app('two')).target, 2));
    await until('the quiet one is told', () => quiet.closed, 3000);
    if (!busy.closed) expect((await askOn(busy, '/')).text).toBe('two');
    await until('the other one too', () => busy.closed, 8000);
    const again = await openHttp2(tlsPortOf(next), host);
    expect((await askOn(again, '/')).text).toBe('two');
    expect(await requestsOf(next)).toBeGreaterThanOrEqual(2);
    again.close();
  });
});
