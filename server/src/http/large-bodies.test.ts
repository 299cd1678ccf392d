import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../test/rig/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite');
  await app.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

/** Sends everything before it reads, as simple clients do. */
async function answerAfterSending(head: string[], body: Buffer): Promise<string> {
  const { port } = app.server.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(['POST /api/auth/login HTTP/1.1', 'host: x', 'content-type: application/json', ...head].join('\r\n'));
  socket.write('\r\n\r\n');
  for (let at = 0; at < body.length; at += 65_536) {
    const isTaken = socket.write(body.subarray(at, at + 65_536));
    if (!isTaken) await once(socket, 'drain');
  }
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString();
}

const size = 20_000_000;
const body = Buffer.alloc(size, ' ');
const chunked = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

it.each([
  ['announced', [`content-length: ${size}`], body],
  ['chunked', ['transfer-encoding: chunked'], chunked],
])('answers 413 to every oversized body, %s', async (_, head, bytes) => {
  for (let i = 0; i < 10; i++) expect(await answerAfterSending(head, bytes)).toMatch(/^HTTP\/1.1 413 [^]*too_large/);
});

it('renders the reference once, and answers 304 to a client that has it', async () => {
  const { port } = app.server.server.address() as AddressInfo;
  for (const path of ['/api/docs', '/api/openapi.json']) {
    const get = (headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const first = await get();
    const text = await first.text();
    expect(text.length).toBeGreaterThan(10_000);
    expect(await (await get()).text()).toBe(text);
    const again = await get({ 'if-none-match': first.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
});
