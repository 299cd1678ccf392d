import { getEventListeners } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/rig/until.ts';
import type { AppError } from '../../errors.ts';
import { CloudClient } from './cloud-client.ts';

describe('cloud client', () => {
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

  it('times out on a trickling response', async () => {
    const address = await answering((_, response) => {
      response.writeHead(200, json);
      const drops = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drops));
    });
    await expect(client.json(address, { ...call, withinMs: 300 })).rejects.toThrow('cloud_unreachable');
  });

  it('closes the connection of an endless error response', async () => {
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

  it('rejects redirects and unknown status codes', async () => {
    for (const status of [302, 600, 999]) {
      const address = await answering((_, response) => void response.writeHead(status, json).end('{}'));
      await expect(client.open(address, call), String(status)).rejects.toThrow('cloud_unreachable');
      server!.close();
    }
  });

  it('rejects a protocol upgrade', async () => {
    const address = await answering(({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    await expect(client.open(address, { ...call, withinMs: 1000 })).rejects.toThrow('cloud_unreachable');
  });

  it('does not retry when the connection breaks after the response began', async () => {
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

  it('limits connections per token, so that a slow one does not block others', async () => {
    let waiting = 0;
    const address = await answering(({ headers }, response) => {
      if (headers.authorization?.endsWith('slow')) waiting++;
      else response.writeHead(200, json).end('{}');
    });
    const slow = { ...address, token: 'slow' };
    const held = Array.from({ length: 10 }, () => client.json(slow, { ...call, withinMs: 1500 }));
    const all = Promise.allSettled(held);
    await until('they wait', () => waiting >= 8);
    await expect(client.json(address, { ...call, withinMs: 700 })).resolves.toMatchObject({ status: 200 });
    for (const { status } of await all) expect(status).toBe('rejected');
  });

  it('says whether a failed request may have succeeded', async () => {
    const address = await answering(({ socket, url }, response) => {
      if (url === '/') socket.destroy();
      else response.writeHead(502, { 'content-type': 'text/html' }).end('bad gateway');
    });
    const message = (of: typeof address, more: object) =>
      client.open(of, { ...call, ...more }).catch((error: AppError) => error.extra.message);
    const change = { method: 'POST', body: {}, isOnce: true };
    expect(await message(address, change)).toContain('may have succeeded');
    expect(await message(address, { ...change, path: '/proxy' })).toContain('status 502');
    expect(await message(address, { ...change, path: '/proxy' })).toContain('may have succeeded');
    expect(await message(address, { method: 'PUT', body: {} })).toContain('try again');
    expect(await message({ ...address, url: 'http://127.0.0.1:9' }, change)).toContain('cannot be reached; try again');
    expect(await message({ ...address, url: address.url.replace('http:', 'https:') }, change)).toContain('try again');
  });

  it('redacts the token in responses', async () => {
    const token = `mrg_pat_${'t'.repeat(43)}`;
    const address = await answering(({ headers }, response) =>
      response.writeHead(409, json).end(JSON.stringify({ error: `who is ${headers.authorization}?` })),
    );
    expect(await client.json({ ...address, token }, call)).toEqual({
      status: 409,
      body: { error: 'who is Bearer [hidden]?' },
    });
  });

  it('leaves no listeners on a reused signal', async () => {
    const { signal } = new AbortController();
    const address = await answering((_, response) => void response.writeHead(200, json).end('{}'));
    for (let i = 0; i < 5; i++) await client.json(address, { ...call, signal, isLasting: true });
    await until('nothing listens', () => !getEventListeners(signal, 'abort').length);
  });
});
