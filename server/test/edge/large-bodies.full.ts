import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { selfSigned } from '../rig/certificate.ts';
import { begin, builtinEdges, portOf, project, startTestApp, tlsPortOf } from '../rig/edge.ts';
import { openHttp2 } from '../rig/http2.ts';

const { ensured } = builtinEdges();
const host = 'a.localhost';
const size = 200_000_000;
const piece = Buffer.alloc(1_000_000);
const mostGrowth = 40;

const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;

/** As fast as the receiver reads. */
async function sendAll(to: Writable): Promise<void> {
  for (let sent = 0; sent < size; sent += piece.length)
    if (!to.write(piece)) await new Promise((resolve) => to.once('drain', resolve));
  to.end();
}

/** Slower than the sender: a proxy in between has to buffer or apply backpressure. */
async function readSlowly(from: Readable): Promise<number> {
  let read = 0;
  let pauseAt = 0;
  for await (const chunk of from) {
    read += (chunk as Buffer).length;
    if (read < pauseAt) continue;
    pauseAt = read + 4_000_000;
    await sleep(20);
  }
  return read;
}

/** A request and response over one protocol or another. */
type Way = { name: string; open: (method: string) => Promise<{ sent: Writable; answer: Promise<Readable> }> };

it('bodies of 200 MB are streamed with backpressure: the edge buffers none of them', { timeout: 300_000 }, async () => {
  const edge = await ensured();
  const app = await startTestApp((req, res) => {
    if (req.method === 'GET') void sendAll(res);
    else void readSlowly(req).then((read) => res.end(String(read)));
  });
  await edge.point(project(host, 'dep_1', app.target));
  const { cert: chain, key } = selfSigned(host);
  await edge.useCertificate({ host, chain, key });
  const http1 = (secure: boolean): Way['open'] => {
    const where = { host: '127.0.0.1', port: secure ? tlsPortOf(edge) : portOf(edge), agent: false as const, secure };
    return async (method) => {
      const sent = begin({ ...where, method, headers: { host } });
      const answer = new Promise<IncomingMessage>((resolve, reject) =>
        sent.once('response', resolve).once('error', reject),
      );
      return { sent, answer };
    };
  };
  const http2: Way['open'] = async (method) => {
    const session = await openHttp2(tlsPortOf(edge), host);
    const stream: Duplex = session.request(
      { ':method': method, ':authority': host, ':path': '/' },
      { endStream: method === 'GET' },
    );
    stream.once('close', () => session.close());
    return { sent: stream, answer: Promise.resolve(stream) };
  };
  const ways: Way[] = [
    { name: 'plain', open: http1(false) },
    { name: 'TLS', open: http1(true) },
    { name: 'HTTP/2', open: http2 },
  ];
  const grown: Record<string, number> = {};
  /** The memory growth of the edge during the work. */
  const watch = async (what: string, work: () => Promise<void>) => {
    const before = megabytes(edge.process);
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, megabytes(edge.process))), 20);
    await work().finally(() => clearInterval(timer));
    grown[what] = Math.round(most - before);
  };
  for (const { name, open } of ways) {
    await watch(`${name}, down`, async () => {
      const { sent, answer } = await open('GET');
      if (name !== 'HTTP/2') sent.end();
      expect(await readSlowly(await answer)).toBe(size);
    });
    await watch(`${name}, up`, async () => {
      const { sent, answer } = await open('POST');
      await sendAll(sent);
      let text = '';
      for await (const chunk of await answer) text += String(chunk);
      expect(text).toBe(String(size));
    });
  }
  await app.close();
  expect(Math.max(...Object.values(grown)), JSON.stringify(grown)).toBeLessThan(mostGrowth);
});
