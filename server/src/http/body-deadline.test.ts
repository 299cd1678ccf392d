import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../test/rig/app.ts';
import { emptyResponse, okDone } from './responses.ts';
import { defineRoute } from './define-route.ts';

describe('body deadline', () => {
  let app: TestApp;
  let began = 0;
  let finish = () => {};
  const routes = (['DELETE', 'POST'] as const).map((method) =>
    defineRoute({
      method,
      path: '/api/test/slow',
      permission: 'public',
      summary: 'Slow',
      output: emptyResponse,
      async handle() {
        began++;
        await new Promise<void>((resolve) => (finish = resolve));
        return okDone;
      },
    }),
  );
  beforeAll(async () => {
    app = await startApp('sqlite', { routes });
    await app.server.listen({ port: 0, host: '127.0.0.1' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterAll(() => {
    vi.useRealTimers();
    return app.close();
  });

  const send = (method: string, headers: Record<string, string> = {}) => {
    const { port } = app.server.server.address() as AddressInfo;
    return request({ port, host: '127.0.0.1', path: '/api/test/slow', method, headers, agent: false });
  };
  const turns = async (isSo: () => boolean) => {
    for (let i = 0; i < 1000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve));
    expect(isSo()).toBe(true);
  };

  it.each(['DELETE', 'POST'])(
    'does not apply to a %s without a body, however long its response takes',
    async (method) => {
      const [before, sent] = [began, send(method)];
      const answered = once(sent, 'response');
      sent.end();
      await turns(() => began > before);
      vi.advanceTimersByTime(300_000);
      finish();
      const [{ statusCode }] = (await answered) as [{ statusCode: number }];
      expect(statusCode).toBe(200);
    },
  );

  it('answers 408 to a client that trickles the body, and closes the connection', async () => {
    const sent = send('POST', { 'content-type': 'application/json', 'content-length': '100' });
    const answered = once(sent, 'response');
    for (let i = 0; i < 6; i++) {
      sent.write(' ');
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(11_000);
    }
    const [response] = (await answered) as [IncomingMessage];
    expect(response).toMatchObject({ statusCode: 408, headers: { connection: 'close' } });
    expect(await json(response)).toMatchObject({ code: 'request_timeout' });
    let isClosed = false;
    response.socket.once('close', () => (isClosed = true));
    await turns(() => isClosed || response.socket.destroyed);
  });
});
