import { constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { selfSigned } from '../rig/certificate.ts';
import { newFolder } from '../rig/children.ts';
import { builtinEdges, newVersion, project, startLoad, tlsPortOf } from '../rig/edge.ts';
import { askOn, openHttp2 } from '../rig/http2.ts';
import { until } from '../rig/until.ts';

const { ensured, app } = builtinEdges();
const host = 'a.localhost';

/** An HTTP/2 client like a browser: keeps a connection, and on GOAWAY reconnects and retries unprocessed requests.
 * Any other error is a failure. */
async function visit(port: number, signal: AbortSignal, failures: string[]): Promise<number> {
  let answered = 0;
  let session = await openHttp2(port, host);
  while (!signal.aborted) {
    if (session.closed || session.destroyed) session = await openHttp2(port, host);
    try {
      const { status, text } = await askOn(session, '/');
      if (status === 200 && text === 'fine') answered++;
      else failures.push(`${status} ${text}`);
    } catch (error) {
      const refused = String(error).includes(`with ${constants.NGHTTP2_REFUSED_STREAM}`);
      // GOAWAY may arrive a moment after the end of the stream.
      const told = refused || (await sleep(200).then(() => session.closed));
      if (!told) failures.push(String(error));
    }
    await sleep(1);
  }
  session.close();
  return answered;
}

it.each([1, 3])(
  'a new version of %i processes takes over from one with many HTTP/1 and HTTP/2 connections, five times, without a failure',
  { timeout: 300_000 },
  async (workers) => {
    const dataDir = newFolder('edge');
    let edge = await ensured({ dataDir, workers });
    await edge.point(project(host, 'dep_1', (await app('fine')).target));
    const { cert: chain, key } = selfSigned(host);
    await edge.useCertificate({ host, chain, key });
    const port = tlsPortOf(edge);
    const failures: string[] = [];
    const stopped = new AbortController();
    const visits = Array.from({ length: 6 }, () => visit(port, stopped.signal, failures));
    const load = startLoad(port, host, 8, ({ status, text }) => (status === 200 ? null : `${status} ${text}`), true);
    for (let i = 0; i < 5; i++) {
      const before = load.requests();
      const old = edge.process;
      edge = await ensured({ dataDir, workers, program: newVersion() });
      expect(edge.process).not.toBe(old);
      await until('more load', () => load.requests() > before + 200, 30_000);
      await sleep(6000);
    }
    stopped.abort();
    const answered = (await Promise.all(visits)).reduce((sum, each) => sum + each, 0);
    await load.stop();
    expect([...failures, ...load.failures]).toEqual([]);
    expect(answered).toBeGreaterThan(500);
    const counted = async () => (await edge.traffic(0)).minutes.reduce((sum, { requests }) => sum + requests, 0);
    await until('all are counted', async () => (await counted()) >= load.requests() + answered, 5000);
  },
);
