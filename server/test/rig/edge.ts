import { readFileSync, writeFileSync } from 'node:fs';
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type Server,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest, type RequestOptions } from 'node:https';
import { connect, type Socket, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectSecurely } from 'node:tls';
import type { Edge, EdgeProject, EdgeTarget } from '../../src/drivers/edge/edge.ts';
import { afterEach, expect } from 'vitest';
import { type BuiltinEdge, createBuiltinEdge } from '../../src/drivers/edge/builtin/builtin.ts';
import { bundledProgram } from './bundled-program.ts';
import { newFolder, rigFolder, startTime } from './children.ts';

/** Records a detached process, so that the end of the run kills it in any case. */
export const recordProcess = (pid: number): void =>
  writeFileSync(join(rigFolder(), 'pids', String(pid)), startTime(pid));

export interface TestApp {
  target: EdgeTarget & { type: 'upstream' };
  server: Server;
  /** The requests received so far. */
  seen: IncomingMessage[];
  close(): Promise<void>;
}

/** Starts a real server on a free loopback port. Upgraded connections echo. */
export async function startTestApp(handle: RequestListener, port = 0): Promise<TestApp> {
  const seen: IncomingMessage[] = [];
  const upgraded = new Set<Duplex>();
  const server = createServer((req, res) => {
    seen.push(req);
    handle(req, res);
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex) => {
    seen.push(req);
    upgraded.add(socket);
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    target: { type: 'upstream', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    server,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        upgraded.forEach((socket) => socket.destroy());
      }),
  };
}

export const portOf = (edge: Edge): number => Number(new URL(edge.url('x')).port || 80);
export const tlsPortOf = (edge: Edge): number => Number(new URL(edge.url('x', { secure: true })).port || 443);

/** A project with one host name. */
export const project = (host: string, deploymentId: string, target: EdgeTarget, fence = 1): EdgeProject => ({
  key: `${host}/production`,
  fence,
  routes: [{ host, path: '/', deploymentId, target }],
});

export type Reply = {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  trailers: NodeJS.Dict<string>;
};
export type Ask = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  agent?: Agent | false;
  /** Uses TLS with this server name; `true`: that of the host. */
  secure?: boolean | string;
  /** The client's address. */
  from?: string;
};

/** Starts a request, with or without TLS. Does not verify the certificate. */
export const begin = ({ secure, ...options }: RequestOptions & { secure?: boolean | string }): ClientRequest =>
  secure
    ? secureRequest({ ...options, servername: nameIn(secure, options.headers), rejectUnauthorized: false })
    : request(options);

const nameIn = (secure: true | string, headers: RequestOptions['headers']): string =>
  secure === true ? String((headers as Record<string, string>)['host']).replace(/:\d+$/, '') : secure;

/** Requests a path under a host name from the edge. Rejects when the connection fails. */
export function ask(
  port: number,
  host: string,
  path = '/',
  { method = 'GET', headers = {}, body, agent = false, secure = false, from }: Ask = {},
) {
  return new Promise<Reply & { bytes: Buffer }>((resolve, reject) => {
    const where = { host: '127.0.0.1', port, localAddress: from };
    const call = begin({ ...where, path, method, agent, headers: { host, ...headers }, secure });
    call.once('error', reject);
    call.once('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        const { statusCode, headers: sent, trailers } = answer;
        const bytes = Buffer.concat(chunks);
        resolve({ status: statusCode!, headers: sent, text: bytes.toString(), bytes, trailers });
      });
    });
    call.end(body);
  });
}

/** Opens a connection, with TLS if a server name is given. */
export const dial = (port: number, servername?: string, ALPNProtocols?: string[]): Socket =>
  servername === undefined
    ? connect(port, '127.0.0.1')
    : connectSecurely({ port, host: '127.0.0.1', servername, rejectUnauthorized: false, ALPNProtocols });

/** Sends raw bytes and returns everything received until the edge closes or the timeout. */
export function sendRaw(port: number, text: string, withinMs = 3000, servername?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = dial(port, servername);
    socket.write(text, 'latin1');
    let answer = '';
    const finish = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, finish);
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.once('error', finish).once('close', finish);
  });
}

/** Opens an upgraded connection and collects all data after the handshake. */
export async function openUpgraded(
  port: number,
  host: string,
  servername?: string,
): Promise<{ socket: Socket; received: () => string }> {
  const socket = dial(port, servername);
  socket.on('error', () => socket.destroy());
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
  );
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    const look = () => text.includes('\r\n\r\n') && resolve();
    socket.on('data', look);
    socket.once('close', () => reject(new Error(`not upgraded: ${text}`)));
  });
  if (!text.startsWith('HTTP/1.1 101')) throw new Error(`not upgraded: ${text}`);
  return { socket, received: () => text.slice(text.indexOf('\r\n\r\n') + 4) };
}

export interface Load {
  requests(): number;
  failures: string[];
  stop(): Promise<void>;
}

/** Clients that send requests continuously, half of them on keep-alive connections. `check` returns a reply's
 * problem. */
export function startLoad(
  port: number,
  host: string,
  visitors: number,
  check: (reply: Reply) => string | null,
  secure = false,
): Load {
  const failures: string[] = [];
  let requests = 0;
  const stopped = new AbortController();
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const visit = async (kept: boolean) => {
    while (!stopped.signal.aborted) {
      try {
        const reply = await ask(port, host, '/load', { agent: kept ? agent : false, secure });
        const wrong = check(reply);
        if (wrong) failures.push(wrong);
      } catch (error) {
        failures.push(String(error));
      }
      requests++;
      // Yields the CPU for a moment; a new connection for each request is costly.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const all = Array.from({ length: visitors }, (_, i) => visit(i % 2 === 0));
  return {
    requests: () => requests,
    failures,
    async stop() {
      stopped.abort();
      await Promise.all(all);
      agent.destroy();
    },
  };
}

export const edgeProgram = bundledProgram(join(import.meta.dirname, '../../src/drivers/edge/builtin/main.ts'), 'edge');

/** The same program in another file, which the driver treats as a new version. */
export function newVersion(): string {
  const file = join(newFolder('program'), 'edge.mjs');
  writeFileSync(file, `// ${Math.random()}\nimport ${JSON.stringify(edgeProgram)};\n`);
  return file;
}

type Options = {
  dataDir?: string;
  port?: number;
  tlsPort?: number;
  publicTlsPort?: number;
  trustedProxies?: string[];
  program?: string;
  instanceId?: string;
  workers?: number;
};
const usual = () => ({
  dataDir: newFolder('edge'),
  port: 0,
  host: '127.0.0.1',
  program: edgeProgram,
  instanceId: 'ins_1',
  workers: 1,
});
export type EnsuredEdge = BuiltinEdge & { process: number; close(): Promise<void> };

/** Edges and apps of one suite. Stops them after each test and asserts that the edges logged no errors. */
export function builtinEdges() {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });

  /** A driver like the service's own; nothing is running yet. */
  function driver(options: Options = {}): BuiltinEdge {
    const edge = createBuiltinEdge({ ...usual(), ...options });
    closing.push(() => edge.stop());
    return edge;
  }

  async function ensured(options: Options = {}): Promise<EnsuredEdge> {
    const running = await ensureEdge(options);
    closing.push(() => running.close());
    return running;
  }

  async function app(text: string): Promise<TestApp> {
    const running = await startTestApp((req, res) => void req.resume().on('end', () => res.end(text)));
    closing.push(() => running.close());
    return running;
  }

  return { driver, ensured, app };
}

/** A running edge, to be closed by the caller. */
export async function ensureEdge(options: Options = {}): Promise<EnsuredEdge> {
  const { dataDir = newFolder('edge'), ...others } = options;
  const edge = createBuiltinEdge({ ...usual(), ...others, dataDir });
  await edge.ensure();
  const process = (await edge.pid())!;
  recordProcess(process);
  const close = async () => {
    await edge.stop();
    expect(readFileSync(join(dataDir, 'edge.log'), 'utf8')).not.toMatch(/uncaught|a request failed/);
  };
  return { ...edge, process, close };
}
