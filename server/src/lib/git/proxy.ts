import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connectOutbound, OutboundError, type OutboundReach, resolveOutbound } from '../outbound.ts';
import { OutboundAgent } from '../outbound-agent.ts';
import { type EnvironmentVariables, proxyFor } from '../proxy-settings.ts';

const connectMs = 15_000;

/** A loopback proxy for git's HTTP requests during one checkout. Resolves each name once, checks the address and
 * connects to exactly that one, also after a redirect. */
export class GitProxy {
  /** Reason of the last failed connection; git itself only reports a proxy error. */
  problem: string | undefined;
  readonly #reach: OutboundReach;
  readonly #environment: EnvironmentVariables;
  readonly #password = randomBytes(24).toString('base64url');
  readonly #server: Server;
  readonly #agent: OutboundAgent;
  readonly #sockets = new Set<{ destroy(): void }>();

  private constructor(reach: OutboundReach, environment: EnvironmentVariables) {
    this.#reach = reach;
    this.#environment = environment;
    this.#agent = new OutboundAgent({ reach, ca: undefined }, false, true);
    this.#server = createServer((incoming, response) => {
      this.#forward(incoming, response).catch((error: unknown) => this.#fail(response, error));
    });
    this.#server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#tunnel(incoming, socket, head).catch((error: unknown) => this.#refuse(socket, error));
    });
  }

  static async open(reach: OutboundReach, environment: EnvironmentVariables): Promise<GitProxy> {
    const proxy = new GitProxy(reach, environment);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** Contains a password, because other users of the machine can reach loopback too. */
  get url(): string {
    return `http://git:${this.#password}@127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** `https`: git negotiates TLS with the host itself. */
  async #tunnel(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    this.#keep(socket);
    if (!this.#isOurs(incoming)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const target = URL.parse(`https://${incoming.url}`);
    if (!target?.hostname) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const upstream = await this.#proxyFor(target);
    const far = upstream ? await tunnelThrough(upstream, target) : await this.#connect(target, 443);
    this.#keep(far);
    if (socket.destroyed) return void far.destroy();
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length) far.write(head);
    // When either side ends, the other ends too.
    pipeline(socket, far, () => far.destroy());
    pipeline(far, socket, () => socket.destroy());
  }

  #connect({ hostname, port }: URL, usualPort: number): Promise<Socket> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return connectOutbound({ host, port: Number(port || usualPort), reach: this.#reach }, { deadlineMs: connectMs });
  }

  /** `http`: the request contains the whole URL. */
  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isOurs(incoming)) return void response.writeHead(407).end();
    const target = URL.parse(incoming.url ?? '');
    if (target?.protocol !== 'http:') return void response.writeHead(400).end();
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers;
    const upstream = await this.#proxyFor(target);
    const outgoing = upstream
      ? request(upstream.url, {
          method: incoming.method,
          path: target.href,
          headers: { ...headers, ...upstream.headers },
        })
      : request(target, { method: incoming.method, headers, agent: this.#agent });
    // A killed git closes the response; writing to it would crash us.
    response.once('close', () => outgoing.destroy());
    outgoing.on('response', (answer) => {
      if (response.destroyed) return void answer.destroy();
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      return void pipeline(answer, response, () => {});
    });
    outgoing.on('error', (error) => this.#fail(response, error));
    pipeline(incoming, outgoing, () => {});
  }

  /** Returns the operator's own proxy for this address, if any. */
  async #proxyFor(target: URL) {
    const upstream = proxyFor(target, this.#environment);
    if (upstream) await checkBehindProxy(target, this.#reach);
    return upstream;
  }

  #fail(response: ServerResponse, error: unknown): void {
    this.#note(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  }

  #refuse(socket: Socket, error: unknown): void {
    this.#note(error);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  }

  #note(error: unknown): void {
    this.problem =
      error instanceof OutboundError ? error.message : `the connection failed: ${(error as Error).message}`;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy());
  }

  #isOurs({ headers }: IncomingMessage): boolean {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    const wanted = Buffer.from(`Basic ${Buffer.from(`git:${this.#password}`).toString('base64')}`);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/** Checks a target behind the operator's proxy, which resolves names itself and may know private ones. Names that we
 * can resolve are checked. */
export async function checkBehindProxy({ hostname }: URL, reach: OutboundReach): Promise<void> {
  await resolveOutbound(hostname, reach).catch((error: unknown) => {
    const isUnknown = error instanceof OutboundError && error.code === 'not_found';
    if (!isUnknown || reach !== 'private') throw error;
  });
}

/** Opens a tunnel through the operator's proxy. */
function tunnelThrough({ url, headers }: { url: URL; headers: Record<string, string> }, target: URL): Promise<Socket> {
  const path = `${target.hostname}:${target.port || 443}`;
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: 'CONNECT', path, headers: { host: path, ...headers }, timeout: connectMs });
    asking.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new OutboundError('unreachable', `the proxy ${url.host} answered ${statusCode} for ${path}`));
    });
    asking.once('timeout', () => asking.destroy(new OutboundError('timeout', `the proxy ${url.host} did not answer`)));
    asking.once('error', reject);
    asking.end();
  });
}
