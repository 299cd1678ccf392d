import { createServer, type AddressInfo, type LookupFunction } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { acceptsConnections, silentMs } from './accepts-connections.ts';

vi.mock('./lookup.ts', () => {
  const lookup: LookupFunction = (code, _options, callback) => callback(Object.assign(new Error(code), { code }), '');
  return { lookup };
});

it('sees a connection that was established while this process did not run', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => void server.once('listening', resolve));
  const answer = acceptsConnections({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, silentMs + 200);
  expect(await answer).toBe(true);
});

it.each([
  ['EMFILE', true],
  ['EHOSTUNREACH', false],
  ['ENOTFOUND', false],
])('%s: %s', async (host, isThere) => {
  expect(await acceptsConnections({ host, port: 1 })).toBe(isThere);
});
