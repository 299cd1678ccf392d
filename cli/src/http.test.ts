import { Blob } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fetch as light, Headers, Request } from './http.ts';

let server: Server;
let url: string;
/** Of a request that the server has answered before it read the body. */
let refused: Socket;

function respond(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/cut') {
    response.writeHead(200, { 'content-length': 10 }).write('half');
    setTimeout(() => response.destroy(), 20);
  } else if (request.url === '/stream') response.write('first');
  else if (request.url === '/refuse-and-keep') {
    refused = request.socket;
    response.writeHead(413).end('too large');
  } else if (request.url === '/refuse') response.writeHead(413, { connection: 'close' }).end('too large');
  else if (request.url === '/empty') response.writeHead(204).end();
  else if (request.url === '/moved') response.writeHead(302, { location: 'http://elsewhere.test/' }).end('x');
  else void echo(request, response);
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('set-cookie', ['a=1; Path=/', 'b=2']);
  response.statusCode = request.url === '/wrong' ? 422 : 200;
  const { method, headers } = request;
  const { authorization = null, 'content-type': type = null, 'content-length': length = null } = headers;
  const body = await text(request).catch(() => 'cut off');
  response.end(JSON.stringify({ method, authorization, type, length, body }));
}

beforeAll(async () => {
  server = createServer({ keepAliveTimeout: 60_000 }, respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function* chunks() {
  yield Buffer.from('one ');
  yield Buffer.from('two');
}

type Init = NonNullable<Parameters<typeof light>[1]>;

describe.each<[string, typeof light]>([
  ['the light fetch', light],
  ["Node's fetch", globalThis.fetch as never],
])('%s', (_, fetch) => {
  it.each<[string, string, Init, object]>([
    ['GET', '/', { headers: { authorization: 'Bearer x' } }, { authorization: 'Bearer x', body: '', length: null }],
    ['an error', '/wrong', {}, { method: 'GET' }],
    ['POST without a body', '/', { method: 'POST' }, { length: '0', body: '' }],
    ['text', '/', { method: 'PATCH', headers: { 'content-type': 'a/b' }, body: 'é' }, { type: 'a/b', length: '2' }],
    ['DELETE with a body', '/', { method: 'DELETE', body: '{}' }, { method: 'DELETE', length: '2', body: '{}' }],
    ['bytes', '/', { method: 'PUT', body: new Uint8Array([104, 105]) }, { length: '2', body: 'hi' }],
    ['a blob', '/', { method: 'POST', body: new Blob(['blob']) as never }, { length: '4', body: 'blob' }],
    ['a stream', '/', { method: 'PUT', body: chunks(), duplex: 'half' } as Init, { length: null, body: 'one two' }],
  ])('sends and reads %s', async (_name, path, init, expected) => {
    const response = await fetch(url + path, init);
    expect([response.status, response.ok]).toEqual(path === '/wrong' ? [422, false] : [200, true]);
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2']);
    expect(await response.json()).toMatchObject(expected);
  });

  it('reads an empty response, and does not follow a redirect', async () => {
    expect((await fetch(`${url}/empty`)).status).toBe(204);
    const moved = await fetch(`${url}/moved`, { redirect: 'manual' } as Init);
    expect([moved.status, moved.headers.get('Location')]).toEqual([302, 'http://elsewhere.test/']);
  });

  it('reads the response to a body that the server does not read', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1 << 16);
    }
    const response = await fetch(`${url}/refuse`, { method: 'PUT', body: endless(), duplex: 'half' } as Init);
    expect([response.status, await response.text()]).toEqual([413, 'too large']);
  });

  it('keeps no connection to a server that does not read the rest of a body', async () => {
    const response = await fetch(`${url}/refuse-and-keep`, {
      method: 'PUT',
      body: new Blob([new Uint8Array(8e6)]) as never,
    });
    expect([response.status, await response.text()]).toEqual([413, 'too large']);
    await vi.waitFor(() => expect(refused.destroyed).toBe(true), 5000);
  });

  it('fails if nothing listens, the body breaks off, or what is sent cannot be read', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await once(closed.close(), 'close');
    const refused = await fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error.cause ?? error);
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
    const cut = await fetch(`${url}/cut`);
    await expect(cut.text()).rejects.toThrow();
    async function* broken() {
      yield Buffer.from('x');
      throw new Error('the file has changed');
    }
    const sending = fetch(url, { method: 'PUT', body: broken(), duplex: 'half' } as Init);
    const error = await sending.catch((thrown: Error) => (thrown.cause ?? thrown) as Error);
    expect(error).toMatchObject({ message: 'the file has changed' });
  });

  it('stops when told, with the reason', async () => {
    const stop = new AbortController();
    const { body } = await fetch(`${url}/stream`, { signal: stop.signal });
    const reading = (async () => {
      for await (const chunk of body) if (chunk) stop.abort(new Error('silence'));
    })();
    await expect(reading).rejects.toThrow('silence');
    await expect(fetch(url, { signal: stop.signal })).rejects.toThrow('silence');
  });
});

it('copies a request with other headers', () => {
  const first = new Request(url, { method: 'POST', headers: { A: '1' }, body: 'x' });
  const headers = new Headers(first.headers);
  headers.set('B', '2');
  const copy = new Request(first, { headers });
  expect([copy.url, copy.method, copy.body]).toEqual([url, 'POST', 'x']);
  expect([...copy.headers]).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
});
