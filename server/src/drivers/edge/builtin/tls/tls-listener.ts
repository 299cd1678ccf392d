import { createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type RequestHandler, defaultTimeouts } from '../request-handler.ts';
import type { Http2Server } from '../http2/server.ts';
import { explainListening, listen, listenAnew } from '../listen.ts';
import type { InheritedSocket } from '../process/predecessor.ts';
import type { Certificates } from './certificates.ts';
import { ticketKeys } from './ticket-keys.ts';
import type { TlsServer } from './tls-server.ts';

/** There is no port to listen on for TLS. */
export class NoTlsError extends Error {
  override name = 'NoTlsError';
}

type Parts = {
  host: string;
  folder: string;
  certificates: Certificates;
  answer: RequestHandler;
  /** Whether the client may open another connection. */
  admit: (socket: Socket) => boolean;
  /** Receives the connections that speak HTTP/1. */
  http1: Server;
  /** Whether this process replaces the session ticket keys when they are old. */
  renewsTickets: boolean;
  /** Called after the listener has opened or moved. */
  onOpen?: () => Promise<void>;
};

/** The TLS listener. It opens with the first certificate, so that no TLS code is loaded before. */
export class TlsListener {
  readonly #parts: Parts;
  /** Closed listeners whose connections are still open. */
  readonly #servers = new Set<Server>();
  #open: { server: Server; port: number; wanted: number } | null = null;
  #secure: Promise<TlsServer> | null = null;
  #http2: Promise<Http2Server> | null = null;
  #leaveMs: number | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get port(): number | null {
    return this.#open?.port ?? null;
  }

  get listener(): Server | null {
    return this.#open?.server ?? null;
  }

  /** Opens the listener or moves it to another port; open connections stay. 0: `last`, or any free one. */
  async open(wanted: number, last: number): Promise<number> {
    if (this.#open && (this.#open.wanted === wanted || this.#open.port === wanted)) return this.#open.port;
    const { host } = this.#parts;
    try {
      return await this.#use((server) => listenAnew(server, host, wanted, last), wanted);
    } catch (error) {
      const why = explainListening(error as NodeJS.ErrnoException, host, wanted, 'MOORING_EDGE_TLS_PORT');
      throw new NoTlsError(`the TLS connection cannot be received: ${why}`, { cause: error });
    }
  }

  /** Continues on an inherited socket. */
  adopt(socket: InheritedSocket, wanted: number): Promise<number> {
    return this.#use((server) => listen(server, socket), wanted);
  }

  async #use(begin: (server: Server) => Promise<number>, wanted: number): Promise<number> {
    const secure = await (this.#secure ??= this.#load());
    const { admit } = this.#parts;
    const server = createServer((socket: Socket) => void (admit(socket) ? secure.shake(socket) : socket.destroy()));
    const port = await begin(server);
    this.#servers.add(server.once('close', () => this.#servers.delete(server)));
    this.#open?.server.close();
    this.#open = { server, port, wanted };
    await this.#parts.onOpen?.();
    return port;
  }

  async #load(): Promise<TlsServer> {
    const { folder, certificates, http1, renewsTickets } = this.#parts;
    const { TlsServer } = await import('./tls-server.ts');
    const secure = new TlsServer(certificates, await ticketKeys(folder, renewsTickets), (socket) => {
      if (socket.alpnProtocol === 'h2') void this.#takeHttp2(socket);
      else http1.emit('connection', socket);
    });
    return secure;
  }

  /** Uses the current session ticket keys, or new ones if they are old. */
  async useTickets(): Promise<void> {
    const { folder, renewsTickets } = this.#parts;
    (await this.#secure)?.useTickets(await ticketKeys(folder, renewsTickets));
  }

  async #takeHttp2(socket: TLSSocket): Promise<void> {
    socket.on('error', () => socket.destroy());
    this.#http2 ??= import('../http2/server.ts').then(({ Http2Server }) => {
      const server = new Http2Server(this.#parts.answer, defaultTimeouts);
      if (this.#leaveMs !== null) server.leave(this.#leaveMs);
      return server;
    });
    const server = await this.#http2;
    if (!socket.destroyed) server.take(socket);
  }

  /** Stops accepting connections. HTTP/2 clients get a GOAWAY, busy ones after `leaveMs`. */
  stopAccepting(leaveMs: number): void {
    this.#leaveMs = leaveMs;
    this.#open?.server.close();
    void this.#http2?.then((server) => server.leave(leaveMs));
  }

  /** Resolves when all connections are closed. */
  async closed(): Promise<void> {
    await Promise.all([...this.#servers].map((each) => new Promise((resolve) => each.once('close', resolve))));
  }
}
