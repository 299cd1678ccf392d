import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../test/rig/certificate.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { ask, begin, builtinEdges, openUpgraded, portOf, tlsPortOf } from '../../../../test/rig/edge.ts';
import { askOn, openHttp2 } from '../../../../test/rig/http2.ts';
import { type Edge, instanceDeployment, instanceKey } from '../edge.ts';

describe('an upstream on a Unix socket', () => {
  const { ensured } = builtinEdges();
  const open: Server[] = [];
  afterEach(() => Promise.all(open.splice(0).map(close)));

  const host = 'mooring.example.com';
  const echo: RequestListener = (request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      return;
    }
    let size = 0;
    request.on('data', (chunk: Buffer) => (size += chunk.length));
    request.on('end', () => response.end(JSON.stringify({ size, ...request.headers })));
  };
  async function listen(socketPath: string): Promise<Server> {
    const server = createServer(echo);
    server.on('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    open.push(server);
    return server;
  }
  const close = (server: Server) =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const point = (edge: Edge, socketPath: string) =>
    edge.point({
      key: instanceKey,
      fence: 1,
      routes: [host, '127.0.0.1'].map((name) => ({
        host: name,
        path: '/',
        deploymentId: instanceDeployment,
        target: { type: 'upstream', host: '127.0.0.1', port: 1, socketPath },
      })),
    });
  async function started() {
    const edge = await ensured();
    const { cert: chain, key } = selfSigned(host);
    await edge.useCertificate({ host, chain, key });
    const socketPath = join(newFolder('service'), 'service.sock');
    const server = await listen(socketPath);
    await point(edge, socketPath);
    return { edge, socketPath, server };
  }

  it('gets requests of HTTP/1.1, HTTP/2 and WebSockets, and the address of the client', async () => {
    const { edge } = await started();
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil' };
    const plain = await ask(portOf(edge), host, '/', { headers: forged, from: '127.0.0.7' });
    expect(JSON.parse(plain.text)).toMatchObject({
      'x-forwarded-for': '127.0.0.7',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': host,
    });
    const byAddress = await ask(portOf(edge), `127.0.0.1:${portOf(edge)}`);
    expect(JSON.parse(byAddress.text)).toMatchObject({ host: `127.0.0.1:${portOf(edge)}` });
    const session = await openHttp2(tlsPortOf(edge), host);
    const body = Buffer.alloc(300_000);
    const secure = await askOn(session, '/', { headers: forged, body });
    expect(JSON.parse(secure.text)).toMatchObject({
      size: 300_000,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
    });
    session.close();
    const { socket, received } = await openUpgraded(tlsPortOf(edge), host, host);
    socket.write('hello');
    await expect.poll(received).toBe('hello');
    socket.destroy();
  });

  it('sends events at once', async () => {
    const { edge } = await started();
    const call = begin({ port: tlsPortOf(edge), path: '/events', headers: { host }, agent: false, secure: true }).end();
    const first = await new Promise((resolve) =>
      call.once('response', (answer) => answer.setEncoding('utf8').once('data', resolve)),
    );
    expect(first).toBe('data: 1\n\n');
    call.destroy();
  });

  it('may be away for a moment; then the page says so', async () => {
    const { edge, socketPath, server } = await started();
    await ask(portOf(edge), host);
    await close(server);
    const waiting = ask(portOf(edge), host);
    setTimeout(() => void listen(socketPath), 300);
    expect((await waiting).status).toBe(200);
    await close(open.at(-1)!);
    const away = await ask(portOf(edge), host, '/', { headers: { accept: 'text/html' } });
    expect([away.status, away.headers['retry-after'], away.text]).toEqual([
      503,
      '2',
      expect.stringContaining('Mooring does not respond'),
    ]);
  });

  it('survives a restart of the edge', async () => {
    const { edge, socketPath } = await started();
    expect(await edge.list()).toMatchObject([{ key: instanceKey, routes: [{ target: { socketPath } }, {}] }]);
    await expect(point(edge, 'relative.sock')).rejects.toThrow('socketPath');
    await edge.stop();
    await edge.ensure();
    expect((await ask(portOf(edge), host)).status).toBe(200);
  });
});
