import { Agent } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, begin, ensureEdge, type EnsuredEdge, portOf, project, sendRaw } from '../../../../../test/rig/edge.ts';
import { until } from '../../../../../test/rig/until.ts';

const host = 'a.localhost';
const ok = 'HTTP/1.1 200 OK\r\n';
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

// Apps that write their responses themselves, as no HTTP library would.
describe('an app that answers with raw bytes', () => {
  let edge: EnsuredEdge;
  let server: Server;
  let connections = 0;
  /** Called with each piece of a request. */
  let app: (socket: Socket, piece: string) => void;

  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      socket.setNoDelay(true).on('error', () => socket.destroy());
      socket.on('data', (chunk) => app(socket, chunk.toString('latin1')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    edge = await ensureEdge();
  });
  afterAll(async () => {
    await edge.close();
    server.close();
  });
  let fence = 0;
  beforeEach(async () => {
    const { port } = server.address() as AddressInfo;
    // A deployment of its own: no test inherits connections.
    await edge.point(project(host, `dep_${++fence}`, { type: 'upstream', host: '127.0.0.1', port }, fence));
    connections = 0;
  });

  const says = (text: string) => (socket: Socket) => void socket.write(text, 'latin1');
  const byByte = (text: string) => (socket: Socket) =>
    text.split('').forEach((char, i) => setTimeout(() => socket.write(char), i));
  const get = () => ask(portOf(edge), host);

  it('is understood in every valid form', async () => {
    const forms: [typeof app, string][] = [
      [says(`${ok}Content-Length: 2\r\n\r\nab`), 'ab'],
      [(socket) => void socket.end(`${ok}\r\nuntil the end`), 'until the end'],
      [(socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\nold'), 'old'],
      [says('HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'), ''],
      [says(`${ok}Transfer-Encoding: chunked\r\n\r\n1;a=b\r\na\r\n02\r\nbc\r\n0\r\nX-Sum: 1\r\n\r\n`), 'abc'],
      [says(`HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok}Content-Length: 2\r\n\r\nab`), 'ab'],
      [byByte(`${ok}Content-Length: 4\r\nX-Slow: 1\r\n\r\nslow`), 'slow'],
      [byByte(`${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n`), 'abcd'],
    ];
    for (const [each, text] of forms) {
      app = each;
      expect(await get(), text).toMatchObject({ status: 200, text });
    }
  });

  it('leads to a 502 when the response is ambiguous', async () => {
    const forms = [
      'hello\r\n\r\n',
      `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nab`,
      `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${ok}A: b\r\n folded\r\nContent-Length: 0\r\n\r\n`,
      `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `${ok}X: ${'x'.repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ];
    for (const text of forms) {
      app = says(text);
      expect((await get()).status, text.slice(0, 80)).toBe(502);
    }
  });

  it('never ends a response as complete that breaks off', async () => {
    const forms: (typeof app)[] = [
      (socket) => void socket.end(`${ok}Content-Length: 5\r\n\r\nab`),
      (socket) => void socket.end(`${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`),
      (socket) => {
        socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`);
        setTimeout(() => socket.write('zz\r\n'), 50);
      },
    ];
    for (const each of forms) {
      app = each;
      await expect(get()).rejects.toThrow('aborted');
    }
  });

  it('keeps its connection only while nothing is wrong with it', async () => {
    const twice = async (text: string, late = '') => {
      connections = 0;
      app = (socket) => {
        socket.write(text);
        if (late) setTimeout(() => socket.write(late), 30);
      };
      for (let i = 0; i < 2; i++) {
        expect((await get()).text).toBe('ab');
        await sleep(late ? 80 : 10);
      }
      return connections;
    };
    const whole = `${ok}Content-Length: 2\r\n\r\nab`;
    expect(await twice(whole)).toBe(1);
    await edge.drain(`dep_${fence}`, 1000);
    expect(await twice(`${ok}Content-Length: 2\r\n\r\nabHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`)).toBe(2);
    expect(await twice(whole, `${ok}Content-Length: 4\r\n\r\nevil`)).toBe(2);
    expect(await twice(whole.replace('OK', 'OK\r\nConnection: close'))).toBe(2);
    expect(await twice(whole.replace('OK', 'OK\r\nKeep-Alive: timeout=1'))).toBe(2);
    expect(await twice(whole.replace('HTTP/1.1', 'HTTP/1.0'))).toBe(2);
  });

  it('receives a small body with its head, and every byte arrives unchanged in both directions', async () => {
    const pieces: string[] = [];
    app = (socket, piece) => {
      pieces.push(piece);
      socket.write(`${ok}Content-Length: 256\r\n\r\n`);
      socket.write(everyByte);
    };
    for (const method of ['POST', 'PUT']) {
      const reply = await ask(portOf(edge), host, '/', { method, body: everyByte });
      expect(reply.bytes.equals(everyByte)).toBe(true);
    }
    expect(pieces.map((piece) => piece.slice(piece.indexOf('\r\n\r\n') + 4))).toEqual(
      [1, 2].map(() => everyByte.toString('latin1')),
    );
  });

  it('may refuse a body before it is complete', async () => {
    app = (socket) => {
      socket.pause();
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
    };
    const call = begin({ port: portOf(edge), method: 'POST', headers: { host }, agent: false });
    const status = new Promise((resolve) => call.once('response', (answer) => resolve(answer.resume().statusCode)));
    let closed = false;
    call.on('error', () => undefined).once('close', () => (closed = true));
    call.write(Buffer.alloc(5_000_000));
    expect(await status).toBe(413);
    await until('the client is cut off', () => closed, 5000);
    expect(await edge.drain(`dep_${fence}`, 1000)).toBe(0);
  });

  it('is paused while the client does not read, and resumed', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, 'm');
    const total = chunk.length * 800;
    app = (socket) => {
      socket.write(`${ok}Content-Length: ${total}\r\n\r\n`);
      const more = () => {
        while (sent < total && !socket.writableNeedDrain) {
          sent += chunk.length;
          socket.write(chunk);
        }
        socket.once('drain', more);
      };
      more();
    };
    const call = begin({ port: portOf(edge), headers: { host }, agent: false }).end();
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve) => call.once('response', resolve));
    let [before, received] = [-1, 0];
    await until('the app is stopped', async () =>
      before === sent ? true : (await sleep(200), (before = sent), false),
    );
    expect(sent).toBeLessThan(total);
    answer.on('data', (data: Buffer) => (received += data.length));
    await new Promise((resolve) => answer.once('end', resolve));
    expect(received).toBe(total);
  });

  it('gets pipelined requests one by one, and the client its responses in order', async () => {
    let count = 0;
    app = (socket, piece) => {
      const n = ++count;
      setTimeout(() => socket.write(`${ok}Content-Length: 2\r\n\r\n${piece.slice(4, 6)}`), n === 1 ? 100 : 0);
    };
    const two = ['/1', '/2'].map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join('');
    const text = await sendRaw(portOf(edge), two, 500);
    expect(text.match(/\r\n\r\n\/\d/g)).toEqual(['\r\n\r\n/1', '\r\n\r\n/2']);
    const agent = new Agent({ keepAlive: true });
    expect((await ask(portOf(edge), host, '/3', { agent })).text).toBe('/3');
    agent.destroy();
  });

  it('gets no request that HTTP/1.1 cannot carry', async () => {
    app = says(`${ok}Content-Length: 0\r\n\r\n`);
    for (const line of ['GET /\x7f HTTP/1.1\r\nX: y', 'GET / HTTP/1.1\r\nX: a\x7fb', 'GET / HTTP/1.1\r\nX: a\x01b'])
      expect(await sendRaw(portOf(edge), `${line}\r\nHost: ${host}\r\n\r\n`, 500), line).toMatch(/^HTTP\/1.1 400 /);
    expect(connections).toBe(0);
  });
});
