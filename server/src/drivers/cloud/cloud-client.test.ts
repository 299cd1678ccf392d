import { getEventListeners } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/rig/until.ts';
import { CloudClient } from './cloud-client.ts';

describe('a cloud that means no good', () => {
  const client = new CloudClient({ reach: 'private', ca: undefined });
  let server: Server | undefined;
  afterEach(() => {
    client.close();
    server?.closeAllConnections();
    server?.close();
  });

  const answering = async (listener: RequestListener) => {
    server = createServer(listener);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret' };
  };
  const json = { 'content-type': 'application/json' };
  const call = { method: 'GET', path: '/' };

  it('does not hold anybody with an answer that comes drop by drop', async () => {
    const address = await answering((_, response) => {
      response.writeHead(200, json);
      const drops = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drops));
    });
    await expect(client.json(address, { ...call, withinMs: 300 })).rejects.toThrow('cloud_unreachable');
  });

  it('is not listened to when it refuses without an end', async () => {
    let isClosed = false;
    const address = await answering((_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      const flood = setInterval(() => response.write('x'.repeat(1000)), 5);
      response.once('close', () => {
        clearInterval(flood);
        isClosed = true;
      });
    });
    await expect(client.json(address, call)).rejects.toThrow('cloud_unreachable');
    await until('it is left', () => isClosed);
  });

  it('is not asked a second time when it breaks off an answer that has begun', async () => {
    let [asked, breaks] = [0, false];
    const sockets = new Set<Socket>();
    const address = await answering(({ socket }, response) => {
      asked++;
      sockets.add(socket);
      response.writeHead(200, json);
      if (breaks) {
        response.write('{');
        setTimeout(() => socket.resetAndDestroy(), 50);
      } else response.end('{}');
    });
    await client.json(address, call);
    breaks = true;
    await expect(client.json(address, call)).rejects.toThrow('cloud_unreachable');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([asked, sockets.size], 'two requests on one connection').toEqual([2, 1]);
  });

  it('leaves nothing with whoever asks again and again', async () => {
    const { signal } = new AbortController();
    const address = await answering((_, response) => void response.writeHead(200, json).end('{}'));
    for (let i = 0; i < 5; i++) await client.json(address, { ...call, signal, isLasting: true });
    await until('nothing listens', () => !getEventListeners(signal, 'abort').length);
  });
});
