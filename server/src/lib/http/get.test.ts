import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSigned } from '../../../test/rig/certificate.ts';
import { httpGet } from './get.ts';

const seen: string[] = [];
const plain = createServer((request, response) => {
  const [, to] = /^\/to\?(.*)$/.exec(request.url!) ?? [];
  if (request.url === '/loop') response.writeHead(301, { location: '/loop' }).end();
  else if (to) response.writeHead(302, { location: decodeURIComponent(to) }).end();
  else response.end(`plain ${request.url}`);
});
const secure = createSecureServer(selfSigned('releases.test'), (_, response) => response.end('secure'));
/** Forwards everything to the servers above, whatever name is asked for. */
const proxy = createServer((request, response) => {
  seen.push(`GET ${request.url}`);
  response.end('by the proxy');
}).on('connect', (request, socket) => {
  seen.push(`CONNECT ${request.url}`);
  const far = connect(portOf(secure), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  socket
    .on('error', () => {})
    .pipe(far.on('error', () => {}))
    .pipe(socket);
});
const portOf = (server: Pick<Server, 'address'>): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  for (const server of [plain, secure, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const server of [plain, secure, proxy]) server.close().closeAllConnections();
});

const get = async (url: string, environment: Record<string, string> = {}) => {
  seen.length = 0;
  const signal = AbortSignal.timeout(5000);
  return text(await httpGet(new URL(url), { environment, signal, stalledMs: 5000 }));
};
const local = () => `http://127.0.0.1:${portOf(plain)}`;
const ours = () => `http://127.0.0.1:${portOf(proxy)}`;

it('follows redirects, but not forever, and only to web addresses', async () => {
  expect(await get(`${local()}/to?/there`)).toBe('plain /there');
  expect(seen).toEqual([]);
  await expect(get(`${local()}/loop`)).rejects.toThrow('/loop redirects more than 5 times');
  await expect(get(`${local()}/to?ftp:%2F%2Fhost%2Ffile`)).rejects.toThrow('ftp://host/file is not an HTTP address');
});

it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])('goes through the proxy of %s', async (name) => {
  // The certificate is not trusted, which only the server behind the proxy can show.
  await expect(get('https://releases.test/latest.json', { [name]: ours() })).rejects.toThrow(/self-signed/);
  expect(seen).toEqual(['CONNECT releases.test:443']);
});

it('goes through the proxy without TLS, except to excluded hosts', async () => {
  const http = { http_proxy: ours(), no_proxy: '127.0.0.1' };
  expect(await get('http://releases.test/latest.json', http)).toBe('by the proxy');
  expect(seen).toEqual(['GET http://releases.test/latest.json']);
  expect(await get(`${local()}/here`, http)).toBe('plain /here');
  expect(seen).toEqual([]);
});
