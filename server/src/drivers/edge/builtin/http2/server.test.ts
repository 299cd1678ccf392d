import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/rig/edge.ts';
import { askOn, frame, frames, preface, replyOf } from '../../../../../test/rig/http2.ts';
import {
  askedHeaders as headers,
  startHttp2Server,
  type TestHttp2Server,
} from '../../../../../test/rig/http2-server.ts';
import { until } from '../../../../../test/rig/until.ts';

// With short timeouts, to keep the test fast.
describe('slow HTTP/2 clients', () => {
  let app: TestApp;
  let edge: TestHttp2Server;

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
    edge = await startHttp2Server(app, { headersMs: 400, stuckMs: 300, bodyMs: 1500 });
  });
  afterEach(async () => {
    edge.close();
    await app.close();
    expect(edge.logged).toEqual([]);
  });

  it('leaves quiet streams and slow apps alone', async () => {
    expect((await askOn(edge.session, '/quiet', { headers })).text).toBe('beginend');
    expect((await askOn(edge.session, '/', { headers, body: 'x' })).text).toBe('done');
  });

  it('closes a connection that only sends pings and no request', async () => {
    const socket = edge.dial();
    let closed = false;
    socket.resume().on('error', () => socket.destroy());
    socket.once('close', () => (closed = true));
    socket.write(preface);
    const pings = setInterval(() => socket.write(frame(frames.ping, 0, 0, Buffer.alloc(8))), 50);
    await until('it is cut', () => closed, 2000);
    clearInterval(pings);
  });

  it('resets a stream whose body stops arriving, and only that stream', async () => {
    const call = edge.session.request({ ...headers, ':path': '/', ':method': 'POST' });
    call.on('error', () => undefined).write('some');
    await until('it is under way', () => edge.inFlight.total() === 1, 1000);
    await until('it is cut', () => edge.inFlight.total() === 0, 2000);
    expect((await askOn(edge.session, '/quiet', { headers })).text).toBe('beginend');
  });

  it('does not cut a client that sends slowly but steadily', async () => {
    const call = edge.session.request({ ...headers, ':path': '/', ':method': 'POST' });
    let text = '';
    call.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (let i = 0; i < 8; i++) {
      call.write('x');
      await sleep(100);
    }
    call.end();
    await until('the answer', () => text === 'done', 2000);
  });

  it('answers 408 to a client that trickles its body', async () => {
    const call = edge.session.request({ ...headers, ':path': '/', ':method': 'POST' });
    const trickle = setInterval(() => call.write('x'), 100);
    const reply = await replyOf(call).finally(() => clearInterval(trickle));
    expect(reply.status).toBe(408);
  });

  it('resets a stream whose response is not read', async () => {
    const call = edge.session.request({ ...headers, ':path': '/endless' });
    call.on('error', () => undefined).pause();
    await until('it is under way', () => edge.inFlight.total() === 1, 1000);
    await until('it is cut', () => edge.inFlight.total() === 0, 4000);
    expect((await askOn(edge.session, '/quiet', { headers })).text).toBe('beginend');
  });

  it('sends GOAWAY to a quiet client, after requests in flight are answered', async () => {
    const asked = askOn(edge.session, '/', { headers, body: 'x' });
    await until('it is under way', () => edge.inFlight.total() === 1, 1000);
    edge.http2.leave(5000);
    expect((await asked).text).toBe('done');
    await until('it is told', () => edge.session.closed, 1000);
  });

  it('sends GOAWAY to a busy client that connects while the edge leaves', async () => {
    edge.http2.leave(300);
    const asked = askOn(edge.session, '/', { headers, body: 'x' });
    await until('it is told', () => edge.session.closed, 500);
    expect((await asked).text).toBe('done');
  });
});
