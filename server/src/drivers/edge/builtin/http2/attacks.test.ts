import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/rig/edge.ts';
import { askOn, frame, frames, headerBlock, preface } from '../../../../../test/rig/http2.ts';
import {
  askedHeaders as headers,
  startHttp2Server,
  type TestHttp2Server,
} from '../../../../../test/rig/http2-server.ts';
import { until } from '../../../../../test/rig/until.ts';

const endOfHeadersAndStream = 5;
const manyHeaders = Array.from({ length: 2500 }, (_, i) => `x${i.toString(36)}: ${'y'.repeat(18)}\r\n`).join('');

describe('HTTP/2', () => {
  let app: TestApp;
  let edge: TestHttp2Server;

  beforeEach(async () => {
    app = await startTestApp((req, res) => {
      const text = req.headers['x-answer'];
      if (text) req.resume().on('end', () => req.socket.end(Buffer.from(decodeURIComponent(String(text)), 'latin1')));
      else if (req.url === '/done') req.resume().on('end', () => res.end('done'));
      else if (req.url === '/unread') res.end('ok');
      else if (req.url === '/headers') req.socket.end(`HTTP/1.1 200 OK\r\n${manyHeaders}Content-Length: 0\r\n\r\n`);
    });
    edge = await startHttp2Server(app, { headersMs: 4000, stuckMs: 3000, bodyMs: 60_000 });
  });
  afterEach(async () => {
    edge.close();
    await app.close();
    expect(edge.logged).toEqual([]);
  });

  /** Has the app send this text as its whole response. */
  const answered = (text: string, method = 'GET') =>
    askOn(edge.session, '/', { headers: { ...headers, 'x-answer': encodeURIComponent(text) }, method });

  it('forwards responses that HTTP/2 forbids or Node refuses', async () => {
    expect(await answered('HTTP/1.1 999 Odd\r\nContent-Length: 3\r\n\r\nabc')).toMatchObject({
      status: 500,
      text: 'abc',
    });
    const reset = await answered('HTTP/1.1 205 Reset\r\nContent-Length: 3\r\n\r\nabc');
    expect(reset).toMatchObject({ status: 205, text: '' });
    const odd = await answered("HTTP/1.1 200 OK\r\nX-A: \xe9\r\nx-!#$%&'*+.^_`|~: b\r\nEmpty:\r\n\r\n");
    expect(odd.headers).toMatchObject({ 'x-a': 'é', "x-!#$%&'*+.^_`|~": 'b', empty: '' });
    const head = await answered('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    await expect(answered('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')).rejects.toThrow();
  });

  it('forwards repeated trailers, and none that HTTP/2 forbids', async () => {
    const forbidden = ['Connection', 'TE', 'Upgrade', 'HTTP2-Settings', 'Keep-Alive', 'Proxy-Connection', 'Host'];
    const lines = ['X-A: 1', 'X-A: 2', 'ETag: 1', 'ETag: 2', '__proto__: 3', ...forbidden.map((name) => `${name}: x`)];
    const { text, trailers } = await answered(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${lines.join('\r\n')}\r\n\r\n`,
    );
    expect([text, Object.keys(trailers)]).toEqual(['a', ['x-a', 'etag', '__proto__']]);
    expect(trailers['x-a']).toBe('1, 2');
  });

  it('forwards the largest headers that the edge accepts, and other streams go on', async () => {
    const other = edge.session.request({ ...headers, ':path': '/done', ':method': 'POST' });
    expect(manyHeaders.length).toBeGreaterThan(60_000);
    expect((await askOn(edge.session, '/headers', { headers })).status).toBe(200);
    let text = '';
    other.on('data', (chunk: Buffer) => (text += chunk.toString())).end('x');
    await until('the other is answered', () => text === 'done', 2000);
  });

  it('forgets streams that are reset in the packet that opens them, with any code', async () => {
    const socket = edge.dial();
    let isClosed = false;
    socket.resume().on('error', () => socket.destroy());
    socket.once('close', () => (isClosed = true));
    socket.write(preface);
    const block = headerBlock([...Object.entries(headers), [':method', 'GET'], [':path', '/never']]);
    const codes = [0, 1, 2, 8, 11];
    const opened = (stream: number, code: number) =>
      Buffer.concat([
        frame(frames.headers, endOfHeadersAndStream, stream, block),
        frame(frames.reset, 0, stream, Buffer.from([0, 0, 0, code])),
      ]);
    for (const [turn, code] of codes.entries()) {
      socket.write(Buffer.concat(Array.from({ length: 15 }, (_, i) => opened(1 + 2 * (15 * turn + i), code))));
      await sleep(50);
    }
    expect([isClosed, edge.inFlight.total()]).toEqual([false, 0]);
    socket.destroy();
  });

  it('does not count a request as in flight that is answered while its empty body stays open', async () => {
    for (const more of [{ 'content-length': '0' }, {}]) {
      const asked = { ...headers, ...more, ':path': '/unread', ':method': 'POST' };
      const call = edge.session.request(asked, { endStream: false });
      let text = '';
      call.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await until('it is answered', () => text === 'ok', 1000);
      await until('it is over', () => edge.inFlight.total() === 0, 2500);
    }
  });

  it('bounds what unread uploads of one connection take', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const chunk = Buffer.alloc(2_000_000);
    const calls = Array.from({ length: 127 }, () =>
      edge.session.request({ ...headers, ':path': '/never', ':method': 'POST' }).on('error', () => undefined),
    );
    for (const call of calls) call.write(chunk);
    await until('all are under way', () => edge.inFlight.total() === 127, 3000);
    await sleep(500);
    // Garbage of earlier tests counts, too, until it is collected.
    await until('they take little', () => (process.memoryUsage().arrayBuffers - before) / 1e6 < 60, 10_000);
    expect((await askOn(edge.session, '/done', { headers, body: 'x' })).text).toBe('done');
    for (const call of calls) call.close(8);
    await until('all are over', () => edge.inFlight.total() === 0, 3000);
  });
});
