import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../../test/rig/certificate.ts';
import {
  ask,
  dial,
  ensureEdge,
  type EnsuredEdge,
  portOf,
  project,
  sendRaw,
  tlsPortOf,
} from '../../../../../test/rig/edge.ts';
import { askOn, openHttp2 } from '../../../../../test/rig/http2.ts';
import { until } from '../../../../../test/rig/until.ts';

const host = 'a.localhost';
const upgrade = `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
const post = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\n\r\nx`;
const okay = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab';

// Responses and connections that are rare or meant to do harm.
describe('an app that breaks the rules', () => {
  let edge: EnsuredEdge;
  let server: Server;
  const open = new Set<Socket>();
  let app: (socket: Socket, piece: string) => void;
  let fence = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
      socket.on('data', (chunk) => app(socket, chunk.toString('latin1')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    edge = await ensureEdge();
    const { cert: chain, key } = selfSigned(host);
    await edge.useCertificate({ host, chain, key });
  });
  beforeEach(async () => {
    const { port } = server.address() as AddressInfo;
    await edge.point(project(host, `dep_${++fence}`, { type: 'upstream', host: '127.0.0.1', port }, fence));
    await until('the connections of the previous test are closed', () => open.size === 0);
  });
  afterAll(async () => {
    await edge.close();
    server.close();
  });

  it('cannot upgrade a connection that another request uses', async () => {
    app = (socket, piece) =>
      socket.write(piece.startsWith('GET /ws') ? okay : 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n');
    expect(await sendRaw(portOf(edge), upgrade, 500)).toContain('200 OK');
    expect(await sendRaw(portOf(edge), post, 500)).toContain('502 Bad Gateway');
    await until('no connection is left behind', () => open.size === 0);
  });

  it('may refuse an upgrade with a large response', async () => {
    const body = Buffer.alloc(3_000_000, 'm');
    app = (socket) => {
      socket.write(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    };
    const text = await sendRaw(portOf(edge), upgrade, 2000);
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(body.length);
    expect(await edge.drain(`dep_${fence}`, 1000)).toBe(0);
  });

  it('may announce trailers for a response without a body', async () => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 304],
    ] as const) {
      app = (socket) => socket.write(`HTTP/1.1 ${status} Fine\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n`);
      expect((await ask(portOf(edge), host, '/', { method })).status).toBe(status);
    }
  });

  it('sends and receives no trailers that are headers of the connection or of the edge', async () => {
    const pieces: string[] = [];
    app = (socket, piece) => {
      pieces.push(piece);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
      socket.write('0\r\nConnection: close\r\nContent-Length: 5\r\nTE: x\r\nX-Sum: 1\r\n\r\n');
    };
    const session = await openHttp2(tlsPortOf(edge), host);
    expect(await askOn(session, '/')).toMatchObject({ status: 200, text: 'a', trailers: { 'x-sum': '1' } });
    session.destroy();
    pieces.length = 0;
    const trailers = 'X-Forwarded-For: 192.0.2.1\r\nX_Real_IP: 192.0.2.1\r\nX-Sum: 2\r\n';
    const chunked = `POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${trailers}\r\n`;
    expect(await sendRaw(portOf(edge), chunked, 500)).toMatch(/\r\n0\r\nX-Sum: 1\r\n\r\n$/);
    expect(pieces.join('')).toMatch(/\r\n1\r\na\r\n0\r\nX-Sum: 2\r\n\r\n$/);
  });

  it.each(['reset', 'closed'])('gets no request on a connection that it has %s', async (how) => {
    app = (socket) => socket.write(okay);
    expect(await sendRaw(portOf(edge), post, 100)).toContain('200 OK');
    const client = dial(portOf(edge));
    let text = '';
    client.on('data', (chunk) => (text += chunk.toString()));
    await sleep(50);
    // The edge finds both when it goes on, first the closed connection and then the request.
    process.kill(edge.process, 'SIGSTOP');
    for (const socket of open) void (how === 'reset' ? socket.resetAndDestroy() : socket.end());
    await sleep(20);
    client.write(post);
    await sleep(50);
    process.kill(edge.process, 'SIGCONT');
    await until('the request is answered', () => text !== '');
    client.destroy();
    expect(text).toContain('200 OK');
  });
});
