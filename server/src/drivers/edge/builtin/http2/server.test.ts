import { type ClientHttp2Session, connect } from 'node:http2';
import { type AddressInfo, connect as dial, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { project, startTestApp, type TestApp } from '../../../../../test/rig/edge.ts';
import { askOn, frame, frames, preface } from '../../../../../test/rig/http2.ts';
import { until } from '../../../../../test/rig/until.ts';
import { answerWith } from '../answer.ts';
import { Challenges } from '../challenges.ts';
import { Counts } from '../counts.ts';
import { Front } from '../front.ts';
import { Holds } from '../holds.ts';
import { InFlight } from '../limits/in-flight.ts';
import { Routes } from '../routes.ts';
import { ReplicaBalancer } from '../replicas.ts';
import { Upstreams } from '../upstream/upstreams.ts';
import { Http2Server } from './server.ts';
import { newFolder } from '../../../../../test/rig/children.ts';
import { CompressedFiles } from '../static/compressed-files.ts';

// In this process, without TLS and with short timeouts, to keep the test fast.
describe('slow HTTP/2 clients', () => {
  const logged: string[] = [];
  let app: TestApp;
  let server: Server;
  let inFlight: InFlight;
  let http2: Http2Server;
  let session: ClientHttp2Session;

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
    const saved = { instanceId: 'i', port: 0, projects: [project('a', 'dep_1', app.target)], fences: {} };
    const routes = new Routes(
      saved,
      async () => {},
      async () => {},
    );
    const traffic = {
      routes,
      inFlight,
      holds: new Holds(),
      upstreams: new Upstreams(() => {}),
      replicas: new ReplicaBalancer(),
      counts: new Counts(),
      front: new Front(null, { isUsable: () => false }),
      challenges: new Challenges(null),
      compressed: new CompressedFiles(newFolder('compressed'), (line) => logged.push(line)),
    };
    const patience = { headersMs: 400, stuckMs: 300, bodyMs: 60_000 };
    http2 = new Http2Server(
      answerWith(traffic, (line) => logged.push(line)),
      patience,
    );
    server = createServer((socket) => http2.take(socket as TLSSocket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    session = connect('http://a', {
      createConnection: () => dial((server.address() as AddressInfo).port, '127.0.0.1'),
    });
    session.on('error', () => session.destroy());
  });
  afterEach(async () => {
    session.destroy();
    server.close();
    await app.close();
    expect(logged).toEqual([]);
  });

  const headers = { ':scheme': 'https', ':authority': 'a' };

  it('leaves quiet streams and slow apps alone', async () => {
    expect((await askOn(session, '/quiet', { headers })).text).toBe('beginend');
    expect((await askOn(session, '/', { headers, body: 'x' })).text).toBe('done');
  });

  it('closes a connection that only sends pings and no request', async () => {
    const socket = dial((server.address() as AddressInfo).port, '127.0.0.1');
    let closed = false;
    socket.resume().on('error', () => socket.destroy());
    socket.once('close', () => (closed = true));
    socket.write(preface);
    const pings = setInterval(() => socket.write(frame(frames.ping, 0, 0, Buffer.alloc(8))), 50);
    await until('it is cut', () => closed, 2000);
    clearInterval(pings);
  });

  it('resets a stream whose body stops arriving, and only that stream', async () => {
    const call = session.request({ ...headers, ':path': '/', ':method': 'POST' });
    call.on('error', () => undefined).write('some');
    await until('it is under way', () => inFlight.total() === 1, 1000);
    await until('it is cut', () => inFlight.total() === 0, 2000);
    expect((await askOn(session, '/quiet', { headers })).text).toBe('beginend');
  });

  it('does not cut a client that sends slowly but steadily', async () => {
    const call = session.request({ ...headers, ':path': '/', ':method': 'POST' });
    let text = '';
    call.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (let i = 0; i < 8; i++) {
      call.write('x');
      await sleep(100);
    }
    call.end();
    await until('the answer', () => text === 'done', 2000);
  });

  it('resets a stream whose response is not read', async () => {
    const call = session.request({ ...headers, ':path': '/endless' });
    call.on('error', () => undefined).pause();
    await until('it is under way', () => inFlight.total() === 1, 1000);
    await until('it is cut', () => inFlight.total() === 0, 4000);
    expect((await askOn(session, '/quiet', { headers })).text).toBe('beginend');
  });

  it('sends GOAWAY to a quiet client, after requests in flight are answered', async () => {
    const asked = askOn(session, '/', { headers, body: 'x' });
    await until('it is under way', () => inFlight.total() === 1, 1000);
    http2.leave(5000);
    expect((await asked).text).toBe('done');
    await until('it is told', () => session.closed, 1000);
  });
});
