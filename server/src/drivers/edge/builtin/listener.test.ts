import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask, project, sendRaw, startTestApp, type TestApp } from '../../../../test/rig/edge.ts';
import { until } from '../../../../test/rig/until.ts';
import { createRequestHandler, type ClientTimeouts } from './request-handler.ts';
import { Challenges } from './challenges.ts';
import { TrafficCounts } from './traffic-counts.ts';
import { Front } from './front.ts';
import { Holds } from './holds.ts';
import { InFlight } from './limits/in-flight.ts';
import { createListener, type HttpListener } from './listener.ts';
import { Routes } from './routes.ts';
import { ReplicaBalancer } from './replicas.ts';
import { Upstreams } from './upstream/upstreams.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { CompressedFiles } from './static/compressed-files.ts';

// In this process and with short timeouts, to keep the test fast.
describe('slow clients', () => {
  const logged: string[] = [];
  let listener: HttpListener;
  let app: TestApp;
  let port: number;
  let inFlight: InFlight;
  let counts: TrafficCounts;
  let front: Front;
  let patience: ClientTimeouts;

  beforeEach(async () => {
    app = await startTestApp((req, res) => {
      if (req.url === '/quiet') {
        res.write('begin');
        setTimeout(() => res.end('end'), 900);
      } else if (req.url === '/endless') {
        const more = () => {
          while (!res.destroyed && res.write(Buffer.alloc(65_536)));
          res.once('drain', more);
        };
        more();
      } else req.resume().on('end', () => setTimeout(() => res.end('done'), 600));
    });
    inFlight = new InFlight();
    counts = new TrafficCounts();
    const saved = { instanceId: 'i', port: 0, projects: [project('a', 'dep_1', app.target)], fences: {} };
    const routes = new Routes(
      saved,
      async () => {},
      async () => {},
    );
    front = new Front(null, { isUsable: () => false });
    const challenges = new Challenges(null);
    const compressed = new CompressedFiles(newFolder('compressed'), (line) => logged.push(line));
    const [holds, upstreams] = [new Holds(), new Upstreams(() => {})];
    const replicas = new ReplicaBalancer();
    const traffic = { routes, inFlight, holds, upstreams, replicas, counts, front, challenges, compressed };
    patience = { headersMs: 400, stuckMs: 300, bodyMs: 60_000 };
    const answer = createRequestHandler(traffic, (line) => logged.push(line), patience);
    front.perAddress = 5;
    listener = createListener(answer, patience, (socket) => front.admit(socket));
    await new Promise<void>((resolve) => listener.server.listen(0, '127.0.0.1', resolve));
    ({ port } = listener.server.address() as AddressInfo);
  });
  afterEach(async () => {
    listener.stopAccepting();
    listener.server.closeAllConnections();
    await app.close();
    expect(logged).toEqual([]);
  });

  it('leaves quiet streams and slow apps alone', async () => {
    expect((await ask(port, 'a', '/quiet')).text).toBe('beginend');
    expect((await ask(port, 'a', '/', { method: 'POST', body: 'x' })).text).toBe('done');
  });

  it('does not take a step of the clock for a slow app', async () => {
    const { now } = Date;
    const reply = ask(port, 'a', '/');
    await until('it is under way', () => inFlight.total() === 1, 1000);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    expect((await reply).text).toBe('done');
    clock.mockRestore();
  });

  it('closes a connection that does not finish its headers', async () => {
    expect(await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1.1 408/);
  });

  it('closes a connection without requests, but not one whose upgrade the app has yet to accept', async () => {
    listener.server.keepAliveTimeout = 100;
    app.server.removeAllListeners('upgrade').on('upgrade', (_req, socket) => {
      setTimeout(() => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nlate'), 900);
    });
    const get = 'GET / HTTP/1.1\r\nHost: a\r\n';
    const [idle, upgraded] = ['', 'Connection: Upgrade\r\nUpgrade: x\r\n'].map((more) => {
      const client = { socket: connect(port, '127.0.0.1'), text: '', isClosed: false };
      client.socket.on('data', (chunk) => (client.text += chunk.toString()));
      client.socket.once('close', () => (client.isClosed = true));
      client.socket.write(`${get}\r\n`);
      if (more) client.socket.once('data', () => client.socket.write(`${get}${more}\r\n`));
      return client;
    });
    await until('it is closed', () => idle!.isClosed, 4000);
    await until('it is upgraded', () => upgraded!.text.endsWith('late'), 4000);
  });

  it('closes a connection whose body stops arriving', async () => {
    const began = Date.now();
    await sendRaw(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nsome');
    expect(Date.now() - began).toBeLessThan(1500);
    await until('nothing is under way', () => inFlight.total() === 0, 1000);
  });

  it('does not cut a client that sends slowly but steadily', async () => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\nConnection: close\r\n\r\n');
    for (let i = 0; i < 8; i++) {
      await sleep(100);
      socket.write('x');
    }
    await until('the answer', () => answer.includes('done'), 2000);
    socket.destroy();
  });

  it.each(['POST', 'PUT'])('answers 408 to a client that trickles the body of a %s', async (method) => {
    patience.bodyMs = 500;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(`${method} / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n`);
    const timer = setInterval(() => socket.writable && socket.write('x'), 50);
    await until('the answer', () => answer.includes('\r\n\r\n'), 4000);
    clearInterval(timer);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    await until('nothing is under way', () => inFlight.total() === 0, 1000);
    await until('it is closed', () => socket.destroyed || socket.readableEnded, 1000);
    socket.destroy();
  });

  it('refuses connections from an address over the limit, until some are closed', async () => {
    const open = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    expect(await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1.1 429 [^]*Retry-After: 2/);
    open[0]!.destroy();
    await until('one is free', async () => (await ask(port, 'a', '/').catch(() => null))?.text === 'done', 3000);
    for (const socket of open) socket.destroy();
  });

  it('limits the requests of each client behind a trusted proxy, but not those of the proxy', async () => {
    front.proxies.use(['127.0.0.1']);
    const as = (client: string) => ask(port, 'a', '/', { headers: { 'x-forwarded-for': client } });
    const many = Array.from({ length: 8 }, () => as('192.0.2.1'));
    await until('some are under way', () => inFlight.total() >= 5, 3000);
    expect((await as('192.0.2.2')).status).toBe(200);
    const answers = await Promise.all(many);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    expect((await as('192.0.2.1')).status).toBe(200);
  });

  it.each([
    ['a request', ''],
    ['a refused upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ])('closes a connection that does not read the response to %s', async (_name, headers) => {
    app.server.removeAllListeners('upgrade');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.pause();
    socket.write(`GET /endless HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    await until('it is under way', () => inFlight.total() === 1, 1000);
    await until('it is cut', () => inFlight.total() === 0, 3000);
    socket.destroy();
  });
});
