import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../test/rig/app.ts';
import { until } from '../../test/rig/until.ts';
import { emptyResponse, okDone } from './responses.ts';
import { defineRoute } from './define-route.ts';
import { type EventStream, SharedEvents } from './sse.ts';

describe('event streams', () => {
  let app: TestApp;
  let url: string;
  let streams: EventStream[];
  let release: () => void;

  beforeEach(async () => {
    streams = [];
    const held = new Promise<void>((resolve) => (release = resolve));
    const routes = [
      defineRoute({
        method: 'GET',
        path: '/api/test/stream',
        permission: 'public',
        streams: true,
        summary: 'Stream',
        output: emptyResponse,
        handle({ stream }) {
          streams.push(stream(async () => {}));
          return okDone;
        },
      }),
      defineRoute({
        method: 'GET',
        path: '/api/test/slow',
        permission: 'public',
        summary: 'Slow',
        output: emptyResponse,
        async handle() {
          await held;
          return okDone;
        },
      }),
    ];
    app = await startApp('sqlite', { routes });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
  });
  afterEach(() => app.close().catch(() => app.database.db.destroy()));

  it('carry id, event and data, and end', async () => {
    const response = await fetch(`${url}/api/test/stream`);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    streams[0]!.send({ id: 1, event: 'log', data: { line: 'a\nb' } });
    streams[0]!.send({ id: 2, event: 'end', data: { status: 'ready' } });
    streams[0]!.end();
    expect(await response.text()).toBe(
      'id: 1\nevent: log\ndata: {"line":"a\\nb"}\n\nid: 2\nevent: end\ndata: {"status":"ready"}\n\n',
    );
  });

  it.each([
    ['in chunks', 'GET /api/test/stream HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 1],
    ['to HTTP/1.0', 'GET /api/test/stream HTTP/1.0\r\n\r\n', 1],
    [
      'to a pipelined request',
      'GET /api/test/slow HTTP/1.1\r\nhost: x\r\n\r\nGET /api/test/stream HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      2,
    ],
  ])('send shared events %s, in order with others', async (_name, request, answers) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await until('the stream is open', () => streams.length === 1);
    const [stream] = streams;
    stream!.send({ id: 1, event: 'log', data: 'é' });
    stream!.sendShared(new SharedEvents('id: 2\n\n'));
    release();
    stream!.send({ id: 3, event: 'log', data: 'c' });
    stream!.sendShared(new SharedEvents('id: 4\n\n'));
    stream!.sendShared(new SharedEvents(''));
    stream!.end();
    await closed;
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(answers);
    expect(text.match(/^id: \d/gm)).toEqual(['id: 1', 'id: 2', 'id: 3', 'id: 4']);
    if (!request.includes('HTTP/1.0')) expect(text.endsWith('7\r\nid: 4\n\n\r\n0\r\n\r\n')).toBe(true);
  });

  it('notice that the client disconnected', async () => {
    const controller = new AbortController();
    await fetch(`${url}/api/test/stream`, { signal: controller.signal });
    expect(app.streams.count).toBe(1);
    controller.abort();
    await until('the stream is forgotten', () => app.streams.count === 0);
    expect(streams[0]!.closed.aborted).toBe(true);
  });

  it('forget clients that left while they waited for their turn', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        await new Promise((resolve) => socket.once('connect', resolve));
        return socket;
      }),
    );
    for (const socket of sockets)
      socket.write('GET /api/test/stream HTTP/1.1\r\nhost: x\r\n\r\n', () => socket.resetAndDestroy());
    await (await fetch(`${url}/api/health`)).text();
    await until('all are forgotten', () => app.streams.count === 0);
  });

  it('disconnect a client that does not read', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write('GET /api/test/stream HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    socket.pause();
    await until('the stream is open', () => streams.length === 1);
    const line = 'x'.repeat(10_000);
    for (let id = 1; id <= 4000 && !streams[0]!.closed.aborted; id++) {
      streams[0]!.send({ id, event: 'log', data: { line } });
      if (id % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until('it is closed', () => streams[0]!.closed.aborted);
    socket.destroy();
  });

  it('are closed when the service stops, within 5 s even with a hanging request', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/api/test/stream`)));
    const slow = fetch(`${url}/api/test/slow`).then(
      () => 'answered',
      () => 'cut',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = Date.now();
    await app.stop(1500);
    expect(Date.now() - began).toBeLessThan(3000);
    expect(await slow).toBe('cut');
    await Promise.all(responses.map((response) => response.text()));
    release();
  });
});
